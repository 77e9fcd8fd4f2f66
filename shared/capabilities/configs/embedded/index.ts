import type { EmbeddedSecrets } from '../../../runtime/opened-ports.ts';
import type { SecretCopies } from '../ports/secret-copies.ts';
import { createSealer } from '../adapters/aes-sealer.ts';
import type { OpenKeptPorts } from '../../../../local/local-part.ts';
import { keyFile } from '../adapters/key-file.ts';

/** Seals with a key of the data folder. */
export const openFolderSealer: OpenKeptPorts = (dataDir) => ({ sealer: createSealer(keyFile(dataDir)) });

/** Where tasks on this machine read Secrets. */
export const embedSecretCopies = (secrets: EmbeddedSecrets): SecretCopies => ({
  async put({ namespace, name, version, values }) {
    secrets.put({ namespace, name }, version, values);
    return Promise.resolve({ kind: 'there' });
  },
  async remove(secret) {
    secrets.remove(secret);
    return Promise.resolve();
  },
  async list() {
    return Promise.resolve({ secrets: secrets.list(), next: null });
  },
});
