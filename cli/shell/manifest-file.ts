import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { LineCounter, isMap, isSeq, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { MANIFEST_BYTES_MAX, parseDocument } from '../../shared/schema/text/document.ts';
import { EXIT, Failure } from './failure.ts';
import type { Shell } from './shell.ts';
import { messageOf } from '../../shared/domain/base/error-text.ts';

/** One object of a file. */
export type Manifest = {
  readonly value: unknown;
  /** The line in the file, from 1, of a field's path such as `spec.containers[0].image`; null if it is not found. */
  readonly lineOf: (path: string) => number | null;
};

/**
 * Reads the manifests in a file or (`-`) standard input: YAML (one or several documents) or JSON. Returns the items of a
 * List one by one. The server validates them.
 *
 * @throws Failure (invalid command line) when it cannot be read, or is empty
 */
export async function readManifests(
  file: string,
  shell: Pick<Shell, 'cwd' | 'readStdin'>,
): Promise<readonly [Manifest, ...Manifest[]]> {
  return manifestsIn(await readText(file, shell), nameOf(file));
}

function manifestsIn(text: string, name: string): readonly [Manifest, ...Manifest[]] {
  const manifests = textsIn(text).flatMap((each) => {
    const document = parseDocument(each.text, each.text.trimStart().startsWith('{') ? 'json' : 'yaml');
    if (document.kind !== 'parsed') throw unusable(`${name} cannot be read: ${document.reason}`);
    const lineOf = (path: string): number | null => lineIn(each.text, path, each.firstLine);
    return itemsOf(document.value).map(({ value, at }) => ({ value, lineOf: (path: string) => lineOf(at + path) }));
  });
  const [first, ...others] = manifests;
  if (first === undefined) throw unusable(`${name} is empty`);
  return [first, ...others];
}

/**
 * Reads the only document of a file; see `readManifests`.
 *
 * @throws Failure also when there are several
 */
export async function readManifest(file: string, shell: Pick<Shell, 'cwd' | 'readStdin'>): Promise<unknown> {
  return (await readWritten(file, shell)).value;
}

/** The same, with the text that it is read from. */
export async function readWritten(
  file: string,
  shell: Pick<Shell, 'cwd' | 'readStdin'>,
): Promise<{ readonly value: unknown; readonly text: string }> {
  const text = await readText(file, shell);
  const [{ value }, ...others] = manifestsIn(text, nameOf(file));
  if (others.length > 0) throw unusable(`${nameOf(file)} holds ${others.length + 1} documents; only one is allowed`);
  return { value, text };
}

const nameOf = (file: string): string => (file === '-' ? 'standard input' : file);

const unusable = (message: string): Failure => new Failure(`error: ${message}`, EXIT.usage);

async function readText(file: string, shell: Pick<Shell, 'cwd' | 'readStdin'>): Promise<string> {
  const text = file === '-' ? await shell.readStdin() : readFile(resolve(shell.cwd, file), file);
  if (text.trim() === '') throw unusable(`${nameOf(file)} is empty`);
  if (Buffer.byteLength(text) > MANIFEST_BYTES_MAX) throw tooLarge(nameOf(file));
  return text;
}

function readFile(path: string, file: string): string {
  try {
    if (statSync(path).size > MANIFEST_BYTES_MAX) throw tooLarge(file);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw unusable(`${file} ${isMissing ? 'does not exist' : `cannot be read: ${messageOf(error)}`}`);
  }
}

const tooLarge = (name: string): Failure =>
  unusable(`${name} is larger than the limit of a manifest (${MANIFEST_BYTES_MAX / 1024} KiB)`);

type Part = { readonly text: string; readonly firstLine: number };

/** The non-empty documents of a text. If it cannot be split, the whole text: its parser then reports why. */
function textsIn(text: string): readonly Part[] {
  const whole = [{ text, firstLine: 1 }];
  if (!/^---/m.test(text)) return whole;
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return whole;
    return documents
      .filter((document) => document.toJS({ maxAliasCount: 0 }) !== null)
      .map(({ range }) => ({
        text: text.slice(range[0], range[1]),
        firstLine: text.slice(0, range[0]).split('\n').length,
      }));
  } catch {
    return whole; // nested too deeply for this parser, or full of aliases
  }
}

const ListSchema = z.object({ kind: z.literal('List'), items: z.array(z.unknown()) });

/** What `kubectl get -o json` prints holds several objects. */
function itemsOf(value: unknown): readonly { readonly value: unknown; readonly at: string }[] {
  const list = ListSchema.safeParse(value);
  if (!list.success) return [{ value, at: '' }];
  return list.data.items.map((item, i) => ({ value: item, at: `items[${i}].` }));
}

/** The line of the last key in a path. */
function lineIn(text: string, path: string, firstLine: number): number | null {
  const lines = new LineCounter();
  const [document] = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent', uniqueKeys: false });
  let node: unknown = document?.contents;
  let offset: number | undefined;
  for (const step of path.split(/\.|(?=\[\d+\])/)) {
    const place = /^\[(\d+)\]$/.exec(step)?.[1];
    if (place !== undefined) node = isSeq(node) ? node.items[Number(place)] : undefined;
    else {
      const pair = isMap(node) ? node.items.find(({ key }) => String(key) === step) : undefined;
      offset = rangeOf(pair?.key)?.[0] ?? undefined;
      node = pair?.value;
    }
    if (node === undefined && offset === undefined) return null;
  }
  return offset === undefined ? null : lines.linePos(offset).line + firstLine - 1;
}

const rangeOf = (node: unknown): readonly number[] | null =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? (node.range as readonly number[])
    : null;
