import type { EmbeddedSecrets } from '../../../runtime/opened-ports.ts';
import type { SecretCopies } from '../ports/secret-copies.ts';

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
