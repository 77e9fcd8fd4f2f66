import { afterAll, beforeAll } from 'vitest';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '../../shared/adapters/aws/dynamodb/dynamo-client.ts';
import { createDynamoStore } from '../../shared/adapters/aws/dynamodb/dynamo-store.ts';
import { createTable } from '../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { type DynamoEngine, startDynamoEngine } from '../../local/dynamodb/engine.ts';
import { HandClock, RETENTION_MS, type StoreUnderTest } from './store-under-test.ts';

const engine = await startDynamoEngine();
// In CI there is no excuse: a store that was not tested must not look tested.
if (engine.kind === 'absent' && process.env['CI'] === 'true') throw new Error(engine.reason);
if (engine.kind === 'absent') console.warn(`\n  NOT TESTED: the DynamoDB store, since ${engine.reason}\n`);

/** Where the engine of this test file listens; null: there is none, and what needs it is to be skipped. */
export const endpoint: string | null = engine.kind === 'started' ? engine.endpoint : null;

/** Stops the engine when the tests of this file are over. */
export function stopEngineAfterwards(): void {
  const running: DynamoEngine | null = engine.kind === 'started' ? engine : null;
  const kill = (): void => {
    if (running !== null) process.kill(running.pid, 'SIGKILL');
  };
  beforeAll(() => {
    process.once('exit', kill); // a test run that is broken off leaves nothing behind either
  });
  afterAll(async () => {
    process.off('exit', kill);
    await running?.stop();
  });
}

/** The client that the functions have. */
export const aClient = (): DynamoDBClient => createDynamoClient({ region: 'eu-central-1', endpoint });

/**
 * The same, but it asks again at once and never tires: a real one waits, and stops repeating when hundreds of answers
 * have failed it, as they do in a test where every answer is lost. What is worth repeating the SDK itself says.
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

let tables = 0;

/** The DynamoDB store on a table of its own, through `client` once the table is there. */
export async function makeDynamoStore(
  client: DynamoDBClient,
): Promise<StoreUnderTest & { readonly tableName: string }> {
  const tableName = `muster-${++tables}`;
  await createTable(client, tableName);
  const clock = new HandClock();
  const stores = createDynamoStore({ client, tableName, now: clock.now, feedRetentionMs: RETENTION_MS });
  return { ...stores, clock, tableName };
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
