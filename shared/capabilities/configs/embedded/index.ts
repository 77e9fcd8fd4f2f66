import { pullVersion } from '../../../names/secrets.ts';
import type { EmbeddedSecrets } from '../../../runtime/opened-ports.ts';
import type { SecretCopies } from '../ports/secret-copies.ts';

/** Where tasks on this machine read Secrets. */
export const embedSecretCopies = (secrets: EmbeddedSecrets): SecretCopies => ({
  async put({ namespace, name, version, values, registry }) {
    const id = registry === undefined ? version : pullVersion({ version, registry });
    secrets.put({ namespace, name }, id, values);
    return Promise.resolve({ kind: 'there' });
  },
  async remove(secret) {
    secrets.remove(secret);
    return Promise.resolve();
  },
  // They go with the versions of their Secret.
  removePull: async () => Promise.resolve(),
  retirePull: async () => Promise.resolve(),
  async list() {
    return Promise.resolve({ secrets: secrets.list(), pulls: [], next: null });
  },
});
