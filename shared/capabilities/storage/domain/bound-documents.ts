import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import { LEDGER_FIELD } from '../../../domain/manifests/ledger-field.ts';
import { newsIn } from '../../../domain/schedulers/news-in-ledger.ts';
import type { News } from './decide-binding.ts';
import {
  type Claim,
  type ClaimPhase,
  LOCAL_FOLDER,
  NOTED,
  type StorageClass,
  type Volume,
  type VolumePhase,
  YES,
  nameOfVolumeFor,
} from './storage-objects.ts';

/** Of a claim; older ones are forgotten. */
const NEWS_MAX = 10;

/** What has not changed since it was said last is said once. */
export function withNews<T extends Claim>(claim: T, news: News | null, now: EpochMs): T {
  const known = newsIn(claim);
  const last = known.at(-1);
  if (news === null || (last?.reason === news.reason && last.message === news.message)) return claim;
  const all = [...known, { ...news, firstAt: now, at: now, count: 1 }].slice(-NEWS_MAX);
  return { ...claim, [LEDGER_FIELD]: { news: all } };
}

/** A volume that is bound to a claim. The same volume if it is already. `version`: the claim's. */
export function boundVolume(volume: Volume, claim: Claim, version: number, now: EpochMs): Volume {
  const { claimRef } = volume.spec;
  const { namespace, name, uid } = claim.metadata;
  const ref = {
    kind: 'PersistentVolumeClaim',
    namespace,
    name,
    uid,
    apiVersion: 'v1',
    resourceVersion: String(version),
  };
  const taken = claimRef?.uid === uid ? volume : { ...volume, spec: { ...volume.spec, claimRef: ref } };
  return inPhase(claimRef === undefined ? noted(taken, NOTED.byController, YES) : taken, 'Bound', '', now);
}

/** A claim that is bound to a volume. The same claim if it is already. */
export function boundClaim(claim: Claim, { metadata, spec }: Volume, className: string | null): Claim {
  const { volumeName = '' } = claim.spec;
  const named = withClass(volumeName === metadata.name ? claim : withVolume(claim, metadata.name), className);
  const status = {
    phase: 'Bound',
    accessModes: spec.accessModes,
    capacity: { storage: spec.capacity.storage },
  } as const;
  const isShown = JSON.stringify(named.status) === JSON.stringify(status);
  return noted(isShown ? named : { ...named, status }, NOTED.complete, YES);
}

const withVolume = (claim: Claim, volumeName: string): Claim =>
  noted({ ...claim, spec: { ...claim.spec, volumeName } }, NOTED.byController, YES);

/** A claim that waits, or has lost its volume. The same claim if nothing is new. */
export function waitingClaim(claim: Claim, phase: ClaimPhase, className: string | null): Claim {
  const classed = withClass(claim, className);
  return classed.status.phase === phase ? classed : { ...classed, status: { phase } };
}

const withClass = (claim: Claim, className: string | null): Claim =>
  className === null ? claim : { ...claim, spec: { ...claim.spec, storageClassName: className } };

/** The same volume if it is in this phase already. */
export function inPhase(volume: Volume, phase: VolumePhase, message: string, now: EpochMs): Volume {
  if (volume.status.phase === phase && (volume.status.message ?? '') === message) return volume;
  const status = { phase, ...(message === '' ? {} : { message }), lastPhaseTransitionTime: asTime(now) };
  return { ...volume, status };
}

/** A volume that no claim has. */
export function unboundVolume(volume: Volume, keepsName: boolean, now: EpochMs): Volume {
  const { claimRef, ...spec } = volume.spec;
  const { uid: _uid, resourceVersion: _version, ...named } = claimRef ?? { namespace: '', name: '' };
  const { [NOTED.byController]: _noted, ...annotations } = volume.metadata.annotations ?? {};
  const metadata = { ...volume.metadata, annotations };
  return inPhase({ ...volume, metadata, spec: keepsName ? { ...spec, claimRef: named } : spec }, 'Available', '', now);
}

/** What is to be made for a claim: a folder of this machine. */
export function volumeForClaim(
  claim: Claim,
  { metadata: { name: className }, reclaimPolicy, mountOptions = [] }: StorageClass,
  { path, version, now }: { readonly path: string; readonly version: number; readonly now: EpochMs },
): Volume {
  const { accessModes, resources } = claim.spec;
  const made: Volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: nameOfVolumeFor(claim.metadata.uid),
      // It follows from the claim's, so that two who make it make the same one.
      uid: uidBeside(claim.metadata.uid),
      creationTimestamp: asTime(now),
      annotations: { [NOTED.provisionedBy]: LOCAL_FOLDER },
    },
    spec: {
      capacity: { storage: resources.requests.storage },
      accessModes,
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: className,
      volumeMode: 'Filesystem',
      ...(mountOptions.length === 0 ? {} : { mountOptions }),
      hostPath: { path, type: '' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: claim.metadata.namespace, name: claim.metadata.name },
    },
    status: { phase: 'Pending' },
  };
  return boundVolume(made, claim, version, now);
}

/** Another digit where a random UUID has its version. */
const uidBeside = (uid: string): string => `${uid.slice(0, 14)}8${uid.slice(15)}`;

function noted<T extends Claim | Volume>(object: T, key: string, value: string): T {
  const { annotations = {} } = object.metadata;
  if (annotations[key] === value) return object;
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [key]: value } } };
}
