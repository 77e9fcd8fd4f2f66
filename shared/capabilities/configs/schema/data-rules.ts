import { configKeyFaults } from '../../../schema/object/config-key.ts';
import { type FieldError, forbidden, invalid, tooMany } from '../../../schema/object/field-error.ts';
import { isSame } from '../../../schema/object/object-update.ts';

/** Values by key: texts, or bytes in base64. */
export type Values = Readonly<Record<string, string>>;

/** How much an object may hold (`MaxSecretSize`). */
export const VALUES_BYTES_MAX = 1024 * 1024;

/** The faults of keys, in Kubernetes' words (`IsConfigMapKey`). */
export const keyErrors = (path: string, values: Values): readonly FieldError[] =>
  Object.keys(values).flatMap((key) => configKeyFaults(key).map((fault) => invalid(`${path}[${key}]`, key, fault)));

/** More do not fit into a row, with who manages each. */
const KEYS_MAX = 40_000;

/** The fault of more keys than can be stored. */
export const tooManyKeys = (path: string, values: Values): readonly FieldError[] => {
  const { length } = Object.keys(values);
  return length > KEYS_MAX ? [tooMany(path, length, KEYS_MAX, 'keys')] : [];
};

/** How many bytes texts take. */
export const textBytes = (values: Values): number =>
  Object.values(values).reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);

/** How many bytes are in base64. */
export const bytesInBase64 = (values: Values): number =>
  Object.values(values).reduce((sum, text) => sum + (text.length / 4) * 3 - paddingOf(text), 0);

const paddingOf = (text: string): number => (text.endsWith('==') ? 2 : Number(text.endsWith('=')));

const IMMUTABLE = 'field is immutable when `immutable` is set';

/**
 * What a change does to an object that is immutable.
 *
 * @param fields those that hold values
 */
export function immutableFaults(
  now: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): readonly FieldError[] {
  if (before['immutable'] !== true) return [];
  return [
    ...(now['immutable'] === true ? [] : [forbidden('immutable', IMMUTABLE)]),
    ...fields.filter((name) => !isSame(now[name] ?? {}, before[name] ?? {})).map((name) => forbidden(name, IMMUTABLE)),
  ];
}

/** The fields of an object that hold something, with their keys in order. */
export const filled = (fields: Readonly<Record<string, Values>>): Readonly<Record<string, Values>> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, values]) => Object.keys(values).length > 0)
      .map(([name, values]) => [name, inOrder(values)]),
  );

const inOrder = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
