import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ClusterDump } from '../domain/cluster-dump.ts';
import { readClusterDump } from '../schema/read-cluster-dump.ts';
import { parseDocument } from '../../../schema/text/document.ts';
import { fieldErrorText } from '../../../schema/object/field-error.ts';
import { EXIT, Failure } from '../../../../cli/shell/failure.ts';
import { onOneLine } from '../../../../cli/text/table.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { messageOf } from '../../../domain/base/error-text.ts';

/** A dump is larger than a manifest: a Pod takes about 10 KB. The YAML parser is too slow for more. */
const YAML_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads a cluster's dump of one Job, JSON or YAML, from a file or (`-`) standard input.
 *
 * @throws Failure (exit code 2) with all faults, one per line
 */
export async function readDumpFile(file: string, shell: Pick<Shell, 'cwd' | 'readStdin'>): Promise<ClusterDump> {
  const name = file === '-' ? 'standard input' : file;
  const text = (file === '-' ? await shell.readStdin() : readText(resolve(shell.cwd, file), file)).replace(
    /^\uFEFF/,
    '',
  );
  if (text.trim() === '') throw badInput(`${name} is empty`);
  const read = readClusterDump(parse(text, name));
  if (read.kind === 'ok') return read.dump;
  const errors = read.errors.map((fieldError) => onOneLine(`${fieldError.path}: ${fieldErrorText(fieldError)}`));
  throw badInput(
    errors.length === 1
      ? `${name}: ${errors[0]}`
      : [`${name} is not a dump of a Job:`, ...errors.map((fieldError) => `* ${fieldError}`)].join('\n'),
  );
}

const badInput = (message: string): Failure => new Failure(`error: ${message}`, EXIT.usage);

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = messageOf(error);
    throw badInput(isMissing ? `${file} does not exist` : `${file} cannot be read: ${why}`);
  }
}

/** Parses JSON with its own parser: a dump of thousands of Pods is large, and duplicate keys do not matter here. */
function parse(text: string, name: string): unknown {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch (error) {
      // Flow-style YAML begins the same way. The other parser reports faults after JSON better.
      if (Buffer.byteLength(text) > YAML_BYTES_MAX) throw badInput(`${name} cannot be read: ${messageOf(error)}`);
    }
  }
  if (Buffer.byteLength(text) > YAML_BYTES_MAX)
    throw badInput(`${name} is too large for YAML (${YAML_BYTES_MAX / 1024 / 1024} MiB); JSON may be larger`);
  const document = parseDocument(text, 'yaml', YAML_BYTES_MAX);
  if (document.kind === 'unreadable') throw badInput(`${name} cannot be read: ${document.reason}`);
  return document.value;
}
