import type { ObjectMeta } from '../../domain/spec/manifest.ts';
import { type FieldError, invalid } from './field-error.ts';
import { meaningOf } from './kept-fields.ts';
import type { Undecodable } from './read-object.ts';

/** How much an update changes. The generation counts only changes of the spec. */
export type Extent = 'nothing' | 'metadata' | 'spec';

/** The result of an update with a whole document. */
export type ObjectUpdate<M> =
  | {
      readonly kind: 'ok';
      readonly manifest: M;
      readonly warnings: readonly string[];
      readonly changed: Extent;
    }
  /** Readable but invalid, or a change that is not allowed (422), with all faults. */
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/** What a document has as its name. A client may have sent anything. */
type Named = { readonly name?: unknown; readonly namespace?: unknown; readonly uid?: unknown };
type Manifest = { readonly metadata: ObjectMeta; readonly spec: object };

/** How much of `old` differs in `next`, without managedFields. */
export function extentOf(type: 'JobSpec' | 'CronJobSpec', old: Manifest, next: Manifest): Extent {
  if (!isSame(meaningOf(type, old.spec), meaningOf(type, next.spec))) return 'spec';
  const { managedFields: _, ...before } = old.metadata;
  return isSame(before, next.metadata) ? 'nothing' : 'metadata';
}

/** A client may omit what the server fills in, but not the name. */
export function identityErrors(
  { metadata }: { readonly metadata?: Named | null | undefined },
  { manifest, uid }: { readonly manifest: { readonly metadata: ObjectMeta }; readonly uid: string },
): readonly FieldError[] {
  const { name, namespace } = manifest.metadata;
  return [
    ...immutableErrors('metadata.name', metadata?.name ?? '', name),
    ...immutableErrors('metadata.namespace', orStored(metadata?.namespace, namespace), namespace),
    ...immutableErrors('metadata.uid', orStored(metadata?.uid, uid), uid),
  ];
}

const orStored = (given: unknown, stored: string): unknown =>
  given === undefined || given === null || given === '' ? stored : given;

/** The fault of an immutable field if `value` is not equal to `old`. */
export function immutableErrors(path: string, value: unknown, old: unknown): readonly FieldError[] {
  return isSame(value, old) ? [] : [invalid(path, value ?? null, 'field is immutable')];
}

/** Compares as Kubernetes does: an empty list or map equals a missing one, and the order of keys does not matter. */
export const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => canonical(item) ?? null);
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, canonical(inner)] as const)
    .filter(([, inner]) => inner !== undefined && !isEmpty(inner))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
