import type { OpenKeptPorts } from '../../../../local/local-part.ts';
import { openSigner } from './signer.ts';

/** Signs with a key of the data folder. */
export const openAccountTokens: OpenKeptPorts = (dataDir) => ({ accountTokens: openSigner(dataDir) });
