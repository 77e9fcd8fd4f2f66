import * as z from 'zod';
import { FOREGROUND_DELETION } from '../domain/job.ts';
import type { ObjectMeta, OwnerReference } from '../domain/manifest.ts';
import { qualifiedNameFaults } from './dns-names.ts';
import { type Fault, forbidden, invalid } from './fault.ts';
import { flag, opt, text, texts } from './json-fields.ts';
import { metadataShape } from './pod-shape.ts';
import { refusedValue } from './refused-fields.ts';

const ownerReference = z.strictObject({
  apiVersion: text,
  kind: text,
  name: text,
  uid: text,
  controller: flag,
  blockOwnerDeletion: flag,
});

/** The metadata of an object that is stored, where a Pod template's has no owners and no finalizers. */
export const objectMetadataShape = metadataShape.extend({
  finalizers: texts,
  ownerReferences: opt(z.array(ownerReference)),
});

export type ObjectMetadataShape = z.output<typeof objectMetadataShape>;

/** What is stored of it beside name, namespace, labels and annotations; nothing where it says nothing. */
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
export function tieFaults(
  path: string,
  { finalizers = [], ownerReferences = [] }: Pick<ObjectMeta, 'finalizers' | 'ownerReferences'>,
): readonly Fault[] {
  return [
    ...ownerFaults(`${path}.ownerReferences`, ownerReferences),
    ...finalizerFaults(`${path}.finalizers`, finalizers),
  ];
}

function ownerFaults(path: string, owners: readonly OwnerReference[]): readonly Fault[] {
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
export const finalizerNameFaults = (path: string, finalizers: readonly string[]): readonly Fault[] =>
  finalizers.flatMap((finalizer, i) => nameFaults(`${path}[${i}]`, `${path}[${i}]`, finalizer));

/** @param path of the name itself; what is wrong with its letters is told of `of` */
function nameFaults(of: string, path: string, finalizer: string): readonly Fault[] {
  const faults = qualifiedNameFaults(finalizer).map((fault) => invalid(of, finalizer, fault));
  if (faults.length > 0 || finalizer.includes('/') || STANDARD.includes(finalizer)) return faults;
  return [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
}

function finalizerFaults(path: string, finalizers: readonly string[]): readonly Fault[] {
  return finalizers.flatMap((finalizer, i) => {
    const own = `${path}[${i}]`;
    if (finalizer === ORPHAN) return [refusedValue(own, 'leave it out: what an object has made goes with it')];
    return nameFaults(path, own, finalizer);
  });
}

/** An object that is being deleted can lose finalizers, but not gain any. */
export function addedFinalizerFaults(
  path: string,
  { finalizers = [] }: Pick<ObjectMeta, 'finalizers'>,
  before: readonly string[],
): readonly Fault[] {
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
