import { type FieldError, REDACTED, invalid, required } from '../../../schema/object/field-error.ts';
import type { Values } from './data-rules.ts';

/** The type of a Secret that says none. */
export const OPAQUE = 'Opaque';

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

type Annotations = Readonly<Record<string, string | undefined>>;
type TypeRule = (data: Values, annotations: Annotations) => readonly FieldError[];

const has = (data: Values, key: string): boolean => Object.hasOwn(data, key);
const missing = (data: Values, ...keys: readonly string[]): readonly FieldError[] =>
  keys.filter((key) => !has(data, key)).map((key) => required(`data[${key}]`));

/** What a Secret of a type must have; of any other type nothing is known. */
const RULES: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  [
    'kubernetes.io/service-account-token',
    (_data, annotations) =>
      (annotations[ACCOUNT_NAME] ?? '') === '' ? [required(`metadata.annotations[${ACCOUNT_NAME}]`)] : [],
  ],
  ['kubernetes.io/dockercfg', (data) => jsonErrors(data, '.dockercfg')],
  ['kubernetes.io/dockerconfigjson', (data) => jsonErrors(data, '.dockerconfigjson')],
  // Either may be missing, and both may be empty.
  [
    'kubernetes.io/basic-auth',
    (data) => (has(data, 'username') || has(data, 'password') ? [] : missing(data, 'username', 'password')),
  ],
  [
    'kubernetes.io/ssh-auth',
    (data) => ((data['ssh-privatekey'] ?? '') === '' ? [required('data[ssh-privatekey]')] : []),
  ],
  ['kubernetes.io/tls', (data) => missing(data, 'tls.crt', 'tls.key')],
]);

/** The faults of a Secret's type, with Kubernetes' paths. */
export const typeErrors = (type: string, data: Values, annotations: Annotations): readonly FieldError[] =>
  RULES.get(type)?.(data, annotations) ?? [];

function jsonErrors(data: Values, key: string): readonly FieldError[] {
  const { [key]: encoded } = data;
  if (encoded === undefined) return [required(`data[${key}]`)];
  return isJsonObject(atob(encoded)) ? [] : [invalid(`data[${key}]`, REDACTED, 'it must be an object of JSON')];
}

/** Bytes as characters: whatever UTF-8 they are, JSON's own characters are the same. Go takes null for an empty object. */
function isJsonObject(chars: string): boolean {
  try {
    const value: unknown = JSON.parse(chars);
    return typeof value === 'object' && !Array.isArray(value);
  } catch {
    return false;
  }
}
