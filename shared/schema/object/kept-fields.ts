import { parseQuantity } from '../../domain/base/quantity.ts';
import { jsonFieldsOf } from '../kinds/json-fields-of.ts';
import type { Field, FieldType, Scalar } from '../kinds/kind-table.ts';
import { KINDS } from '../kinds/kinds.ts';

/** The type of an object without its unset members. */
export type Kept<T> = T extends readonly (infer E)[]
  ? readonly Kept<E>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { readonly [K in keyof T]?: Kept<Exclude<T[K], undefined>> }
    : T;

/**
 * What is stored of an object of the type `name` in KINDS: everything that its author wrote, even if it has no effect
 * here, so that Muster shows what was applied. Omits values of the wrong type, which no client could read, and empty
 * values: null, and empty strings in fields.
 */
export function keptFields<T extends object>(name: string, value: T): Kept<T> {
  const kept = jsonFieldsOf(KINDS, name).flatMap(([key, { type }]) => {
    const inner = keptValue(type, memberOf(value, key));
    return inner === undefined || inner === '' ? [] : [[key, inner] as const];
  });
  return Object.fromEntries(kept) as Kept<T>;
}

/** undefined: omit it. */
function keptValue(type: FieldType, value: unknown): unknown {
  if (type.is === 'object') return isRecord(value) ? keptFields(type.of, value) : undefined;
  if (type.is === 'map') return isRecord(value) ? value : undefined;
  if (type.is !== 'list') return isOf(type.is, value) ? value : undefined;
  return Array.isArray(value)
    ? value.map((item) => keptValue(type.of, item)).filter((item) => item !== undefined)
    : undefined;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function isOf(scalar: Scalar, value: unknown): boolean {
  switch (scalar) {
    case 'bool':
      return typeof value === 'boolean';
    case 'int32':
    case 'int64':
      return Number.isSafeInteger(value);
    case 'time':
    case 'microTime':
      return typeof value === 'string' && TIME.test(value);
    case 'fieldsV1':
      return isRecord(value);
    case 'quantity':
    case 'intOrString':
      return typeof value === 'string' || typeof value === 'number';
    case 'string':
    case 'bytes':
      return typeof value === 'string';
  }
}

/**
 * A normal form of an object of the type `name`, for comparisons. A Go client that sends an object back omits the zeros
 * of fields that are not pointers, and writes quantities differently (`1024Mi` as `1Gi`).
 */
export function meaningOf(name: string, value: object): object {
  const fields = new Map(jsonFieldsOf(KINDS, name));
  const said = Object.entries(value).flatMap(([key, inner]) => {
    const field = fields.get(key);
    if (field === undefined) return [[key, inner] as const];
    return isUnsaid(field, inner) ? [] : [[key, meaning(field.type, inner)] as const];
  });
  return Object.fromEntries(said);
}

const isUnsaid = ({ required, zero }: Field, value: unknown): boolean =>
  required !== true && zero !== 'shown' && (value === '' || value === 0 || value === false);

function meaning(type: FieldType, value: unknown): unknown {
  if (Array.isArray(value)) return type.is === 'list' ? value.map((item) => meaning(type.of, item)) : value;
  if (!isRecord(value)) return type.is === 'quantity' ? amountOf(value) : value;
  if (type.is === 'object') return meaningOf(type.of, value);
  if (type.is !== 'map') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, meaning(type.of, inner)]));
}

/** Twelve digits are enough for any quantity, and floating point is still exact. */
const amountOf = (value: unknown): unknown => parseQuantity(String(value))?.toPrecision(12) ?? value;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
