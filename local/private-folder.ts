import { chmodSync, lstatSync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';

export type PrivateFolder =
  | { readonly kind: 'folder' /** without links */; readonly path: string }
  /** with a sentence for people */
  | { readonly kind: 'refused'; readonly reason: string };

/** What decides whether a runtime may keep its Jobs in a folder. */
export type FolderFacts = {
  /** The path is a link owned by that user; null if it is not a link. */
  readonly linkOwner: number | null;
  readonly owner: number;
  /** its permissions, such as 0o755 */
  readonly mode: number;
  /** names in it */
  readonly holds: readonly string[];
};

export type FolderVerdict = { readonly kind: 'fine' | 'tighten' } | { readonly kind: 'refuse'; readonly why: string };

/**
 * Whether user `me` may keep Jobs in a folder: a user who can write there can run commands as its owner, and a user who can
 * read there can read variables and logs. As OpenSSH does with `~/.ssh`, refuses a folder that belongs to others or that
 * others can write. If others can only read it, makes it private if it is ours alone. Pure.
 */
export function checkFolder({ linkOwner, owner, mode, holds }: FolderFacts, me: number): FolderVerdict {
  if (linkOwner !== null && linkOwner !== me && linkOwner !== 0)
    return { kind: 'refuse', why: `it is a link of another user (uid ${linkOwner})` };
  if (owner !== me) return { kind: 'refuse', why: `it belongs to another user (uid ${owner})` };
  if ((mode & 0o077) === 0) return { kind: 'fine' };
  const rights = `0${mode.toString(8)}`;
  if (holds.length === 0) return { kind: 'tighten' };
  if ((mode & 0o022) !== 0)
    return {
      kind: 'refuse',
      why: `others can write there (mode ${rights}): check its contents, then run chmod 700 on it`,
    };
  if (OURS.some((name) => holds.includes(name))) return { kind: 'tighten' };
  return { kind: 'refuse', why: `others can read it (mode ${rights}), and it has other contents: run chmod 700 on it` };
}

/** Every data folder that was used or prepared has one of these. */
const OURS = ['kubeconfig', 'lock', 'made-by', 'jobs.lmdb', 'dynamodb.sqlite', 'ecs', 'secrets', 'configmaps'];

/**
 * Creates a folder that no other user can enter, or uses an existing one (see {@link checkFolder}). Follows a link once,
 * here, if it is the user's own. Reports changes with `say`.
 *
 * @throws disk errors
 */
export function openPrivateFolder(dir: string, say: (line: string) => void): PrivateFolder {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const link = lstatSync(dir);
  const path = realpathSync(dir);
  const { uid: owner, mode } = statSync(path);
  const me = process.geteuid?.() ?? owner;
  const linkOwner = link.isSymbolicLink() ? link.uid : null;
  const verdict = checkFolder({ linkOwner, owner, mode: mode & 0o777, holds: readdirSync(path) }, me);
  if (verdict.kind === 'refuse')
    return {
      kind: 'refused',
      reason: `${dir} cannot be used: ${verdict.why}, or use --data with a folder of your own`,
    };
  if (verdict.kind === 'tighten') {
    chmodSync(path, 0o700);
    say(`${dir} is now private to you (mode 0700).`);
  }
  return { kind: 'folder', path };
}
