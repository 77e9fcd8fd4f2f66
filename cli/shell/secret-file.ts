import { resolve } from 'node:path';
import { readPrivateFile } from '../../local/private-file.ts';
import { messageOf } from '../../shared/domain/base/error-text.ts';
import { Failure, usageFailure } from './failure.ts';
import type { Shell } from './shell.ts';

/**
 * What a file with a secret holds.
 *
 * @param flag the option that names the file, for messages
 * @throws Failure when it cannot be read, or when others could have read or written it
 */
export function secretIn(flag: string, file: string, { cwd }: Pick<Shell, 'cwd'>): string {
  const read = tryRead(flag, resolve(cwd, file));
  if (read.kind === 'read') return read.text;
  throw new Failure(`error: ${flag} ${file}: ${read.fault}`);
}

/** The same of a file that holds one line. */
export function secretLineIn(flag: string, file: string, shell: Pick<Shell, 'cwd'>): string {
  const line = secretIn(flag, file, shell).trim();
  if (line === '') throw usageFailure(`${flag}: ${file} is empty`);
  return line;
}

function tryRead(flag: string, path: string): ReturnType<typeof readPrivateFile> {
  try {
    return readPrivateFile(path);
  } catch (error) {
    throw usageFailure(`${flag}: ${messageOf(error)}`);
  }
}
