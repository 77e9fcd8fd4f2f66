import { join } from 'node:path';
import { readOwn, writeWhole } from './whole-file.ts';

/**
 * Below the ports that Linux (32768) and macOS (49152) give to whoever asks for any, so that it is free after a restart,
 * too; and above all that the Fetch Standard refuses.
 */
const FIRST = 20_000;
const COUNT = 10_000;
const TRIES = 20;

/** A port that a data folder keeps, by the file that holds it. */
export type PortFile = 'dns-port' | 'api-port';

/**
 * Ports for a server of a data folder, best first: the one that it had before, then some others, at last any (0).
 */
export function keptPorts(dataDir: string, file: PortFile): readonly number[] {
  const others = Array.from({ length: TRIES }, () => FIRST + Math.floor(Math.random() * COUNT));
  const before = portBefore(dataDir, file);
  return [...(before === null ? [] : [before]), ...others, 0];
}

/** The port that an earlier runtime on this folder had; null: there was none. */
export function portBefore(dataDir: string, file: PortFile): number | null {
  try {
    const port = Number(readOwn(join(dataDir, file)));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

/** The next runtime on this folder is to take this port. */
export const rememberPort = (dataDir: string, file: PortFile, port: number): void =>
  writeWhole(join(dataDir, file), `${port}\n`, 'durable');
