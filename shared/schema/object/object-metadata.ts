import * as z from 'zod';
import { FOREGROUND_DELETION } from '../../domain/manifests/job.ts';
import type { Labels, ObjectMeta, OwnerReference } from '../../domain/manifests/manifest.ts';
import { qualifiedNameErrors } from './dns-names.ts';
import { type FieldError, forbidden, invalid } from './field-error.ts';
import { flag, opt, text, texts } from './json-fields.ts';
import { metadataShape } from './metadata-shape.ts';
import { refusedValue } from './refused-fields.ts';

const ownerReference = z.strictObject({
  apiVersion: text,
  kind: text,
  name: text,
  uid: text,
  controller: flag,
  blockOwnerDeletion: flag,
});

/** The metadata of a stored object. Unlike a Pod template's, it may have owners and finalizers. */
export const objectMetadataShape = metadataShape.extend({
  finalizers: texts,
  ownerReferences: opt(z.array(ownerReference)),
});

export type ObjectMetadataShape = z.output<typeof objectMetadataShape>;

/** Labels and annotations, without empty ones. */
export const labelParts = ({
  labels = {},
  annotations = {},
}: {
  readonly labels?: Labels | undefined;
  readonly annotations?: Labels | undefined;
} = {}): Pick<ObjectMeta, 'labels' | 'annotations'> => ({
  ...(Object.keys(labels).length === 0 ? {} : { labels }),
  ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
});

/** Owners and finalizers, as they are stored. Omits empty ones. */
export function tiesOf(
  metadata: Pick<ObjectMetadataShape, 'finalizers' | 'ownerReferences'> | undefined,
): Pick<ObjectMeta, 'finalizers' | 'ownerReferences'> {
  const { finalizers = [], ownerReferences = [] } = metadata ?? {};
  return {
    ...(ownerReferences.length === 0 ? {} : { ownerReferences: ownerReferences.map(ownerOf) }),
    ...(finalizers.length === 0 ? {} : { finalizers: [...new Set(finalizers)] }),
  };
}

const ownerOf = ({
  apiVersion = '',
  kind = '',
  name = '',
  uid = '',
  controller,
  blockOwnerDeletion,
}: z.output<typeof ownerReference>): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  ...(controller === undefined ? {} : { controller }),
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
});

/** Kubernetes' rules for owners and finalizers (`ValidateObjectMeta`). */
export function tieErrors(
  path: string,
  { finalizers = [], ownerReferences = [] }: Pick<ObjectMeta, 'finalizers' | 'ownerReferences'>,
): readonly FieldError[] {
  return [
    ...ownerErrors(`${path}.ownerReferences`, ownerReferences),
    ...finalizerErrors(`${path}.finalizers`, finalizers),
  ];
}

function ownerErrors(path: string, owners: readonly OwnerReference[]): readonly FieldError[] {
  const controllers = owners.filter(({ controller }) => controller === true);
  const [first, second] = controllers;
  return [
    ...owners.flatMap((owner) => {
      const version = owner.apiVersion.split('/').at(-1) ?? '';
      return [
        ...(version === '' ? [invalid(`${path}.apiVersion`, owner.apiVersion, 'version must not be empty')] : []),
        ...(['kind', 'name', 'uid'] as const).flatMap((field) =>
          owner[field] === '' ? [invalid(`${path}.${field}`, owner[field], 'must not be empty')] : [],
        ),
      ];
    }),
    ...(first === undefined || second === undefined
      ? []
      : [
          invalid(
            path,
            owners,
            `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`,
          ),
        ]),
  ];
}

const ORPHAN = 'orphan';
/** The finalizers that need no domain. */
const STANDARD: readonly string[] = [FOREGROUND_DELETION, ORPHAN, 'kubernetes'];

/** Kubernetes' rules for the names in a namespace's spec (`ValidateNamespaceFinalizeUpdate`). */
export const finalizerNameErrors = (path: string, finalizers: readonly string[]): readonly FieldError[] =>
  finalizers.flatMap((finalizer, i) => nameErrors(`${path}[${i}]`, `${path}[${i}]`, finalizer));

/** @param path the path of the name itself. Faults in its characters are reported for `of`. */
function nameErrors(of: string, path: string, finalizer: string): readonly FieldError[] {
  const errors = qualifiedNameErrors(finalizer).map((fieldError) => invalid(of, finalizer, fieldError));
  if (errors.length > 0 || finalizer.includes('/') || STANDARD.includes(finalizer)) return errors;
  return [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
}

function finalizerErrors(path: string, finalizers: readonly string[]): readonly FieldError[] {
  return finalizers.flatMap((finalizer, i) => {
    const own = `${path}[${i}]`;
    if (finalizer === ORPHAN) return [refusedValue(own, 'leave it out: dependents are deleted with their owner')];
    return nameErrors(path, own, finalizer);
  });
}

/** An object that is being deleted can lose finalizers, but not gain any. */
export function addedFinalizerErrors(
  path: string,
  { finalizers = [] }: Pick<ObjectMeta, 'finalizers'>,
  before: readonly string[],
): readonly FieldError[] {
  const added = finalizers.filter((finalizer) => !before.includes(finalizer)).toSorted();
  return added.length === 0
    ? []
    : [
        forbidden(
          `${path}.finalizers`,
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((each) => JSON.stringify(each)).join(', ')}}`,
        ),
      ];
}
