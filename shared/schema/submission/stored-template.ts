import type { StoredKind } from '../../domain/kinds/api-kinds.ts';
import type { Labels, OwnerReference } from '../../domain/manifests/manifest.ts';
import type { Container } from '../../domain/manifests/pod-spec.ts';

/** A kind whose objects have the template of a Job. */
export type TemplateRow = {
  readonly kind: StoredKind;
  /** Of an object as it is stored. */
  readonly read: (document: {
    readonly metadata: { readonly uid: string; readonly [field: string]: unknown };
  }) => StoredTemplate;
};

/** What a message's Job takes of such an object. */
export type StoredTemplate = TemplateParts & {
  readonly name: string;
  /** The object takes such Jobs along when it is deleted. Its schedule neither counts them nor waits for them. */
  readonly owner: OwnerReference;
};

export type TemplateParts = { readonly labels: Labels; readonly annotations: Labels; readonly spec: TemplateSpec };

/** A Job's spec, as far as a message changes it. */
export type TemplateSpec = {
  readonly template: {
    readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
    readonly spec: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
  };
} & Readonly<Record<string, unknown>>;
