import type * as z from 'zod';
import { type ApiKind, apiVersionOf } from '../../domain/kinds/api-kind.ts';
import type { ManagedFieldsEntry, OwnerReference } from '../../domain/manifests/manifest.ts';
import { type FieldError, forbidden } from './field-error.ts';
import { annotationErrors, labelErrors } from './metadata-rules.ts';
import { type ObjectMetadataShape, tieErrors, tiesOf } from './object-metadata.ts';
import { nameOf } from './object-name.ts';
import { type ObjectUpdate, identityErrors, isSame } from './object-update.ts';
import {
  type FieldValidation,
  type ReadObject,
  type Undecodable,
  misplacedReading,
  readObject,
} from './read-object.ts';

/** What every shape has besides the contents of its kind. */
export type PlainShape = {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMetadataShape | undefined;
};

/** A kind whose objects are stored as they are shown, and whose contents users write as a whole. */
export type PlainForm<T extends PlainShape> = {
  readonly resource: ApiKind;
  readonly shape: z.ZodType<T>;
  nameErrors(name: string, metadata: ObjectMetadataShape | undefined): readonly FieldError[];
  contentErrors(object: T): readonly FieldError[];
  /** Faults of a change. `before`: the contents as they are stored. */
  changeErrors(object: T, before: Content): readonly FieldError[];
  /** What users write besides the metadata, with its defaults. */
  contentOf(object: T): Content;
  /** Fields that only the server sets, and what they are in a new object. */
  readonly serverFields: { readonly names: readonly string[]; readonly initially: Content };
  /** Finalizers that mean nothing here, and are left out of what is stored; omitted: none. */
  readonly ignoredFinalizers?: readonly string[];
  /** What the user of a new object should know; omitted: nothing. */
  readonly warnings?: (name: string) => readonly string[];
};

/** Nothing but what users write. */
export const NO_SERVER_FIELDS: PlainForm<PlainShape>['serverFields'] = { names: [], initially: {} };

export type Content = Readonly<Record<string, unknown>>;

export type PlainMetadata = {
  readonly name: string;
  /** Omitted for a kind that is in no namespace. */
  readonly namespace?: string;
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
};

/** An object as it was admitted. */
export type PlainManifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: PlainMetadata;
  readonly content: Content;
};

export type PlainAdmission =
  | { readonly kind: 'ok'; readonly manifest: PlainManifest; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/** Admits an external document as a new object of this form. */
export function admitPlain<T extends PlainShape>(
  form: PlainForm<T>,
  document: unknown,
  context: { readonly namespace: string; readonly nameSuffix: string; readonly fieldValidation: FieldValidation },
): PlainAdmission {
  const { namespace, nameSuffix, fieldValidation } = context;
  const read = readPlain(form, document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata } = read.object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const errors = [
    ...form.nameErrors(name, metadata),
    ...metadataErrors(form, metadata),
    ...form.contentErrors(read.object),
  ];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const at = { name, namespace, generateName: metadata?.generateName ?? '' };
  const warnings = [...read.warnings, ...(form.warnings?.(name) ?? [])];
  return { kind: 'ok', manifest: manifestOf(form, at, read.object), warnings };
}

/** Admits a document that replaces a stored object of this form. */
export function admitPlainUpdate<T extends PlainShape>(
  form: PlainForm<T>,
  stored: { readonly manifest: PlainManifest; readonly uid: string },
  document: unknown,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
): ObjectUpdate<PlainManifest> {
  const read = readPlain(form, document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata } = read.object;
  const { name, namespace = '', generateName = '' } = stored.manifest.metadata;
  const errors = [
    ...identityErrors({ metadata }, { manifest: { metadata: { name, namespace } }, uid: stored.uid }),
    ...metadataErrors(form, metadata),
    ...form.contentErrors(read.object),
    ...form.changeErrors(read.object, stored.manifest.content),
  ];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const manifest = manifestOf(form, { name, namespace, generateName }, read.object);
  const { managedFields: _managers, ...before } = stored.manifest.metadata;
  const changed = !isSame(manifest.content, stored.manifest.content)
    ? 'spec'
    : isSame(before, manifest.metadata)
      ? 'nothing'
      : 'metadata';
  return { kind: 'ok', manifest, warnings: read.warnings, changed };
}

/** An object that is in no namespace loses the one that its document names, as in Kubernetes: charts write one. */
function readPlain<T extends PlainShape>(
  { resource, shape }: PlainForm<T>,
  document: unknown,
  fieldValidation: FieldValidation,
): ReadObject<T> {
  const { kind, isNamespaced } = resource;
  const read = readObject(document, fieldValidation, { apiVersion: apiVersionOf(resource), kind, shape });
  if (read.kind === 'undecodable' || isNamespaced || read.object.metadata === undefined) return read;
  return { ...read, object: { ...read.object, metadata: { ...read.object.metadata, namespace: undefined } } };
}

const metadataErrors = (
  { resource: { kind }, ignoredFinalizers = [] }: Pick<PlainForm<PlainShape>, 'resource' | 'ignoredFinalizers'>,
  metadata: ObjectMetadataShape | undefined,
): readonly FieldError[] => [
  ...labelErrors('metadata.labels', metadata?.labels),
  ...annotationErrors('metadata.annotations', metadata?.annotations),
  ...tieErrors('metadata', tiesOf(metadata)),
  ...((metadata?.finalizers ?? []).every((finalizer) => ignoredFinalizers.includes(finalizer))
    ? []
    : [forbidden('metadata.finalizers', `nothing waits for the end of a ${kind}; leave them out`)]),
];

function manifestOf<T extends PlainShape>(
  form: PlainForm<T>,
  {
    name,
    namespace,
    generateName,
  }: { readonly name: string; readonly namespace: string; readonly generateName: string },
  object: T,
): PlainManifest {
  const { kind, isNamespaced } = form.resource;
  const { labels = {}, annotations = {} } = object.metadata ?? {};
  return {
    apiVersion: apiVersionOf(form.resource),
    kind,
    metadata: {
      name,
      ...(isNamespaced ? { namespace } : {}),
      ...(generateName === '' ? {} : { generateName }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      // Those that nothing heeds are left out; all others have been refused.
      ...tiesOf({ finalizers: undefined, ownerReferences: object.metadata?.ownerReferences }),
    },
    content: form.contentOf(object),
  };
}
