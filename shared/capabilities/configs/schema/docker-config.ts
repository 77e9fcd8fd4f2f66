import * as z from 'zod';
import { registryOf } from '../../../domain/task/pull-secrets.ts';

/** A user of registries. */
export type Login = { readonly username: string; readonly password: string };

const TEXT = z.string().nullish();
/** Go takes null for what is not there. */
const EntrySchema = z.looseObject({ username: TEXT, password: TEXT, auth: TEXT }).nullable();
const AuthsSchema = z.record(z.string(), EntrySchema).nullish();
const ConfigSchema = z.looseObject({ auths: AuthsSchema }).nullable();

/** The key of each type of Secrets that images are pulled with. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['kubernetes.io/dockerconfigjson', '.dockerconfigjson'],
  ['kubernetes.io/dockercfg', '.dockercfg'],
]);

/**
 * The users that a Secret has, by what they are for (`registryOf`), as the kubelet reads it; of another type it has none, and neither
 * has an entry without a user or a password. Of two entries for the same, the first counts.
 *
 * @returns null: it is no docker configuration
 */
export function loginsOf(type: string, data: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Login> | null {
  const bytes = data.get(KEYS.get(type) ?? '');
  if (bytes === undefined || bytes.length === 0) return new Map();
  const read = authsIn(type, new TextDecoder().decode(bytes));
  if (read === null) return null;
  const logins = new Map<string, Login>();
  for (const [location, entry] of Object.entries(read)) {
    const login = loginOf(entry ?? {});
    if (login === null) return null;
    const registry = registryOf(location);
    if (login.username !== '' && login.password !== '' && !logins.has(registry)) logins.set(registry, login);
  }
  return logins;
}

function authsIn(type: string, text: string) {
  try {
    const json: unknown = JSON.parse(text);
    if (type === 'kubernetes.io/dockercfg') return AuthsSchema.parse(json) ?? {};
    return ConfigSchema.parse(json)?.auths ?? {};
  } catch {
    // A parser cites what it reads, so its words go no further.
    return null;
  }
}

/** `auth` counts before the other two; null: it is no base64 of `user:password`. */
function loginOf({ username, password, auth }: NonNullable<z.output<typeof EntrySchema>>): Login | null {
  if (auth === undefined || auth === null || auth === '') return { username: username ?? '', password: password ?? '' };
  const trimmed = auth.trim();
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(trimmed)) return null;
  const [, user, word] = /^([^:]*):(.*)$/s.exec(Buffer.from(trimmed, 'base64').toString('utf8')) ?? [];
  return user === undefined || word === undefined ? null : { username: user, password: word };
}
