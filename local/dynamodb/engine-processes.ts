import { HAS_PROC, allPids, commandLine } from '../process-table.ts';
import { type Known, knownAs } from '../process-identity.ts';

/**
 * The engines that hold a database file open, whoever started them, by their command lines. The engine exists for Linux
 * only, so nothing is found elsewhere.
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
