import { closeSync, writeSync } from 'node:fs';
import type { Audit } from '../shared/ports/callers/audit.ts';
import { openForAppending } from './whole-file.ts';

/**
 * Appends each event as a line of JSON to a file that only its owner can read. A line that cannot be written is a warning: the
 * change that it records has happened.
 *
 * @throws Error if the file cannot be opened
 */
export function openAuditFile(
  path: string,
  warn: (message: string, values: Readonly<Record<string, unknown>>) => void,
): Audit & { close(): void } {
  const file = openForAppending(path);
  return {
    record(event) {
      try {
        writeSync(file, `${JSON.stringify(event)}\n`);
      } catch (error) {
        warn('an audit event could not be written', { path, error: String(error) });
      }
    },
    close: () => closeSync(file),
  };
}
