import { boundClaim, boundVolume, volumeForClaim, waitingClaim, withNews } from '../domain/bound-documents.ts';
import { type Binding, type News, decideBinding } from '../domain/decide-binding.ts';
import {
  type Claim,
  type StorageClass,
  type Volume,
  claimIn,
  folderOwnerOf,
  folderPath,
  volumeIn,
} from '../domain/storage-objects.ts';
import { allObjects } from '../../../store/every-object.ts';
import { tryOnConflict } from '../../../store/retry-on-conflict.ts';
import type { ObjectKey, StoredObject } from '../../../ports/object-store.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { readClasses } from '../store/read-classes.ts';
import { settleVolume } from './settle-volume.ts';

/** What deciding about claims needs of `Deps`. */
export type StorageDeps = Pick<Deps, 'objects' | 'clock' | 'ports'>;

/** All volumes and classes, as they were at one moment, or a little later. */
export type Seen = {
  /** By name. */
  readonly volumes: ReadonlyMap<string, StoredObject>;
  readonly classes: readonly StorageClass[];
};

/** Others may be faster so often. The sweep does what is left. */
const TRIES_MAX = 20;

export async function seeStorage(deps: StorageDeps): Promise<Seen> {
  const { objects, ports } = deps;
  return { volumes: await seeVolumes(deps), classes: await readClasses(objects, ports.volumeFolders !== undefined) };
}

export async function seeVolumes({ objects }: StorageDeps): Promise<Seen['volumes']> {
  const volumes = await allObjects('PersistentVolume', null, objects);
  return new Map(volumes.map((volume) => [volume.key.name, volume]));
}

/** What is to be done with a claim, by what was seen. */
export const bindingOf = (claim: Claim, { volumes, classes }: Seen, { ports }: Pick<StorageDeps, 'ports'>): Binding =>
  decideBinding(
    claim,
    [...volumes.values()].map(({ document }) => volumeIn(document)),
    classes,
    ports.volumeFolders === undefined ? 'aws' : 'machine',
  );

/** Whether nothing is left to be written for a claim. */
export function isSettled(stored: StoredObject, binding: Binding, { clock }: Pick<StorageDeps, 'clock'>): boolean {
  const claim = claimIn(stored.document);
  const now = clock.now();
  switch (binding.kind) {
    case 'bind': {
      const { volume, className } = binding;
      return (
        boundVolume(volume, claim, stored.version, now) === volume && boundClaim(claim, volume, className) === claim
      );
    }
    case 'provision':
      return false;
    case 'stay':
      return withNews(waitingClaim(claim, binding.phase, binding.className), binding.news, now) === claim;
  }
}

/**
 * Binds a claim, makes its volume, or notes why it waits. The volume is written before the claim: of two claims of one volume, exactly
 * one gets it, and a call that dies in between leaves what the next one completes.
 *
 * @returns the claim as it is then; null: it is gone
 */
export async function settleClaim(key: ObjectKey, deps: StorageDeps): Promise<StoredObject | null> {
  const taken = new Set<string>();
  const settled = await tryOnConflict(TRIES_MAX, async () => {
    const stored = await deps.objects.read('PersistentVolumeClaim', key);
    return stored === null ? null : tryToSettle(stored, taken, deps);
  });
  const now = settled === 'conflict' ? await deps.objects.read('PersistentVolumeClaim', key) : settled;
  // It has gone meanwhile, and nobody else knows that it had a volume.
  if (now === null) for (const volume of taken) await settleVolume(volume, deps);
  return now;
}

async function tryToSettle(
  stored: StoredObject,
  taken: Set<string>,
  deps: StorageDeps,
): Promise<StoredObject | 'conflict'> {
  const seen = await seeStorage(deps);
  const claim = claimIn(stored.document);
  const binding = bindingOf(claim, seen, deps);
  if (binding.kind === 'stay') {
    const waiting = waitingClaim(claim, binding.phase, binding.className);
    return writeClaim(stored, withNews(waiting, binding.news, deps.clock.now()), deps);
  }
  const volume =
    binding.kind === 'bind'
      ? await takeVolume(stored, seen.volumes.get(binding.volume.metadata.name), deps)
      : await makeVolume(stored, binding.storageClass, deps);
  if (volume === 'conflict') return 'conflict';
  taken.add(volume.metadata.name);
  const owner = folderOwnerOf(volume);
  if (owner !== null) await deps.ports.volumeFolders?.make(owner);
  const bound = boundClaim(claim, volume, binding.className);
  return writeClaim(
    stored,
    withNews(bound, owner === null || bound === claim ? null : made(volume), deps.clock.now()),
    deps,
  );
}

const made = ({ metadata: { name } }: Volume): News => ({
  type: 'Normal',
  reason: 'ProvisioningSucceeded',
  message: `Successfully provisioned volume ${name}`,
});

async function takeVolume(
  claim: StoredObject,
  found: StoredObject | undefined,
  { objects, clock }: StorageDeps,
): Promise<Volume | 'conflict'> {
  if (found === undefined) return 'conflict';
  const volume = volumeIn(found.document);
  const bound = boundVolume(volume, claimIn(claim.document), claim.version, clock.now());
  if (bound === volume) return volume;
  const committed = await objects.commit('PersistentVolume', { key: found.key, was: found.version, document: bound });
  return committed.kind === 'committed' ? bound : 'conflict';
}

/** The volume says where its folder is before there is one, so that no folder is forgotten. */
async function makeVolume(
  stored: StoredObject,
  storageClass: StorageClass,
  { objects, clock, ports: { volumeFolders } }: StorageDeps,
): Promise<Volume | 'conflict'> {
  if (volumeFolders === undefined) return 'conflict';
  const claim = claimIn(stored.document);
  const { namespace, name, uid } = claim.metadata;
  const path = folderPath(volumeFolders.root, { namespace, name, uid });
  const volume = volumeForClaim(claim, storageClass, { path, version: stored.version, now: clock.now() });
  const key = { namespace: '', name: volume.metadata.name };
  const committed = await objects.commit('PersistentVolume', { key, was: 0, document: volume });
  return committed.kind === 'committed' ? volume : 'conflict';
}

async function writeClaim(
  stored: StoredObject,
  next: Claim,
  { objects }: StorageDeps,
): Promise<StoredObject | 'conflict'> {
  if (next === stored.document) return stored;
  const committed = await objects.commit('PersistentVolumeClaim', {
    key: stored.key,
    was: stored.version,
    document: next,
  });
  return committed.kind === 'committed' ? { ...stored, version: committed.version, document: next } : 'conflict';
}
