import { createSealer } from '../adapters/sealer.ts';
import type { Sealer } from '../ports/sealer.ts';
import { keyFile } from '../adapters/key-file.ts';

/** Seals with a key of the data folder. */
export const embedSealer = (dataDir: string): Sealer => createSealer(keyFile(dataDir));
