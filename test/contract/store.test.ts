import { describe } from 'vitest';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import { aLmdbStore } from './lmdb-fixture.ts';
import { describeStore } from './describe-store.ts';
import { OBJECT_RACES } from './object-cases.ts';
import { aClient, endpoint, makeDynamoStore, makeStoreOfProcesses, stopEngineAfterwards } from './dynamo-fixture.ts';
import { HandClock, RETENTION_MS } from './store-under-test.ts';

stopEngineAfterwards();

describeStore('the store in memory', async () => {
  const clock = new HandClock();
  return { ...createMemoryStore({ now: clock.now, feedRetentionMs: RETENTION_MS }), clock };
});

describeStore('the store in LMDB', async () => aLmdbStore());

describe.skipIf(endpoint === null)('on the DynamoDB engine', () => {
  const client = aClient();
  describeStore('the store in DynamoDB', async () => makeDynamoStore(client));
  describeStore('the store of eight processes', async () => makeStoreOfProcesses(client), OBJECT_RACES);
});
