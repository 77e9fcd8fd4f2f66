import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  FILE_PLAN,
  FOLDER_PLAN,
  type FileForm,
  type PlannedFile,
  type PlannedFolder,
  parseFolderPlan,
  parsePlan,
} from '../../../shared/adapters/aws/ecs/file-plan.ts';
import { fileVariable } from '../../../shared/domain/task/task.ts';
import { groupHere } from './group-here.ts';
import { makeFolder } from './host-paths.ts';

/** A file that is to be written. */
type Content = PlannedFile & { readonly bytes: Buffer };

/** What a container's variables ask for, or why it cannot be had. */
type Contents =
  | { readonly kind: 'contents'; readonly folders: readonly PlannedFolder[]; readonly files: readonly Content[] }
  | { readonly kind: 'faulty'; readonly why: string };

/** `denied`: by what is there already; `failed`: by this machine, for now. */
export type Written = { readonly kind: 'written' } | { readonly kind: 'denied' | 'failed'; readonly why: string };

/**
 * Pure: what is written for these variables. A reason names a path, never a content.
 *
 * @param volumes what the container mounts
 * @param tokens those that are signed, by {@link placeOf} of their files
 */
export function contentsOf(
  variables: ReadonlyMap<string, string>,
  volumes: ReadonlySet<string>,
  tokens: ReadonlyMap<string, string> = NO_TOKENS,
): Contents {
  const plan = listIn(variables, FILE_PLAN, parsePlan);
  if (plan === null) return { kind: 'faulty', why: `${FILE_PLAN} is no list of files` };
  const folders = listIn(variables, FOLDER_PLAN, parseFolderPlan);
  if (folders === null) return { kind: 'faulty', why: `${FOLDER_PLAN} is no list of folders` };
  const absent = folders.find(({ volume }) => !volumes.has(volume));
  if (absent !== undefined) return { kind: 'faulty', why: cannot(absent, NOT_MOUNTED) };
  const files: Content[] = [];
  for (const file of plan) {
    const text = file.form === 'token' ? tokens.get(placeOf(file)) : variables.get(fileVariable(file.nth));
    const bytes = text === undefined ? null : decoded(text, file.form);
    if (bytes === null || !volumes.has(file.volume))
      return { kind: 'faulty', why: cannot(file, reasonOf(file, volumes, text)) };
    files.push({ ...file, bytes });
  }
  return { kind: 'contents', folders, files };
}

const NO_TOKENS: ReadonlyMap<string, string> = new Map();

/** Where a file lies, as one text. */
const placeOf = ({ volume, path }: Pick<PlannedFile, 'volume' | 'path'>): string => `${volume}/${path}`;

/** Empty without the variable. */
function listIn<T>(
  variables: ReadonlyMap<string, string>,
  name: string,
  parse: (plan: string) => readonly T[] | null,
): readonly T[] | null {
  const plan = variables.get(name);
  return plan === undefined ? [] : parse(plan);
}

const NOT_MOUNTED = 'its volume is not mounted';

function reasonOf({ volume }: PlannedFile, volumes: ReadonlySet<string>, text: string | undefined): string {
  if (!volumes.has(volume)) return NOT_MOUNTED;
  return text === undefined ? 'its content is not set' : 'its content cannot be decoded';
}

/** A volume, or a file of it. */
type Place = Pick<PlannedFolder, 'volume'> & Partial<Pick<PlannedFile, 'path'>>;

const cannot = ({ volume, path }: Place, why: string): string =>
  `cannot write ${path === undefined ? volume : `${volume}/${path}`}: ${why}`;

/** null: it is not of this form. */
function decoded(text: string, form: FileForm): Buffer | null {
  if (form === 'text' || form === 'token') return Buffer.from(text);
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips what is no base64.
  if (bytes.toString('base64') !== text.replaceAll(/\s/g, '')) return null;
  return form === 'base64' ? bytes : unpacked(bytes);
}

function unpacked(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_BYTES_MAX });
  } catch {
    return null;
  }
}

/** What is packed fits into a task definition of 64 KiB; deflate makes a thousandth of it at most. */
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Gives folders of volumes to their groups, and writes files into them. Each file is whole at once, and takes the place of what is
 * there; so the same call may be repeated at any time. What a volume holds is its tenant's: no link in it is followed.
 *
 * @param dir has the folders of volumes
 */
export function writeContents(
  { folders, files }: Pick<Extract<Contents, { readonly kind: 'contents' }>, 'folders' | 'files'>,
  dir: string,
): Written {
  const groups = new Map<string, number>();
  for (const { volume, group: wanted, mode } of folders) {
    const group = groupHere(wanted);
    try {
      give({ volume, group, mode }, dir);
    } catch (error) {
      return unwritten({ volume }, error);
    }
    groups.set(volume, group);
  }
  for (const file of files) {
    try {
      write(file, groups.get(file.volume) ?? null, dir);
    } catch (error) {
      return unwritten(file, error);
    }
  }
  return { kind: 'written' };
}

const unwritten = (place: Place, error: unknown): Written => ({
  kind: isTheirs(error) ? 'denied' : 'failed',
  why: cannot(place, said(error)),
});

/** The bit setgid of its mode gives the group all that is made in it. */
function give({ volume, group, mode }: PlannedFolder, dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const folder = openSync(folderIn(dir, volume, mode), constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fchownSync(folder, KEPT, group);
    fchmodSync(folder, mode);
  } finally {
    closeSync(folder);
  }
}

/** The owner stays as it is. */
const KEPT = -1;

/** @param group of its volume; null: the volume has none */
function write({ volume, path, mode, bytes }: Content, group: number | null, dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const folderMode = group === null ? 0o755 : 0o2755;
  const folder = dirname(path)
    .split('/')
    .filter((name) => name !== '.')
    .reduce((parent, name) => folderIn(parent, name, folderMode), folderIn(dir, volume, folderMode));
  // Beside the volumes, where no task sees it, on the same disk.
  const draft = `${dir}.draft`;
  rmSync(draft, { force: true });
  try {
    writeDraft(draft, bytes, mode, group);
    renameSync(draft, join(folder, basename(path)));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function writeDraft(draft: string, bytes: Buffer, mode: number, group: number | null): void {
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(file, bytes);
    if (group !== null) fchownSync(file, KEPT, group);
    fchmodSync(file, mode);
  } finally {
    closeSync(file);
  }
}

/** A link that a task has put in its place goes. */
function folderIn(parent: string, name: string, mode: number): string {
  const path = join(parent, name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(path);
  makeFolder(path, mode);
  return path;
}

/** What a task has done to its volume; all else may be better next time: a disk that is full. */
const isTheirs = (error: unknown): boolean => THEIRS.has(codeOf(error));

const THEIRS = new Set(['EACCES', 'EEXIST', 'EISDIR', 'ENAMETOOLONG', 'ENOTDIR', 'ENOTEMPTY', 'EPERM']);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** `ENOSPC: no space left on device`, without the path that follows, which is our own. */
const said = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/, .*$/s, '');
