import { join } from 'node:path';
import { readOwn, writeWhole } from '../whole-file.ts';

/** Below the ports that Linux (32768) and macOS (49152) give to whoever asks for any, so that it is free after a restart, too. */
const FIRST = 20_000;
const COUNT = 10_000;
const TRIES = 20;

/**
 * Ports for the DNS server of a data folder, best first: the one that tasks of an earlier runtime were told, then some
 * others, at last any (0).
 */
export function dnsPorts(dataDir: string): readonly number[] {
  const others = Array.from({ length: TRIES }, () => FIRST + Math.floor(Math.random() * COUNT));
  const before = portBefore(dataDir);
  return [...(before === null ? [] : [before]), ...others, 0];
}

/** The port that tasks of an earlier runtime on this folder were told; null: there was none. */
export function portBefore(dataDir: string): number | null {
  try {
    const port = Number(readOwn(join(dataDir, 'dns-port')));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

/** The next runtime on this folder is to take this port. */
export const rememberPort = (dataDir: string, port: number): void =>
  writeWhole(join(dataDir, 'dns-port'), `${port}\n`, 'durable');
