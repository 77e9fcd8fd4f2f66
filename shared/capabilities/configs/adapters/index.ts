import { SECRETS_KEY_PARAMETER } from '../../../names/secrets.ts';
import type { OpenOfFunction } from '../../../runtime/opened-ports.ts';
import { createSsmClient, parameterKey } from './parameter-key.ts';
import { createSealer } from './aes-sealer.ts';
import { systemClock } from '../../../adapters/system-clock.ts';
import { createSecretsManager, createSecretsManagerClient, sdkSecretsManagerCalls } from './aws-secrets.ts';

/** Seals Secrets with a key in Parameter Store. Only functions that read Secrets have it, and its client. */
export const openSealer: OpenOfFunction = ({ parameters }, { at, onClient }) => {
  const client = createSsmClient(at(parameters));
  onClient?.(client);
  return {
    ports: { sealer: createSealer(parameterKey(client, SECRETS_KEY_PARAMETER)) },
    close: () => client.destroy(),
  };
};

/** Where tasks read Secrets. Only the functions that launch tasks, or clear up after them, have it, and so its client. */
export const openSecretCopies: OpenOfFunction = ({ secrets }, { at, onClient }) => {
  const client = createSecretsManagerClient(at(secrets));
  onClient?.(client);
  return {
    ports: { secretCopies: createSecretsManager(sdkSecretsManagerCalls(client), () => systemClock.now()) },
    close: () => client.destroy(),
  };
};
