/** An answer names so many faults. More help nobody, and a manifest of 256 KiB may have 100,000, each of them named twice. */
export const FAULTS_MAX = 100;

/** The first faults, and how many there are beside. */
export const firstFaults = <T>(all: readonly T[]): { readonly told: readonly T[]; readonly more: number } => ({
  told: all.slice(0, FAULTS_MAX),
  more: Math.max(0, all.length - FAULTS_MAX),
});

/** A path or a message may repeat a text from outside. */
const TEXT_CHARS_MAX = 1_000;

/** A text for an answer: at most 1,000 of its characters, and three dots for the rest. */
export const briefly = (text: string): string =>
  text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX)}...`;

/** A fault in a readable object: Kubernetes' `field.Error`. */
export type FieldError = {
  /** In Kubernetes' notation: `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly kind: FieldErrorKind;
  /** The text after the kind's own words; may be empty. */
  readonly message: string;
  /** The bad value, if Kubernetes shows it. */
  readonly value?: unknown;
};

export type FieldErrorKind =
  | 'Required'
  | 'Invalid'
  | 'NotSupported'
  | 'NotFound'
  | 'Forbidden'
  | 'TooMany'
  | 'TooLong'
  | 'Duplicate';

export const required = (path: string, message = ''): FieldError => ({ path, kind: 'Required', message });
export const invalid = (path: string, value: unknown, message: string): FieldError => ({
  path,
  kind: 'Invalid',
  value,
  message,
});
export const duplicate = (path: string, value: unknown): FieldError => ({
  path,
  kind: 'Duplicate',
  value,
  message: '',
});
/** Stands for a value that no message repeats, in Kubernetes' words. */
export const REDACTED = '<secret contents redacted>';

/** The value refers to something that does not exist. */
export const notFound = (path: string, value: unknown): FieldError => ({ path, kind: 'NotFound', value, message: '' });
export const forbidden = (path: string, message: string): FieldError => ({ path, kind: 'Forbidden', message });
export const tooLong = (path: string, bytesMax: number): FieldError => ({
  path,
  kind: 'TooLong',
  message: `may not be more than ${bytesMax} bytes`,
});
export const tooMany = (path: string, value: number, itemsMax: number, what = 'items'): FieldError => ({
  path,
  kind: 'TooMany',
  value,
  message: `must have at most ${itemsMax} ${what}`,
});
export const notSupported = (path: string, value: unknown, valid: readonly string[]): FieldError => ({
  path,
  kind: 'NotSupported',
  value,
  message: `supported values: ${valid.map((v) => JSON.stringify(v)).join(', ')}`,
});

const WORDS: Record<FieldErrorKind, string> = {
  Required: 'Required value',
  Invalid: 'Invalid value',
  NotSupported: 'Unsupported value',
  NotFound: 'Not found',
  Forbidden: 'Forbidden',
  TooMany: 'Too many',
  TooLong: 'Too long',
  Duplicate: 'Duplicate value',
};

/** The `reason` of a Status cause: Kubernetes' `field.ErrorType`. */
export const causeReason = (kind: FieldErrorKind): string => `FieldValue${kind}`;

/** The fault without its path, in Kubernetes' words: `Invalid value: -1: must be greater than or equal to 0`. */
export function fieldErrorText({ kind, value, message }: FieldError): string {
  const parts = [WORDS[kind]];
  if (value !== undefined) parts.push(shown(value));
  if (message !== '') parts.push(message);
  return parts.map(briefly).join(': ');
}

/** Longer values, which come from outside, would bury the path. */
export const VALUE_CHARS_MAX = 200;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length <= VALUE_CHARS_MAX ? text : `${text.slice(0, VALUE_CHARS_MAX)}...`;
}

/** `spec.template.spec.containers[0].image`; `prefix`: the path of the object in which `path` begins. */
export function fieldPath(path: readonly PropertyKey[], prefix = ''): string {
  let out = prefix;
  for (const part of path) out += typeof part === 'number' ? `[${part}]` : `${out === '' ? '' : '.'}${String(part)}`;
  return out;
}
