import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { hostPathTypeLabel } from '../../../shared/domain/task/container-labels.ts';
import { isSamePath, isWithin } from '../../../shared/domain/task/volumes/host-folders.ts';
import type { Definition } from '../definition.ts';

/** The real paths of what a task mounts of this machine, by volume, or why it may not, in the words of ECS and Kubernetes. */
type HostPaths =
  | { readonly kind: 'found'; readonly places: ReadonlyMap<string, string> }
  | { readonly kind: 'refused'; readonly reason: string };

/** What a volume wants. `type`: Kubernetes' of a `hostPath`; empty: whatever is there. */
type Wanted = { readonly volume: string; readonly path: string; readonly type: string };

/** What is at a path. */
export type Seen =
  | { readonly kind: 'there'; readonly real: string; readonly what: Thing }
  /** `parent`: the real path of what is above; `missing`: the names below it, the path's own last */
  | { readonly kind: 'absent'; readonly parent: string; readonly missing: readonly string[] }
  | { readonly kind: 'unreadable'; readonly why: string };

type Thing = 'folder' | 'file' | 'socket' | 'characterDevice' | 'blockDevice' | 'other';

type Verdict =
  | { readonly kind: 'take'; readonly real: string }
  | { readonly kind: 'make'; readonly what: Made }
  | { readonly kind: 'refuse'; readonly why: string };

/** What of this machine tasks may mount. */
export type HostPlaces = {
  /** Real paths of folders, for what Pods and volumes name. */
  readonly folders: readonly string[];
  /** The folder of claims, as its name was given and as its real path. Null: there are none. */
  readonly claims: { readonly given: string; readonly real: string } | null;
};

/**
 * Follows the paths that a task's volumes name, makes what they say is to be made, and refuses what is not within the allowed
 * folders once all links are followed. Nothing is made if one of them is refused.
 */
export function hostPathsOf(
  definition: Pick<Definition, 'volumes' | 'containerDefinitions'>,
  places: HostPlaces,
): HostPaths {
  const all = wantedBy(definition);
  const verdicts = all.map((wanted) => ({ wanted, verdict: judge(wanted, look(wanted.path), places) }));
  const found = new Map<string, string>();
  for (const { wanted, verdict } of verdicts) if (verdict.kind === 'refuse') return refused(wanted, verdict.why);
  for (const { wanted, verdict } of verdicts) {
    const made = verdict.kind === 'make' ? make(wanted, verdict.what, places) : verdict;
    if (made.kind === 'refuse') return refused(wanted, made.why);
    found.set(wanted.volume, made.real);
  }
  return { kind: 'found', places: found };
}

/** Pure. */
function wantedBy({
  volumes = [],
  containerDefinitions,
}: Pick<Definition, 'volumes' | 'containerDefinitions'>): readonly Wanted[] {
  const labels = Object.assign({}, ...containerDefinitions.map(({ dockerLabels }) => dockerLabels)) as Record<
    string,
    string | undefined
  >;
  return volumes.flatMap(({ name, host }) =>
    host?.sourcePath === undefined
      ? []
      : [{ volume: name, path: host.sourcePath, type: labels[hostPathTypeLabel(name)] ?? '' }],
  );
}

/** What each type has to find, and Kubernetes' word for it; what it makes if nothing is there. */
const TYPES: Readonly<Record<string, TypeRow>> = {
  // As container runtimes do for Kubernetes, which looks at nothing then.
  '': { is: null, word: '', makes: 'folder' },
  DirectoryOrCreate: { is: 'folder', word: 'a directory', makes: 'folder' },
  Directory: { is: 'folder', word: 'a directory' },
  FileOrCreate: { is: 'file', word: 'a file', makes: 'file' },
  File: { is: 'file', word: 'a file' },
  Socket: { is: 'socket', word: 'a socket file' },
  CharDevice: { is: 'characterDevice', word: 'a character device' },
  BlockDevice: { is: 'blockDevice', word: 'a block device' },
};

type TypeRow = { readonly is: Thing | null; readonly word: string; readonly makes?: 'folder' | 'file' };

/** Where a path leads counts first: what is elsewhere is nobody's business. Pure. */
function judge({ path, type }: Wanted, seen: Seen, { folders, claims }: HostPlaces): Verdict {
  if (seen.kind === 'unreadable') return { kind: 'refuse', why: seen.why };
  const real = seen.kind === 'there' ? seen.real : join(seen.parent, ...seen.missing);
  if (claims !== null && isClaim(path, real, claims))
    return seen.kind === 'there' ? { kind: 'take', real } : { kind: 'make', what: 'claim' };
  if (!isWithin(real, folders)) return { kind: 'refuse', why: outside(path, real, folders) };
  const row = TYPES[type];
  if (row === undefined) return { kind: 'refuse', why: `${type} is an invalid volume type` };
  if (seen.kind === 'there')
    return row.is === null || row.is === seen.what
      ? { kind: 'take', real }
      : { kind: 'refuse', why: `hostPath type check failed: ${path} is not ${row.word}` };
  if (row.makes === undefined) return { kind: 'refuse', why: `hostPath type check failed: ${path} is not ${row.word}` };
  // As in Kubernetes, a file's folder has to be there.
  return row.makes === 'file' && seen.missing.length > 1
    ? { kind: 'refuse', why: `open ${path}: no such file or directory` }
    : { kind: 'make', what: row.makes };
}

/** Below the folder of claims, and named so: a link elsewhere that leads there is not meant, and none is on the way. */
const isClaim = (path: string, real: string, claims: NonNullable<HostPlaces['claims']>): boolean =>
  [claims.given, claims.real].some(
    (folder) =>
      isWithin(path, [folder]) &&
      !isSamePath(path, folder) &&
      isSamePath(real, join(claims.real, relative(folder, path))),
  );

const outside = (path: string, real: string, folders: readonly string[]): string =>
  `${real === path ? path : `${path} is ${real}, which`} is not within what muster local --allow-host-path names: ${folders.length === 0 ? 'no folder' : folders.join(', ')}`;

const refused = ({ volume }: Wanted, why: string): HostPaths => ({
  kind: 'refused',
  reason: `ResourceInitializationError: MountVolume.SetUp failed for volume "${volume}" : ${why}`,
});

/** Follows all links. Of what is not there, the folder above. */
export function look(path: string, missing: readonly string[] = []): Seen {
  if (!isWithin(path, ['/'])) return { kind: 'unreadable', why: `${path} is not absolute, or has '..' in it` };
  try {
    const real = realpathSync(path);
    return missing.length === 0
      ? { kind: 'there', real, what: thingOf(statSync(real)) }
      : { kind: 'absent', parent: real, missing };
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return { kind: 'unreadable', why: `stat ${path}: ${codeOf(error)}` };
    if (isLink(path)) return { kind: 'unreadable', why: `${path} is a link to nothing` };
    return look(dirname(path), [basename(path), ...missing]);
  }
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

function thingOf(stats: Stats): Thing {
  if (stats.isDirectory()) return 'folder';
  if (stats.isFile()) return 'file';
  if (stats.isSocket()) return 'socket';
  if (stats.isCharacterDevice()) return 'characterDevice';
  return stats.isBlockDevice() ? 'blockDevice' : 'other';
}

/** What is made: the folder of a claim is for all users of containers, and nobody else gets to it. */
type Made = 'folder' | 'file' | 'claim';

/** Modes as in Kubernetes. */
const MODES = { folder: 0o755, file: 0o644, claim: 0o777 } as const;

/** Another task may make the same meanwhile, or put a link there: what counts is what is there in the end. */
function make(wanted: Wanted, what: Made, places: HostPlaces): Exclude<Verdict, { readonly kind: 'make' }> {
  try {
    const seen = look(wanted.path);
    if (seen.kind === 'absent' && what !== 'file')
      makeFolders(seen.parent, seen.missing, MODES[what], what === 'claim' ? PRIVATE : MODES[what]);
    else if (seen.kind === 'absent') makeFile(join(seen.parent, ...seen.missing));
  } catch (error) {
    return { kind: 'refuse', why: error instanceof Error ? error.message : String(error) };
  }
  const verdict = judge(wanted, look(wanted.path), places);
  return verdict.kind === 'make' ? { kind: 'refuse', why: `${wanted.path} was removed` } : verdict;
}

const PRIVATE = 0o700;

/**
 * Makes folders below one another; those that are there stay as they are.
 *
 * @param mode of the last
 * @param above of the others
 */
export function makeFolders(parent: string, [name, ...deeper]: readonly string[], mode: number, above: number): void {
  if (name === undefined) return;
  const path = join(parent, name);
  makeFolder(path, deeper.length === 0 ? mode : above);
  makeFolders(path, deeper, mode, above);
}

/** With its mode, whatever the umask is. Follows no link, and leaves what is there as it is. */
export function makeFolder(path: string, mode: number): void {
  unlessThere(() => {
    mkdirSync(path, mode);
    setMode(path, constants.O_DIRECTORY, mode);
  });
}

const makeFile = (path: string): void =>
  unlessThere(() => setMode(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, MODES.file));

function setMode(path: string, flags: number, mode: number): void {
  const file = openSync(path, flags | constants.O_NOFOLLOW, mode);
  try {
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

function unlessThere(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);
