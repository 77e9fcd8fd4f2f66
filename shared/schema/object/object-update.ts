import type { ObjectMeta } from '../../domain/manifests/manifest.ts';
import { differences } from './differences.ts';
import { type FieldError, VALUE_CHARS_MAX, invalid } from './field-error.ts';
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

/** How much of `old` differs in `next`, without managedFields. `type`: of the spec, in the table of shapes. */
export function extentOf(type: string, old: Manifest, next: Manifest): Extent {
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

/**
 * The fault of an immutable field if `value` is not equal to `old`.
 *
 * @param remedy what to do instead, for a value that does not show by itself what differs; '': nothing helps
 */
export function immutableErrors(path: string, value: unknown, old: unknown, remedy = ''): readonly FieldError[] {
  return isSame(value, old) ? [] : [invalid(path, value ?? null, immutableText(path, value, old, remedy))];
}

/** The remedy for a Job: what it runs does not change. */
export const RUN_ANEW = 'to run it, delete the Job first, as muster run -f FILE --replace does';

/** What differs, what to do, and Kubernetes' own words at the end: clients look for them. */
export function immutableText(path: string, value: unknown, old: unknown, remedy: string): string {
  const what = whatDiffers(path, canonical(value), canonical(old));
  const words = what === '' || remedy === '' ? what : `${what}; ${remedy}`;
  return words === '' ? 'field is immutable' : `${words}: field is immutable`;
}

/** '': an answer that shows the value shows it all. */
function whatDiffers(path: string, value: unknown, old: unknown): string {
  if (typeof value === 'string' && typeof old === 'string')
    return value.length < VALUE_CHARS_MAX ? '' : `it differs from character ${sameLength(value, old) + 1} on`;
  const paths = differences(value, old, path);
  if (paths[0] === undefined || paths[0] === path) return '';
  return `${paths.join(', ')} ${paths.length === 1 ? 'differs' : 'differ'}`;
}

/** How many characters two texts begin with alike. */
function sameLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
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
