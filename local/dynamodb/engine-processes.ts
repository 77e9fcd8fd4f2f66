import { HAS_PROC, allPids, commandLine } from '../process-table.ts';
import { type Known, knownAs } from '../process-identity.ts';

/**
 * The engines that have a database file open, found by their command lines, regardless of which process started them. The
 * engine exists only for Linux, so other systems have none.
 */
export function enginesOn(dbPath: string): readonly Known[] {
  if (!HAS_PROC) return [];
  return allPids()
    .filter((pid) => {
      const words = commandLine(pid)?.split('\0') ?? [];
      return words[words.indexOf('--db-path') + 1] === dbPath && words.includes('--db-path');
    })
    .map(knownAs);
}
