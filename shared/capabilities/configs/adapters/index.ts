import type { OpenOfFunction } from '../../../runtime/opened-ports.ts';
import { createSecretsManager, createSecretsManagerClient, sdkSecretsManagerCalls } from './secrets-manager.ts';

/** Where tasks read Secrets. Only the functions that launch tasks, or clear up after them, have it, and so its client. */
export const openSecretCopies: OpenOfFunction = ({ endpoint }, { at, onClient }) => {
  const client = createSecretsManagerClient(at(endpoint));
  onClient?.(client);
  return {
    ports: { secretCopies: createSecretsManager(sdkSecretsManagerCalls(client)) },
    close: () => client.destroy(),
  };
};
