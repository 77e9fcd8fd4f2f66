import { join } from 'node:path';
import { readOwn, writeWhole } from './whole-file.ts';

/**
 * Below the ephemeral ports of Linux (32768) and macOS (49152), so that it is still free after a restart, and above all
 * ports that the Fetch Standard refuses.
 */
const FIRST = 20_000;
const COUNT = 10_000;
const TRIES = 20;

/** A port that a data folder keeps, by the file that stores it. */
export type PortFile = 'dns-port' | 'api-port' | 'pod-api-port';

/**
 * Ports for a server of a data folder, best first: the previous one, then some others, and last any (0).
 */
export function keptPorts(dataDir: string, file: PortFile): readonly number[] {
  const others = Array.from({ length: TRIES }, () => FIRST + Math.floor(Math.random() * COUNT));
  const before = portBefore(dataDir, file);
  return [...(before === null ? [] : [before]), ...others, 0];
}

/** The port of an earlier runtime on this folder; null if there is none. */
export function portBefore(dataDir: string, file: PortFile): number | null {
  try {
    const port = Number(readOwn(join(dataDir, file)));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
  } catch {
    return null;
  }
}

/** Stores the port for the next runtime on this folder. */
export const rememberPort = (dataDir: string, file: PortFile, port: number): void =>
  writeWhole(join(dataDir, file), `${port}\n`, 'durable');
