import { readFileSync, statSync } from 'node:fs';
import { type ParsedUsers, parseUsers } from './parse-users.ts';

/**
 * Reads a file of users. Its readers can act as any of them, so only its owner may read it, as OpenSSH has it for keys.
 *
 * @throws disk errors
 */
export function readUsers(path: string): ParsedUsers {
  const { uid, mode } = statSync(path);
  const fault = fileFault({ owner: uid, mode: mode & 0o777 }, process.geteuid?.() ?? null);
  return fault === null ? parseUsers(readFileSync(path, 'utf8')) : { kind: 'refused', faults: [fault] };
}

/** Why a file with tokens is not safe; null: it is. `me` is null where files have no owners. */
export function fileFault(
  { owner, mode }: { readonly owner: number; readonly mode: number },
  me: number | null,
): string | null {
  if (me === null) return null;
  if (owner !== me && owner !== 0) return `it belongs to another user (uid ${owner})`;
  if ((mode & 0o077) === 0) return null;
  return `others can read it (mode 0${mode.toString(8)}): run chmod 600 on it, and change its tokens`;
}
