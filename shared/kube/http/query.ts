import { type StatusError, badRequest } from './status-error.ts';

/** Go's ParseBool: clients send `true`, `1`, `True`, or `t`. Missing and invalid values are false. */
export const flagOf = (text: string | undefined): boolean => /^(1|t|T|true|TRUE|True)$/.test(text ?? '');

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'bad'; readonly error: StatusError };

export const ok = <T>(value: T): Parsed<T> => ({ kind: 'ok', value });
export const bad = (message: string): Parsed<never> => ({ kind: 'bad', error: badRequest(message) });

/** A number ≥ 0 from a query; null if it is missing or empty. */
export function countOf(name: string, text: string | undefined): Parsed<number | null> {
  if (text === undefined || text === '') return ok(null);
  return /^\d{1,15}$/.test(text)
    ? ok(Number(text))
    : bad(`${name}: Invalid value: ${JSON.stringify(text)}: must be a number that is not negative`);
}

/** A resourceVersion as a feed number; null: none was given. */
export function versionOf(text: string | undefined): Parsed<number | null> {
  if (text === undefined || text === '') return ok(null);
  if (/^\d{1,15}$/.test(text)) return ok(Number(text));
  const quoted = JSON.stringify(text);
  return bad(`resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`);
}

/** `dryRun`: check everything, store nothing. null: a value other than `All`. */
export const dryRunOf = (values: readonly string[] = []): boolean | null =>
  values.every((value) => value === 'All') ? values.length > 0 : null;
