import { afterAll, beforeAll } from 'vitest';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '../../shared/adapters/aws/dynamodb/dynamo-client.ts';
import { createDynamoStore } from '../../shared/runtime/dynamo-store.ts';
import { type DynamoEngine, startDynamoEngine } from '../../local/dynamodb/engine.ts';
import { makeDynamoStore } from './dynamo-store.ts';
import { RETENTION_MS, type StoreUnderTest } from './store-under-test.ts';
import { isVerifying } from '../verify/verifying.ts';

export { makeDynamoStore } from './dynamo-store.ts';

const engine = await startDynamoEngine();
// CI and `npm run verify` must have the engine, so that an untested store does not look tested.
if (engine.kind === 'absent' && (isVerifying || process.env['CI'] === 'true')) throw new Error(engine.reason);
if (engine.kind === 'absent') console.warn(`\n  NOT TESTED: the DynamoDB store, since ${engine.reason}\n`);

/** The address of the engine; null: there is none, so the tests that need it are skipped. */
export const endpoint: string | null = engine.kind === 'started' ? engine.endpoint : null;

let running: DynamoEngine | null = engine.kind === 'started' ? engine : null;

/** Stops the engine when the tests of this file are over. It starts again for the next file of the same process. */
export function stopEngineAfterwards(): void {
  // An interrupted test run leaves nothing behind, either.
  const kill = (): void => {
    if (running !== null) process.kill(running.pid, 'SIGKILL');
  };
  beforeAll(async () => {
    process.once('exit', kill);
    if (running !== null || endpoint === null) return;
    const again = await startDynamoEngine({ at: endpoint });
    running = again.kind === 'started' ? again : null;
  });
  afterAll(async () => {
    process.off('exit', kill);
    await running?.stop();
    running = null;
  });
}

/** The functions' own client. */
export const aClient = (): DynamoDBClient => createDynamoClient({ region: 'eu-central-1', endpoint });

/**
 * The same, but it retries at once and without a limit. A real client waits, and stops retrying after hundreds of
 * failures, as in a test where every answer is lost. The SDK decides which errors to retry.
 */
export function aPatientClient(): DynamoDBClient {
  const client = aClient();
  const token = (count: number) => ({ getRetryCount: () => count, getRetryDelay: () => 0, getRetryCost: () => 0 });
  client.config.retryStrategy = async () => ({
    acquireInitialRetryToken: async () => token(0),
    async refreshRetryTokenForRetry(last, { errorType }) {
      if (errorType === 'CLIENT_ERROR' || last.getRetryCount() >= 5) throw new Error('not to be repeated');
      return token(last.getRetryCount() + 1);
    },
    recordSuccess: () => undefined,
  });
  return client;
}

/** The same with eight processes on its table, each of which commits every eighth object. */
export async function makeStoreOfProcesses(client: DynamoDBClient): Promise<StoreUnderTest> {
  const store = await makeDynamoStore(client);
  const { tableName, clock, objects } = store;
  const processes = Array.from(
    { length: 8 },
    () => createDynamoStore({ client, tableName, now: clock.now, feedRetentionMs: RETENTION_MS }).objects,
  );
  let commits = 0;
  const next = () => processes[commits++ % processes.length] ?? objects;
  return { ...store, objects: { ...objects, commit: async (kind, change) => next().commit(kind, change) } };
}
