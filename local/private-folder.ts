import {
  type Stats,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export type PrivateFolder =
  /** `path` is without links. */
  | { readonly kind: 'folder'; readonly path: string }
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

/** A folder or a link on the way to another folder. */
export type StepFacts = {
  readonly isLink: boolean;
  readonly owner: number;
  /** its permissions and the sticky bit, such as 0o1777 */
  readonly mode: number;
  /** Nobody but its owner is in its group, as where each user has a group of the same name. */
  readonly isGroupPrivate: boolean;
};

/**
 * Why user `me` must not trust what lies behind a step of a path, because somebody else could put another folder in its place; null:
 * nobody can. As OpenSSH does with the parents of `~/.ssh`; in a sticky folder, as /tmp, others cannot move what is ours. Pure.
 */
export function whyNotTrusted({ isLink, owner, mode, isGroupPrivate }: StepFacts, me: number): string | null {
  if (owner !== me && owner !== 0) return `belongs to another user (uid ${owner})`;
  if (isLink || (mode & 0o1000) !== 0) return null;
  if ((mode & 0o002) === 0 && ((mode & 0o020) === 0 || isGroupPrivate)) return null;
  return `can be written by others (mode 0${(mode & 0o777).toString(8)}; chmod go-w closes it)`;
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
  const doubt = doubtOnTheWay(dir);
  if (doubt !== null) return { kind: 'refused', reason: `${dir} cannot be used: ${doubt}${ELSE}` };
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
      reason: `${dir} cannot be used: ${verdict.why}${ELSE}`,
    };
  if (verdict.kind === 'tighten') {
    chmodSync(path, 0o700);
    say(`${dir} is now private to you (mode 0700).`);
  }
  return { kind: 'folder', path };
}

/**
 * Creates a folder, or uses an existing one, if nobody but this user can have put anything into it, and nobody but root can put
 * another one in its place. Others may read it. Creates nothing where others could. False on a system without users.
 *
 * @throws disk errors
 */
export function haveOwnFolder(dir: string): boolean {
  const me = process.geteuid?.();
  if (me === undefined || doubtOnTheWay(dir) !== null) return false;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const folder = lstatSync(dir);
  return folder.isDirectory() && folder.uid === me && (folder.mode & 0o022) === 0;
}

const ELSE = ', or use --data with a folder of your own';

/** What on the way to a folder is not to be trusted, as a sentence's part; null: all of it that exists is. */
function doubtOnTheWay(dir: string): string | null {
  for (const { path, stats } of wayTo(resolve(dir))) {
    const me = process.geteuid?.() ?? stats.uid;
    const { uid: owner, gid, mode } = stats;
    const facts = { isLink: stats.isSymbolicLink(), owner, mode, isGroupPrivate: isGroupPrivate(gid) };
    const why = whyNotTrusted(facts, me);
    if (why !== null) return `${path}, which it lies in, ${why}: others could put another folder in its place`;
  }
  return null;
}

/** Linux follows as many. */
const LINKS_MAX = 40;

/** The folders and links that lead to a path, from the root on; neither what does not exist yet, nor the end itself. */
function* wayTo(path: string, links = 0): Generator<{ readonly path: string; readonly stats: Stats }> {
  const names = path.split('/').filter((name) => name !== '');
  let at = '/';
  yield { path: at, stats: lstatSync(at) };
  for (const [n, name] of names.entries()) {
    const parent = at;
    at = join(parent, name);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    const isEnd = n === names.length - 1;
    if (stats === undefined || (isEnd && !stats.isSymbolicLink())) return;
    if (!isEnd) yield { path: at, stats };
    if (!stats.isSymbolicLink()) continue;
    if (links < LINKS_MAX) yield* wayTo(join(resolve(dirname(at), readlinkSync(at)), ...names.slice(n + 1)), links + 1);
    return;
  }
}

/** Whether a group has the user's name and no other members, as Debian's OpenSSH asks (group(5)). */
function isGroupPrivate(gid: number): boolean {
  try {
    const { username } = userInfo();
    const group = readFileSync('/etc/group', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .find(([, , id]) => id === String(gid));
    return group !== undefined && group[0] === username && ['', username].includes(group[3] ?? '');
  } catch {
    return false;
  }
}
