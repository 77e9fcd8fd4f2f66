import { expect, test } from 'vitest';
import { clientConfig } from '../../shared/adapters/aws/connection.ts';
import { createEcsClients } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';

const PATIENCE = { maxAttempts: 1, requestTimeoutMs: 1000, maxSockets: 1 };

test('on AWS the SDK finds keys, signs and finds the endpoint by itself', () => {
  const config = clientConfig({ region: 'eu-central-1', endpoint: null, accessKey: 'ignored' }, PATIENCE);
  expect(Object.keys(config).toSorted()).toEqual(['cacheMiddleware', 'maxAttempts', 'region', 'requestHandler']);
});

test('an emulator is shown its own access key, and no key of the user', async () => {
  const config = clientConfig({ region: 'eu-central-1', endpoint: 'http://127.0.0.1:1', accessKey: 'KEY' }, PATIENCE);
  expect(config).toMatchObject({ endpoint: 'http://127.0.0.1:1', credentials: { accessKeyId: 'KEY' } });
  const signed = await ('signer' in config ? config.signer : null)?.sign({ headers: {} as Record<string, string> });
  expect(signed?.headers['authorization']).toContain('Credential=KEY/');
});

test('a launch is sent once', async () => {
  const { launching } = createEcsClients({ region: 'eu-central-1', endpoint: null });
  expect(await launching.config.maxAttempts()).toBe(1);
  launching.destroy();
});
