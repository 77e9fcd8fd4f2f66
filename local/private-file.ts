import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** What a file holds, or why it is not to be trusted. */
export type PrivateFile =
  | { readonly kind: 'read'; readonly text: string }
  | { readonly kind: 'refused'; readonly fault: string };

/**
 * Reads a file that holds a secret. Only its owner may read or write it, and that is this user or root, as OpenSSH has it for keys.
 * What is checked is what is read, whatever happens to the name meanwhile.
 *
 * @throws disk errors
 */
export function readPrivateFile(path: string): PrivateFile {
  const file = openSync(path, 'r');
  try {
    const { uid, mode } = fstatSync(file);
    const fault = fileFault({ owner: uid, mode: mode & 0o777 }, process.geteuid?.() ?? null);
    return fault === null ? { kind: 'read', text: readFileSync(file, 'utf8') } : { kind: 'refused', fault };
  } finally {
    closeSync(file);
  }
}

/** Why a file with a secret is not safe; null: it is. `me` is null where files have no owners. */
export function fileFault(
  { owner, mode }: { readonly owner: number; readonly mode: number },
  me: number | null,
): string | null {
  if (me === null) return null;
  if (owner !== me && owner !== 0) return `it belongs to another user (uid ${owner})`;
  if ((mode & 0o077) === 0) return null;
  return `others can read it (mode 0${mode.toString(8).padStart(3, '0')}): run chmod 600 on it, and change what it holds`;
}
