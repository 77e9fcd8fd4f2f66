import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { MANIFEST_BYTES_MAX, parseDocument } from '../shared/schema/document.ts';
import { Failure, usageFailure } from './failure.ts';
import type { Shell } from './shell.ts';

/**
 * Reads one manifest, YAML or JSON, from a file or (`-`) from standard input. What is in it is for the server to judge.
 *
 * @throws Failure when it cannot be read, or holds more than one document
 */
export async function readManifest(file: string, shell: Pick<Shell, 'cwd' | 'readStdin'>): Promise<unknown> {
  const text = file === '-' ? await shell.readStdin() : readText(resolve(shell.cwd, file), file);
  const name = file === '-' ? 'standard input' : file;
  if (text.trim() === '') throw new Failure(`error: ${name} is empty`);
  if (Buffer.byteLength(text) > MANIFEST_BYTES_MAX) throw tooLarge(name);
  const document = parseDocument(text, text.trimStart().startsWith('{') ? 'json' : 'yaml');
  if (document.kind === 'parsed') return document.value;
  const [only, ...others] = document.kind === 'unreadable' ? documentsOf(text) : [];
  if (others.length > 0)
    throw usageFailure(`${name} holds ${others.length + 1} documents; only one is taken at a time`);
  // One document beside empty ones, such as a file that ends with `---`.
  if (only !== undefined) {
    const alone = parseDocument(only, 'yaml');
    if (alone.kind === 'parsed') return alone.value;
  }
  throw new Failure(`error: ${name} cannot be read: ${document.reason}`);
}

function readText(path: string, file: string): string {
  try {
    if (statSync(path).size > MANIFEST_BYTES_MAX) throw tooLarge(file);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new Failure(
      `error: ${file} ${isMissing ? 'does not exist' : `cannot be read: ${error instanceof Error ? error.message : 'unknown'}`}`,
    );
  }
}

const tooLarge = (name: string): Failure =>
  new Failure(`error: ${name} is larger than a manifest may be (${MANIFEST_BYTES_MAX / 1024} KiB)`);

/** The documents of a text that hold something, each as a text; none when they are not well formed. */
function documentsOf(text: string): readonly string[] {
  try {
    const documents = parseAllDocuments(text, { logLevel: 'silent' });
    if (!Array.isArray(documents) || documents.some(({ errors }) => errors.length > 0)) return [];
    return documents
      .filter((document) => document.toJS({ maxAliasCount: 0 }) !== null)
      .map(({ range }) => text.slice(range[0], range[1]));
  } catch {
    return []; // nested too deep for the parser; the reason that we have says so
  }
}
