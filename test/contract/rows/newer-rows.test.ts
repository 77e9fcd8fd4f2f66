import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { storeOf } from '../../../local/store/lmdb-store.ts';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import { type Item, attribute, keyItem } from '../../../shared/adapters/rows/dynamo-item.ts';
import { objectKey, statusKey } from '../../../shared/store/programs/row-keys.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import type { ObjectKey } from '../../../shared/ports/object-store.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { aClient, endpoint, makeDynamoStore, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { putRaw } from './raw-rows.ts';
import { HandClock, type Stores, aStoredJob } from '../store-under-test.ts';

stopEngineAfterwards();
const dir = mkdtempSync(join(tmpdir(), 'muster-newer-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const NAMES = ['a', 'b', 'c', 'd'];
const PAGE = { namespace: 'default', after: null, limit: 2 } as const;
/** The first byte of a STATUS is its format. */
const LATER_STATUS = Buffer.from([99, 0, 0, 0]);
/** The header of a row in LMDB that has a body and nothing else. */
const A_BODY = Buffer.concat([Buffer.of(3, 2), Buffer.alloc(16)]);

async function fill(store: Pick<Stores, 'objects'>): Promise<void> {
  await openNamespace(store.objects);
  for (const name of NAMES) {
    const document = { metadata: { uid: name } };
    await store.objects.commit('Service', { key: { namespace: 'default', name }, was: 0, document });
  }
}

/** Of four CronJobs `b` and `d` are of a later release: pages without them, and with an error where nobody hears of them. */
async function checkObjects({ objects }: Pick<Stores, 'objects'>): Promise<void> {
  const newer: string[] = [];
  const onNewer = ({ namespace, name }: ObjectKey): void => void newer.push(`${namespace}/${name}`);
  const page = await objects.list('Service', { ...PAGE, limit: 9, onNewer });
  expect(page.objects.map(({ key }) => key.name)).toEqual(['a', 'c']);
  expect([page.next, newer]).toEqual([null, ['default/b', 'default/d']]);
  const first = await objects.list('Service', { ...PAGE, limit: 1, onNewer });
  expect(first.objects.map(({ key }) => key.name)).toEqual(['a']);
  const second = await objects.list('Service', { ...PAGE, limit: 1, after: first.next, onNewer });
  expect([second.objects.map(({ key }) => key.name), second.next]).toEqual([['c'], null]);
  await expect(objects.list('Service', { ...PAGE, limit: 9 })).rejects.toThrow(NewerFormatError);
  await expect(objects.read('Service', { namespace: 'default', name: 'b' })).rejects.toThrow(NewerFormatError);
  expect(await objects.read('Service', { namespace: 'default', name: 'c' })).not.toBeNull();
}

test('an LMDB file that a later release has written to', async () => {
  const { now } = new HandClock();
  const path = join(dir, 'rows.lmdb');
  const before = storeOf(new LmdbRows(path, now), now);
  await fill(before);
  const { uid } = await aStoredJob(before);
  await before.close();
  const newer = Buffer.alloc(40, 4);
  const status = Buffer.concat([A_BODY, LATER_STATUS]);
  await putRaw(path, {
    'OBJECT#Service default!b': newer,
    'OBJECT#Service default!d': newer,
    [`JOB#${uid} STATUS`]: status,
  });
  const store = storeOf(new LmdbRows(path, now), now);
  await checkObjects(store);
  await expect(store.jobs.readStatus(uid)).rejects.toThrow('a STATUS has format 99, of a later release');
  await store.close();
});

describe.skipIf(endpoint === null)('a table that a later release has written to', () => {
  test('objects of a later layout, and a STATUS of a later format', async () => {
    const client = aClient();
    const store = await makeDynamoStore(client);
    await fill(store);
    const { uid } = await aStoredJob(store);
    const update = async (Key: Item, name: string, value: object) =>
      client.send(
        new UpdateItemCommand({
          TableName: store.tableName,
          Key,
          UpdateExpression: 'SET #n = :n',
          ExpressionAttributeNames: { '#n': name },
          ExpressionAttributeValues: { ':n': value as { N: string } },
        }),
      );
    for (const name of ['b', 'd'])
      await update(keyItem(objectKey('Service', { namespace: 'default', name })), 'v', { N: '2' });
    await update(keyItem(statusKey(uid)), 'body', attribute(LATER_STATUS));
    await checkObjects(store);
    await expect(store.jobs.readStatus(uid)).rejects.toThrow('a STATUS has format 99, of a later release');
  });
});
