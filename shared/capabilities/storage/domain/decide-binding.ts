import { comesBefore } from '../../../domain/base/text-order.ts';
import { meetsRequirement } from '../../../domain/manifests/label-requirement.ts';
import {
  type Claim,
  type ClaimPhase,
  LOCAL_FOLDER,
  NOTED,
  type StorageClass,
  type Volume,
  bytesOf,
  classNameOf,
  classOfVolume,
  isFor,
} from './storage-objects.ts';

/** Something that a claim's Events say. */
export type News = { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };

/** Where claims are: a machine whose folders are volumes, or AWS, where nothing makes a volume. */
export type Place = 'machine' | 'aws';

/** What is to be done with a claim. `className`: what it is to say as its class; null: as it does. */
export type Binding = { readonly className: string | null } & (
  | { readonly kind: 'bind'; readonly volume: Volume }
  /** A volume is to be made for it. */
  | { readonly kind: 'provision'; readonly storageClass: StorageClass }
  | { readonly kind: 'stay'; readonly phase: ClaimPhase; readonly news: News | null }
);

/**
 * What becomes of a claim (`syncUnboundClaim` and `syncBoundClaim` of Kubernetes' persistentvolume controller): the same for the same
 * objects, for a request and for the sweep. A volume that others take meanwhile is seen when it is written.
 */
export function decideBinding(
  claim: Claim,
  volumes: readonly Volume[],
  classes: readonly StorageClass[],
  place: Place,
): Binding {
  const said = classNameOf(claim);
  const className = said === null ? (defaultClass(classes)?.metadata.name ?? null) : null;
  if (claim.metadata.annotations?.[NOTED.complete] !== undefined) return ofBound(claim, volumes);
  const wanted = said ?? className ?? '';
  const { volumeName = '' } = claim.spec;
  return {
    className,
    ...(volumeName === '' ? ofAny(claim, wanted, volumes, classes, place) : ofNamed(claim, wanted, volumes)),
  };
}

type Rest<B> = B extends Binding ? Omit<B, 'className'> : never;

const stay = (phase: ClaimPhase, news: News | null = null) => ({ kind: 'stay', phase, news }) as const;
const warning = (reason: string, message: string): News => ({ type: 'Warning', reason, message });

/** A claim that was bound once: it never gets another volume. */
function ofBound(claim: Claim, volumes: readonly Volume[]): Binding {
  const { volumeName = '' } = claim.spec;
  const volume = volumes.find(({ metadata }) => metadata.name === volumeName);
  const kept = { className: null };
  if (volume === undefined) {
    const what = volumeName === '' ? 'reference to PersistentVolume' : 'its PersistentVolume';
    const message = `Bound claim has lost ${what}. Data on the volume is lost!`;
    return { ...kept, ...stay('Lost', warning('ClaimLost', message)) };
  }
  const { claimRef } = volume.spec;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { ...kept, kind: 'bind', volume };
  const message = 'Two claims are bound to the same volume, this one is bound incorrectly';
  return { ...kept, ...stay('Lost', warning('ClaimMisbound', message)) };
}

/** A claim of just this volume. */
function ofNamed(claim: Claim, className: string, volumes: readonly Volume[]): Rest<Binding> {
  const volume = volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
  if (volume === undefined) return stay('Pending');
  const { name } = volume.metadata;
  if (volume.spec.claimRef === undefined) {
    const why = mismatch(claim, className, volume);
    return why === null
      ? { kind: 'bind', volume }
      : stay('Pending', warning('VolumeMismatch', `Cannot bind to requested volume ${JSON.stringify(name)}: ${why}`));
  }
  if (isFor(volume, claim)) return { kind: 'bind', volume };
  const message = `volume ${JSON.stringify(name)} already bound to a different claim.`;
  return stay('Pending', warning('FailedBinding', message));
}

/** In Kubernetes' words and order (`checkVolumeSatisfyClaim`); null: it fits. */
function mismatch(claim: Claim, className: string, volume: Volume): string | null {
  if (!isLargeEnough(claim, volume)) return 'requested PV is too small';
  if (classOfVolume(volume) !== className) return 'storageClassName does not match';
  return hasModes(claim, volume) ? null : 'incompatible accessMode';
}

const isLargeEnough = (claim: Claim, { spec }: Volume): boolean =>
  bytesOf(spec.capacity.storage) >= bytesOf(claim.spec.resources.requests.storage);

const hasModes = (claim: Claim, { spec }: Volume): boolean =>
  claim.spec.accessModes.every((mode) => spec.accessModes.includes(mode));

const NOTHING_FITS: News = {
  type: 'Normal',
  reason: 'FailedBinding',
  message: 'no persistent volumes available for this claim and no storage class is set',
};

function ofAny(
  claim: Claim,
  className: string,
  volumes: readonly Volume[],
  classes: readonly StorageClass[],
  place: Place,
): Rest<Binding> {
  const volume = bestVolume(claim, className, volumes);
  if (volume !== null) return { kind: 'bind', volume };
  if (className === '') return stay('Pending', NOTHING_FITS);
  const storageClass = classes.find(({ metadata }) => metadata.name === className);
  if (storageClass === undefined)
    return unprovisioned(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
  const { provisioner } = storageClass;
  if (provisioner === LOCAL_FOLDER && place === 'machine') return { kind: 'provision', storageClass };
  return unprovisioned(
    provisioner === NO_PROVISIONER ? `no volume plugin matched name: ${provisioner}` : whyNone(provisioner, place),
  );
}

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

const unprovisioned = (message: string) => stay('Pending', warning('ProvisioningFailed', message));

const whyNone = (provisioner: string, place: Place): string =>
  place === 'aws'
    ? `Muster makes no volumes for provisioner ${JSON.stringify(provisioner)}, as nothing does for Pods on Fargate: create a PersistentVolume whose spec.csi names a file system of EFS (driver efs.csi.aws.com, volumeHandle fs-...), with the storageClassName of this claim`
    : `Muster makes no volumes for provisioner ${JSON.stringify(provisioner)} on this machine: name a StorageClass of provisioner ${LOCAL_FOLDER}, or create a PersistentVolume with the storageClassName of this claim`;

/**
 * The volume that fits best (`findBestMatchForClaim`): one that is kept for the claim, or else the one with the fewest access modes
 * beyond those asked for, then the smallest. null: none.
 */
function bestVolume(claim: Claim, className: string, volumes: readonly Volume[]): Volume | null {
  const fitting = volumes.filter((volume) => mismatch(claim, className, volume) === null);
  const kept = fitting.find((volume) => isFor(volume, claim));
  if (kept !== undefined) return kept;
  const free = fitting.filter((volume) => isFree(volume) && isSelected(claim, volume));
  return free.toSorted(compareVolumes)[0] ?? null;
}

const isFree = ({ spec, status }: Volume): boolean => spec.claimRef === undefined && status.phase === 'Available';

function isSelected({ spec: { selector } }: Claim, { metadata: { labels = {} } }: Volume): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every((requirement) => meetsRequirement(requirement, labels))
  );
}

const compareVolumes = (a: Volume, b: Volume): number =>
  a.spec.accessModes.length - b.spec.accessModes.length ||
  bytesOf(a.spec.capacity.storage) - bytesOf(b.spec.capacity.storage) ||
  (comesBefore(a.metadata.name, b.metadata.name) ? -1 : 1);

/** The class of claims that name none: the newest that says so; of two of one age, the first by name. */
function defaultClass(classes: readonly StorageClass[]): StorageClass | null {
  const age = ({ metadata }: StorageClass): string => String(metadata['creationTimestamp']);
  const all = classes.filter(({ metadata }) => metadata.annotations?.[NOTED.defaultClass] === 'true');
  const newest = all.toSorted((a, b) =>
    age(a) === age(b) ? (comesBefore(a.metadata.name, b.metadata.name) ? -1 : 1) : age(a) > age(b) ? -1 : 1,
  );
  return newest[0] ?? null;
}
