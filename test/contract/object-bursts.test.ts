import { describe, expect, test } from 'vitest';
import { createDynamoStore } from '../../shared/runtime/dynamo-store.ts';
import { Busy } from '../../shared/ports/busy.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import { type WireRequest, faultsBeneath } from '../support/faults-beneath-sdk.ts';
import { openNamespace } from '../support/a-namespace.ts';
import { aClient, endpoint, makeDynamoStore, stopEngineAfterwards } from './dynamo-fixture.ts';

stopEngineAfterwards();

const document = { metadata: { uid: 'u' } };
const create = async (objects: ObjectStore, name: string) =>
  objects.commit('Service', { key: { namespace: 'default', name }, was: 0, document });

/** A store with a namespace, whose transactions are counted, and stores of other processes on its table. */
async function aCountedStore() {
  const client = aClient();
  const store = await makeDynamoStore(client);
  let transactions = 0;
  let change = (_request: WireRequest): void => undefined;
  faultsBeneath(client, (request) => {
    if (request.command === 'TransactWriteItems') {
      transactions++;
      change(request);
    }
    return { kind: 'carriedOut' };
  });
  await openNamespace(store.objects);
  transactions = 0;
  const { tableName, clock } = store;
  return {
    objects: store.objects,
    another: (pause?: (ms: number) => Promise<unknown>) =>
      createDynamoStore({ client, tableName, now: clock.now, ...(pause === undefined ? {} : { pause }) }).objects,
    transactions: () => transactions,
    onTransaction: (what: (request: WireRequest) => void) => {
      change = what;
    },
  };
}

describe.skipIf(endpoint === null)('many who write at once', () => {
  test('in one process share transactions: 200 take at most a dozen', async () => {
    const { objects, transactions } = await aCountedStore();
    const commits = await Promise.all(Array.from({ length: 200 }, async (_, i) => create(objects, `c-${i}`)));
    expect(commits.filter(({ kind }) => kind === 'committed')).toHaveLength(200);
    // The first transaction takes those that were as fast.
    expect(transactions()).toBeGreaterThanOrEqual(8);
    expect(transactions()).toBeLessThanOrEqual(12);
  });

  test('in many processes wait for one another, and all have their turn', async () => {
    const { another } = await aCountedStore();
    const stores = Array.from({ length: 25 }, () => another());
    const commits = await Promise.all(stores.map(async (objects, i) => create(objects, `c-${i}`)));
    const versions = commits.map((commit) => (commit.kind === 'committed' ? commit.version : 0));
    expect(versions.sort((a, b) => a - b)).toEqual(stores.map((_, i) => i + 1));
  });

  test('get an error in the end if they never have their turn, and nothing is written', async () => {
    const { another, onTransaction, transactions } = await aCountedStore();
    onTransaction(({ body }) => {
      const [{ Update }] = body['TransactItems'] as [{ Update: { ConditionExpression: string } }];
      Update.ConditionExpression = 'attribute_exists(#pk)'; // a head that does not exist
    });
    const waits: number[] = [];
    const objects = another(async (ms) => waits.push(ms));
    await expect(create(objects, 'late')).rejects.toThrow(Busy);
    expect(await objects.read('Service', { namespace: 'default', name: 'late' })).toBeNull();
    expect(await objects.head('Service')).toBe(0);
    expect(transactions()).toBe(30);
    const waited = waits.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(5_000); // others had their turn meanwhile
    expect(waited).toBeLessThan(24_000); // a gateway waits half a minute
    onTransaction(() => undefined);
    expect(await create(objects, 'late')).toEqual({ kind: 'committed', version: 1 });
  });
});
