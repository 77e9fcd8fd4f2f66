import * as z from 'zod';
import { parseQuantity } from '../../domain/base/quantity.ts';
import { QUOTA_KEYS, type QuotaKey, amountOf, isQuotaKey } from '../../domain/quota/quota-keys.ts';
import type { ObjectMeta } from '../../domain/spec/manifest.ts';
import { type FieldError, forbidden, invalid, notSupported } from '../object/field-error.ts';
import { known, opt, quantities, text } from '../object/json-fields.ts';
import { annotationErrors, labelErrors } from '../object/metadata-rules.ts';
import { objectMetadataShape, tieErrors, tiesOf } from '../object/object-metadata.ts';
import { nameErrors, nameOf } from '../object/object-name.ts';
import { type ObjectUpdate, identityErrors, isSame } from '../object/object-update.ts';
import {
  type FieldValidation,
  type ReadObject,
  type Undecodable,
  readObject,
  misplacedReading,
} from '../object/read-object.ts';
import { sweep } from '../object/refused-fields.ts';

const specShape = z.strictObject({ hard: quantities, ...known('scopes', 'scopeSelector') });
type SpecShape = z.output<typeof specShape>;

export const QuotaShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(specShape),
  // Nobody sets it here; a client may send back what it has read.
  status: opt(z.strictObject(known('hard', 'used'))),
});
type QuotaShape = z.output<typeof QuotaShape>;

/** A ResourceQuota as users write it. */
export type QuotaManifest = {
  readonly apiVersion: 'v1';
  readonly kind: 'ResourceQuota';
  readonly metadata: ObjectMeta;
  readonly spec: { readonly hard?: Readonly<Record<string, string>> };
};

export type QuotaAdmission =
  | { readonly kind: 'ok'; readonly manifest: QuotaManifest; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/**
 * Admits an external document as a new ResourceQuota (`ValidateResourceQuota`). What is not counted here is refused: a limit that
 * nobody enforces would be worse than none.
 */
export function admitQuota(
  document: unknown,
  context: { readonly namespace: string; readonly nameSuffix: string; readonly fieldValidation: FieldValidation },
): QuotaAdmission {
  const { namespace, nameSuffix, fieldValidation } = context;
  const read = readQuota(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec = NO_SPEC } = read.object;
  const misplaced = misplacedReading(metadata, namespace);
  if (misplaced !== null) return misplaced;
  const name = nameOf(metadata, nameSuffix);
  const errors = [...nameErrors(name, metadata), ...metadataErrors(metadata), ...specErrors(spec)];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const manifest = manifestOf({ name, namespace, generateName: metadata?.generateName ?? '' }, metadata, spec);
  return { kind: 'ok', manifest, warnings: read.warnings };
}

/** Admits a document that replaces a stored ResourceQuota. */
export function admitQuotaUpdate(
  stored: { readonly manifest: QuotaManifest; readonly uid: string },
  document: unknown,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
): ObjectUpdate<QuotaManifest> {
  const read = readQuota(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, spec = NO_SPEC } = read.object;
  const { name, namespace, generateName = '' } = stored.manifest.metadata;
  const errors = [...identityErrors({ metadata }, stored), ...metadataErrors(metadata), ...specErrors(spec)];
  if (errors.length > 0) return { kind: 'invalid', name, errors };
  const manifest = manifestOf({ name, namespace, generateName }, metadata, spec);
  const { managedFields: _managers, ...before } = stored.manifest.metadata;
  const changed = !isSame(manifest.spec, stored.manifest.spec)
    ? 'spec'
    : isSame(before, manifest.metadata)
      ? 'nothing'
      : 'metadata';
  return { kind: 'ok', manifest, warnings: read.warnings, changed };
}

const NO_SPEC: SpecShape = specShape.parse({});

const readQuota = (document: unknown, fieldValidation: FieldValidation): ReadObject<QuotaShape> =>
  readObject(document, fieldValidation, { apiVersion: 'v1', kind: 'ResourceQuota', shape: QuotaShape });

type Metadata = QuotaShape['metadata'];

const metadataErrors = (metadata: Metadata): readonly FieldError[] => [
  ...labelErrors('metadata.labels', metadata?.labels),
  ...annotationErrors('metadata.annotations', metadata?.annotations),
  ...tieErrors('metadata', tiesOf(metadata)),
  ...((metadata?.finalizers ?? []).length === 0
    ? []
    : [forbidden('metadata.finalizers', 'nothing waits for the end of a ResourceQuota; leave them out')]),
];

const scopeErrors = sweep(
  ['scopes', 'scopeSelector'].map((path) => ({ path, instead: 'a quota counts all Jobs of its namespace' })),
);

const specErrors = (spec: SpecShape): readonly FieldError[] => [
  ...Object.entries(spec.hard ?? {}).flatMap(([key, value]) => hardErrors(key, value, spec.hard ?? {})),
  ...scopeErrors('spec', spec),
];

function hardErrors(key: string, value: string, hard: Readonly<Record<string, string>>): readonly FieldError[] {
  const path = `spec.hard[${key}]`;
  if (!isQuotaKey(key)) return [notSupported(path, key, QUOTA_KEYS)];
  const quantity = parseQuantity(value);
  if (quantity === null) return [invalid(path, value, 'write a quantity such as 10, 500m, or 2Gi')];
  if (quantity < 0) return [invalid(path, value, 'must be greater than or equal to 0')];
  if (isCount(key) && !Number.isInteger(quantity)) return [invalid(path, value, 'must be an integer')];
  return limitErrors(path, key, value, hard);
}

const isCount = (key: QuotaKey): boolean => key === 'pods' || key.startsWith('count/');

const LIMITED = { 'limits.cpu': ['requests.cpu', 'cpu'], 'limits.memory': ['requests.memory', 'memory'] } as const;

/** A task gets what it requests, and no more: a limit of its own would count nothing. */
function limitErrors(
  path: string,
  key: QuotaKey,
  value: string,
  hard: Readonly<Record<string, string>>,
): readonly FieldError[] {
  if (key !== 'limits.cpu' && key !== 'limits.memory') return [];
  const [requests, short] = LIMITED[key];
  const requested = hard[requests] ?? hard[short];
  return requested !== undefined && amountOf(key, requested) === amountOf(key, value)
    ? []
    : [invalid(path, value, `must be the same as spec.hard[${requests}]: a task gets what it requests, and no more`)];
}

function manifestOf(
  {
    name,
    namespace,
    generateName,
  }: { readonly name: string; readonly namespace: string; readonly generateName: string },
  metadata: Metadata,
  { hard = {} }: SpecShape,
): QuotaManifest {
  const { labels = {}, annotations = {} } = metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: {
      name,
      namespace,
      ...(generateName === '' ? {} : { generateName }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...tiesOf(metadata),
    },
    spec: Object.keys(hard).length === 0 ? {} : { hard },
  };
}
