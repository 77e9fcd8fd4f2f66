import { type FileHandle, lstat, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../shared/domain/base/error-text.ts';
import { Failure } from '../shell/failure.ts';

/** Whose results a folder has. */
export type ResultOwner = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The Job that it repeats: its results join those; null: none. */
  readonly repeats: string | null;
};

/** What of one index is on the disk. `odd`: something else is in its place, which is left as it is. */
export type StoredResult =
  | { readonly kind: 'complete'; readonly exit: number; readonly attempt: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'odd'; readonly why: string };

const OWNER_FILE = 'job.json';
const JOBLOG_FILE = 'joblog.tsv';
const OwnerShape = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  /** Its own joblog: `joblog.tsv` is that of the Job that began. */
  joblog: z.string().optional(),
});

/** A number and a line end; whatever is longer is not ours. */
const NUMBER_BYTES_MAX = 32;

/**
 * A folder with a folder for each index, which holds `stdout`, `exit`, and `attempt`. A file is written whole or not at all,
 * `attempt` last: a folder that has it is complete. Nothing is written through a symbolic link below the folder.
 */
export class ResultFolder {
  readonly path: string;
  /** It has the results of the Job that this one repeats. What is there is replaced by what this one has of the same index. */
  readonly isJoining: boolean;
  readonly #owner: string;
  readonly #joblog: string;

  private constructor(path: string, owner: z.output<typeof OwnerShape>, isJoining: boolean) {
    this.path = path;
    this.isJoining = isJoining;
    this.#owner = `${JSON.stringify(owner)}\n`;
    this.#joblog = owner.joblog ?? JOBLOG_FILE;
  }

  /**
   * Creates the folder, or continues one: of this Job, or of the one that it repeats.
   *
   * @throws Failure if it has the results of another Job, or cannot be written
   */
  static async of(path: string, { namespace, name, uid, repeats }: ResultOwner): Promise<ResultFolder> {
    await writing(path, () => mkdir(path, { recursive: true }));
    const file = join(path, OWNER_FILE);
    const before = await writing(file, () => ownerIn(file));
    if (before?.uid === uid) return new ResultFolder(path, before, false);
    if (before === null) {
      const folder = new ResultFolder(path, { namespace, name, uid }, false);
      await folder.own();
      return folder;
    }
    if (before.namespace !== namespace || before.name !== repeats)
      throw new Failure(
        `error: ${path} has the results of another Job, ${before.namespace}/${before.name} (uid ${before.uid}): choose another folder, or delete it`,
      );
    return new ResultFolder(path, { namespace, name, uid, joblog: `joblog-${name}.tsv` }, true);
  }

  /** Says from now on that it has the results of this Job. */
  async own(): Promise<void> {
    const part = await this.#writePart(this.path, OWNER_FILE, [this.#owner]);
    await writing(part, () => rename(part, join(this.path, OWNER_FILE)));
  }

  /** What there is of the index with this name. */
  async stored(name: string): Promise<StoredResult> {
    const folder = join(this.path, name);
    const found = await statOf(folder);
    if (found === null) return { kind: 'missing' };
    if (!found.isDirectory())
      return { kind: 'odd', why: `${folder} is ${found.isSymbolicLink() ? 'a symbolic link' : 'not a folder'}` };
    const [exit, attempt, stdout] = await Promise.all([
      numberIn(join(folder, 'exit')),
      numberIn(join(folder, 'attempt')),
      statOf(join(folder, 'stdout')),
    ]);
    const isComplete = exit !== null && attempt !== null && stdout?.isFile() === true;
    return isComplete ? { kind: 'complete', exit, attempt } : { kind: 'missing' };
  }

  /**
   * Stores the result of an index. What was there is replaced when the log has arrived whole; if it breaks off, nothing changes.
   *
   * @throws Failure if the disk refuses; whatever `log` throws
   */
  async store(
    name: string,
    {
      exit,
      attempt,
      log,
    }: { readonly exit: number; readonly attempt: number; readonly log: AsyncIterable<Uint8Array> },
  ): Promise<void> {
    const folder = join(this.path, name);
    await writing(folder, () => mkdir(folder, { recursive: true }));
    const part = await this.#writePart(folder, 'stdout', log);
    await writing(folder, () => rm(join(folder, 'attempt'), { force: true }));
    await writing(part, () => rename(part, join(folder, 'stdout')));
    await this.#write(folder, 'exit', `${exit}\n`);
    await this.#write(folder, 'attempt', `${attempt}\n`);
  }

  /** Stores the joblog of all indexes. */
  async storeJoblog(text: AsyncIterable<string>): Promise<void> {
    const part = await this.#writePart(this.path, this.#joblog, text);
    await writing(part, () => rename(part, join(this.path, this.#joblog)));
  }

  async #write(folder: string, name: string, text: string): Promise<void> {
    const part = await this.#writePart(folder, name, [text]);
    await writing(part, () => rename(part, join(folder, name)));
  }

  /** Writes a new file beside the one that it will replace; removes it if it does not become whole. */
  async #writePart(
    folder: string,
    name: string,
    text: AsyncIterable<string | Uint8Array> | Iterable<string>,
  ): Promise<string> {
    const part = join(folder, `.${name}.part`);
    // What a killed command left. A new file: an existing one might be a link to somewhere else.
    await writing(part, () => rm(part, { force: true }));
    const file: FileHandle = await writing(part, () => open(part, 'wx'));
    let isWhole = false;
    try {
      for await (const piece of text) await writing(part, () => file.writeFile(piece));
      isWhole = true;
    } finally {
      await file.close();
      if (!isWhole) await rm(part, { force: true });
    }
    return part;
  }
}

async function ownerIn(file: string): Promise<z.output<typeof OwnerShape> | null> {
  const found = await statOf(file);
  if (found === null) return null;
  const owner = OwnerShape.safeParse(found.isFile() ? jsonOf(await readFile(file, 'utf8')) : null);
  if (!owner.success)
    throw new Failure(`error: ${file} is not a file of \`muster logs --results\`: choose another folder`);
  return owner.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** null: there is no such file, or it has something else in it. */
async function numberIn(file: string): Promise<number | null> {
  const found = await statOf(file);
  if (found?.isFile() !== true || found.size > NUMBER_BYTES_MAX) return null;
  const text = (await readFile(file, 'utf8')).trim();
  return /^-?\d+$/.test(text) ? Number(text) : null;
}

/** Of the thing itself, if it is a link; null: there is none. */
async function statOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  }
}

/** Says which path the disk refused. */
async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`error: ${path}: ${messageOf(error)}`);
  }
}
