/** Any object of the API as it is shown. */
export type KubeObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: KubeMetadata;
  readonly [field: string]: unknown;
};

export type KubeMetadata = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly [field: string]: unknown;
};

export type { ManagedFieldsEntry, OwnerReference } from '../../domain/manifests/manifest.ts';
import type { ManagedFieldsEntry, OwnerReference } from '../../domain/manifests/manifest.ts';
