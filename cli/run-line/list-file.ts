import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../../shared/domain/base/error-text.ts';
import type { ItemList } from '../../shared/domain/items/item-list.ts';
import type { ListFault } from '../../shared/schema/items/item-text.ts';
import { type ListOptions, parseItems } from '../../shared/schema/items/parse-items.ts';
import { Failure, usageFailure } from '../shell/failure.ts';
import type { Shell } from '../shell/shell.ts';

/**
 * Reads a list.
 *
 * @param from where it comes from, for messages
 * @throws Failure that names each bad line
 */
export function listIn(source: string | Uint8Array, options: ListOptions, from: string): ItemList {
  const parsed = parseItems(source, options);
  if (parsed.kind === 'bad') throw badLines(from, parsed.faults);
  return parsed.list;
}

/** `fruits.csv:2:5: this quote is never closed`, as compilers write it. */
function badLines(from: string, faults: readonly ListFault[]): Failure {
  const lines = faults.map(({ line, column, message }) => {
    const place = column === undefined ? `${line}` : `${line}:${column}`;
    return `${from}:${place}: ${message}`;
  });
  return usageFailure(lines.join('\n'));
}

/** The name of a file in messages. */
export const shownFile = (name: string): string => (name === '-' ? 'standard input' : name);

/** A list of a million items of the longest kind does not fit a process; a usual one has a few MB. */
const FILE_BYTES_MAX = 512 * 1024 * 1024;

/**
 * Reads a file that holds a list.
 *
 * @throws Failure (invalid command line) when it cannot be read
 */
export function fileBytes(file: string, { cwd }: Pick<Shell, 'cwd'>): Uint8Array {
  const path = resolve(cwd, file);
  try {
    if (statSync(path).size > FILE_BYTES_MAX)
      throw usageFailure(`${file} is larger than ${FILE_BYTES_MAX / 1024 ** 2} MiB`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw usageFailure(`${file} ${isMissing ? 'does not exist' : `cannot be read: ${messageOf(error)}`}`);
  }
}
