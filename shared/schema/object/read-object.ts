import type * as z from 'zod';
import { isConfidential } from '../../domain/kinds/api-kinds.ts';
import { REDACTED, briefly, fieldPath, firstFaults } from './field-error.ts';
import { illegalByteOf } from './json-fields.ts';
import { comparePaths } from './stray-fields.ts';

/** How to treat a field that Kubernetes does not know: an error, a warning, or nothing. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export type Problem = { readonly path: string; readonly message: string };

/** Not readable as an object of this kind (400). */
export type Undecodable = {
  readonly kind: 'undecodable';
  readonly message: string;
  readonly problems: readonly Problem[];
};

export type ReadObject<T> =
  | { readonly kind: 'read'; readonly object: T; readonly warnings: readonly string[] }
  | Undecodable;

/** The kind of object that an address accepts. */
export type ObjectForm<T> = {
  /** `batch/v1` */
  readonly apiVersion: string;
  readonly kind: string;
  /** Every field that Kubernetes has. Any other field is a spelling mistake. */
  readonly shape: z.ZodType<T>;
};

/** Reads an external document as an object of that shape, without judging its values. */
export function readObject<T extends { readonly apiVersion?: string | undefined; readonly kind?: string | undefined }>(
  document: unknown,
  fieldValidation: FieldValidation,
  form: ObjectForm<T>,
): ReadObject<T> {
  const decoded = decode(document, form);
  if (decoded.kind === 'undecodable') return unreadable(form, decoded.problems, '', decoded.more);
  const { object, unknownFields } = decoded;
  const foreign = foreignKind(object, form);
  if (foreign !== null) return refusedReading(foreign);
  const unknown = unknownFields.map((path) => ({ path, message: `unknown field ${JSON.stringify(path)}` }));
  if (unknown.length > 0 && fieldValidation === 'Strict') return unreadable(form, unknown, 'strict decoding error: ');
  return { kind: 'read', object, warnings: fieldValidation === 'Warn' ? unknown.map(({ message }) => message) : [] };
}

const refusedReading = (message: string, problems: readonly Problem[] = []): Undecodable => ({
  kind: 'undecodable',
  message,
  problems,
});

/**
 * The answer for a new object that is meant for another namespace than that of the request, or that says which version it has: a
 * server gives versions. null: neither is so.
 */
export function misplacedReading(
  metadata: { readonly namespace?: string | undefined; readonly resourceVersion?: string | undefined } | undefined,
  namespace: string,
): Undecodable | null {
  if ((metadata?.namespace ?? '') !== '' && metadata?.namespace !== namespace)
    return refusedReading('the namespace of the provided object does not match the namespace sent on the request');
  if ((metadata?.resourceVersion ?? '') === '') return null;
  const message = 'should not be set on objects to be created';
  return refusedReading(`resourceVersion ${message}`, [{ path: 'metadata.resourceVersion', message }]);
}

/**
 * The answer for an object that is not readable as its kind, with the first hundred reasons.
 *
 * @param others how many reasons there are beside `problems`
 */
export function unreadable(
  { apiVersion, kind }: Pick<ObjectForm<unknown>, 'apiVersion' | 'kind'>,
  problems: readonly Problem[],
  why = '',
  others = 0,
): Undecodable {
  const { told, more: left } = firstFaults(problems);
  const more = left + others;
  const brief = told.map(({ path, message }) => ({ path: briefly(path), message: briefly(message) }));
  const words = [...brief.map(({ message }) => message), ...(more > 0 ? [`and ${more} more`] : [])];
  return refusedReading(
    `${kind} in version ${JSON.stringify(versionOf(apiVersion))} cannot be handled as a ${kind}: ${why}${words.join(', ')}`,
    brief,
  );
}

const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);

/** Absent kind and apiVersion are taken from the address, as Kubernetes does. */
function foreignKind(
  object: { readonly apiVersion?: string | undefined; readonly kind?: string | undefined },
  form: ObjectForm<unknown>,
): string | null {
  const apiVersion = object.apiVersion ?? form.apiVersion;
  const kind = object.kind ?? form.kind;
  if ((apiVersion === form.apiVersion || apiVersion === '') && (kind === form.kind || kind === '')) return null;
  if (isConfidential(form.kind))
    return `another kind cannot be handled as a ${form.kind}: only "${form.kind}" of "${form.apiVersion}" is accepted here`;
  return `${kind} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${form.kind}: no kind "${kind}" is accepted here, only "${form.kind}" of "${form.apiVersion}"`;
}

type Decoded<T> =
  | { readonly kind: 'decoded'; readonly object: T; readonly unknownFields: readonly string[] }
  /** `more`: wrong types that are not among the problems. */
  | { readonly kind: 'undecodable'; readonly problems: readonly Problem[]; readonly more: number };

/** Lists, by name, and drops unknown fields. The caller decides whether they are errors. */
function decode<T>(document: unknown, { shape, kind }: ObjectForm<T>): Decoded<T> {
  const strict = shape.safeParse(document);
  if (strict.success) return { kind: 'decoded', object: strict.data, unknownFields: [] };
  const unknown: (readonly PropertyKey[])[] = [];
  const wrong: z.core.$ZodIssue[] = [];
  for (const issue of strict.error.issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) unknown.push([...issue.path, key]);
    else wrong.push(issue);
  }
  const unknownFields = unknown.sort(comparePaths).map((path) => fieldPath(path));
  if (wrong.length > 0) {
    // Words cost more than faults, of which there may be 100,000.
    const { told, more } = firstFaults(wrong);
    const problems = told.map((issue) => ({
      path: fieldPath(issue.path),
      message: typeProblem(issue, document, kind),
    }));
    const strays = unknownFields.map((path) => ({ path, message: `unknown field ${JSON.stringify(path)}` }));
    return { kind: 'undecodable', problems: [...problems, ...strays], more };
  }
  const lenient = structuredClone(document);
  for (const path of unknown) remove(lenient, path);
  return { kind: 'decoded', object: shape.parse(lenient), unknownFields };
}

/** Close to the words of Go's JSON decoder, with the path instead of Go's type names. */
function typeProblem(issue: z.core.$ZodIssue, document: unknown, kind: string): string {
  const path = fieldPath(issue.path);
  const place = path === '' ? 'the object' : `field ${path}`;
  if (issue.code === 'invalid_format' && issue.format === 'base64')
    return `field ${path}: illegal base64 data at input byte ${illegalByteOf(String(at(document, issue.path)))}`;
  if (issue.code === 'invalid_format')
    return `field ${path}: parsing time ${isConfidential(kind) ? REDACTED : JSON.stringify(at(document, issue.path))} as "2006-01-02T15:04:05Z07:00": it must be like 2006-01-02T15:04:05Z`;
  const wanted = wantedType(issue);
  return `json: cannot unmarshal ${jsonType(at(document, issue.path), wanted)} into ${place} of type ${wanted}`;
}

/** Every number of the kinds that are read is an integer, but for quantities, which are texts first. */
function wantedType(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union') {
    const [[first] = []] = issue.errors;
    return first?.code === 'invalid_type' && first.expected === 'string' ? 'quantity' : 'integer';
  }
  if (issue.code !== 'invalid_type') return 'integer';
  return issue.expected === 'number' || issue.expected === 'int' ? 'integer' : issue.expected;
}

/** A number is repeated only where another number was wanted: what was meant as a text may be a secret. */
function jsonType(value: unknown, wanted: string): string {
  if (typeof value === 'number') return wanted === 'string' ? 'number' : `number ${value}`;
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : typeof value;
}

const isRecord = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null;

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);

function remove(value: unknown, path: readonly PropertyKey[]): void {
  const owner = at(value, path.slice(0, -1));
  const key = path.at(-1);
  if (isRecord(owner) && key !== undefined) Reflect.deleteProperty(owner, key);
}
