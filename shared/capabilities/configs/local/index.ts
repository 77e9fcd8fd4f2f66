import type { OpenKeptPorts } from '../../../../local/local-part.ts';
import { createSealer } from '../adapters/aes-sealer.ts';
import { keyFile } from '../adapters/key-file.ts';

/** Seals with a key of the data folder. */
export const openFolderSealer: OpenKeptPorts = (dataDir) => ({ sealer: createSealer(keyFile(dataDir)) });
