import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ClusterDump } from '../shared/domain/cluster-dump.ts';
import { readClusterDump } from '../shared/schema/cluster-dump.ts';
import { parseDocument } from '../shared/schema/document.ts';
import { faultSentence } from '../shared/schema/fault.ts';
import { EXIT, Failure } from './failure.ts';
import { onOneLine } from './render/table.ts';
import type { Shell } from './shell.ts';

/** A dump is larger than a manifest: a Pod takes some 10 KB. YAML of more takes its parser too long. */
const YAML_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Reads a cluster's dump of one Job, JSON or YAML, from a file or (`-`) from standard input.
 *
 * @throws Failure (exit code 2) with all that is wrong, a line a fault
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
  const faults = read.faults.map((fault) => onOneLine(`${fault.path}: ${faultSentence(fault)}`));
  throw badInput(
    faults.length === 1
      ? `${name}: ${faults[0]}`
      : [`${name} is no dump of a Job:`, ...faults.map((fault) => `* ${fault}`)].join('\n'),
  );
}

const badInput = (message: string): Failure => new Failure(`error: ${message}`, EXIT.usage);

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const why = error instanceof Error ? error.message : 'unknown';
    throw badInput(isMissing ? `${file} does not exist` : `${file} cannot be read: ${why}`);
  }
}

/** JSON by its own parser: a dump of thousands of Pods is large, and whether it says something twice is no matter. */
function parse(text: string, name: string): unknown {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text);
    } catch (error) {
      // Flow style YAML begins like this, too, and what follows JSON is told better by the other parser.
      if (Buffer.byteLength(text) > YAML_BYTES_MAX)
        throw badInput(`${name} cannot be read: ${error instanceof Error ? error.message : 'unknown'}`);
    }
  }
  if (Buffer.byteLength(text) > YAML_BYTES_MAX)
    throw badInput(`${name} is too large for YAML (${YAML_BYTES_MAX / 1024 / 1024} MiB); JSON may be larger`);
  const document = parseDocument(text, 'yaml', YAML_BYTES_MAX);
  if (document.kind === 'unreadable') throw badInput(`${name} cannot be read: ${document.reason}`);
  return document.value;
}
