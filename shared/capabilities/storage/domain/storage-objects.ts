import { parseQuantity } from '../../../domain/base/quantity.ts';
import type { LabelSelector } from '../../../domain/manifests/manifest.ts';

// What is read of stored documents: what is stored as a kind was admitted as one.

type Metadata = {
  readonly name: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
} & Readonly<Record<string, unknown>>;

export type AccessMode = 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod';

type Stored = Readonly<Record<string, unknown>>;

/** The claim that a volume is for. `uid` is missing where a user has written it. */
export type ClaimRef = {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
} & Stored;

export type CsiSource = {
  readonly driver: string;
  readonly volumeHandle: string;
  readonly readOnly?: boolean;
  readonly volumeAttributes?: Readonly<Record<string, string>>;
};
export type NfsSource = { readonly server: string; readonly path: string; readonly readOnly?: boolean };
type PathSource = { readonly path: string; readonly type?: string };

export type VolumeSpec = {
  readonly capacity: { readonly storage: string };
  readonly accessModes: readonly AccessMode[];
  readonly persistentVolumeReclaimPolicy: 'Retain' | 'Delete';
  readonly storageClassName?: string;
  readonly mountOptions?: readonly string[];
  readonly claimRef?: ClaimRef;
  readonly csi?: CsiSource;
  readonly nfs?: NfsSource;
  readonly hostPath?: PathSource;
  readonly local?: PathSource;
} & Stored;

export type VolumePhase = 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed';

export type Volume = {
  readonly metadata: Metadata;
  readonly spec: VolumeSpec;
  readonly status: { readonly phase: VolumePhase; readonly message?: string } & Stored;
} & Stored;

export type ClaimPhase = 'Pending' | 'Bound' | 'Lost';

export type Claim = {
  readonly metadata: Metadata & { readonly namespace: string };
  readonly spec: {
    readonly accessModes: readonly AccessMode[];
    readonly resources: { readonly requests: { readonly storage: string } };
    readonly storageClassName?: string;
    readonly volumeName?: string;
    readonly selector?: LabelSelector;
  } & Stored;
  readonly status: { readonly phase: ClaimPhase } & Stored;
} & Stored;

export type StorageClass = {
  readonly metadata: Metadata;
  readonly provisioner: string;
  readonly reclaimPolicy: 'Retain' | 'Delete';
  readonly mountOptions?: readonly string[];
};

export const volumeIn = (document: Stored): Volume => document as Volume;
export const claimIn = (document: Stored): Claim => document as Claim;
export const classIn = (document: Stored): StorageClass => document as unknown as StorageClass;

/** Bytes, of what was admitted as a quantity. */
export const bytesOf = (quantity: string): number => parseQuantity(quantity) ?? 0;

/** What Kubernetes notes on volumes and claims. */
export const NOTED = {
  /** Both sides of the binding are written. */
  complete: 'pv.kubernetes.io/bind-completed',
  /** Nobody had asked for just this volume, or kept it for just this claim. */
  byController: 'pv.kubernetes.io/bound-by-controller',
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  defaultClass: 'storageclass.kubernetes.io/is-default-class',
  /** Where the class was said before there was a field for it. */
  olderClass: 'volume.beta.kubernetes.io/storage-class',
} as const;

export const YES = 'yes';

/** Makes volumes that are folders of this machine. */
export const LOCAL_FOLDER = 'muster.run/local-folder';

/** As Kubernetes' provisioners name what they make. */
export const nameOfVolumeFor = (uid: string): string => `pvc-${uid}`;

/**
 * The claim whose folder a volume is; null: it is not one that Muster has made. Anybody may write the annotation, but a name is one
 * volume's, so no other volume can stand for the claim's folder.
 */
export function folderOwnerOf({ metadata, spec: { claimRef } }: Volume): FolderClaim | null {
  if (metadata.annotations?.[NOTED.provisionedBy] !== LOCAL_FOLDER || claimRef?.uid === undefined) return null;
  const { namespace, name, uid } = claimRef;
  const owner = { namespace, name, uid };
  return hasPlainNames(owner) && metadata.name === nameOfVolumeFor(uid) ? owner : null;
}

/** Whether its names are parts of a path, and never steps in it: names of DNS, and UUIDs are. */
export const hasPlainNames = ({ namespace, name, uid }: FolderClaim): boolean =>
  [namespace, name, uid].every((part) => PLAIN.test(part));

const PLAIN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Where the folder of a claim is. */
export const folderPath = (root: string, { namespace, name, uid }: FolderClaim): string =>
  `${root}/${namespace}/${name}-${uid}`;

/** A claim for which a folder is made. */
export type FolderClaim = { readonly namespace: string; readonly name: string; readonly uid: string };

/** The class that is named, '' if none is to be; null: nothing is said. */
export const classNameOf = ({ metadata, spec }: Claim): string | null =>
  metadata.annotations?.[NOTED.olderClass] ?? spec.storageClassName ?? null;

export const classOfVolume = ({ metadata, spec }: Volume): string =>
  metadata.annotations?.[NOTED.olderClass] ?? spec.storageClassName ?? '';

/** Whether a volume is kept for this claim. */
export const isFor = ({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean =>
  claimRef !== undefined &&
  claimRef.namespace === metadata.namespace &&
  claimRef.name === metadata.name &&
  (claimRef.uid ?? metadata.uid) === metadata.uid;
