import { randomBytes } from 'node:crypto';
import { DeleteItemCommand, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { type Item, attribute, keyItem, packed, rowIn } from '../../../shared/adapters/rows/dynamo-item.ts';
import { feedKey, statusKey } from '../../../shared/store/programs/row-keys.ts';
import { fieldsOf, json, jsonIn } from '../../../shared/store/rows/fields.ts';
import { isExpired } from '../../../shared/store/rows/row.ts';
import { aClient, endpoint, makeDynamoStore, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { T0, aNewJob, aStoredJob, anEntry, at, following } from '../store-under-test.ts';
import { openNamespace } from '../../support/a-namespace.ts';

stopEngineAfterwards();

const anItem = (attributes: Item): Item => ({ pk: { S: 'JOB#1' }, sk: { S: 'STATUS' }, v: { N: '1' }, ...attributes });
const bodyIn = (attributes: Item): unknown => fieldsOf(rowIn(anItem(attributes)))['body'];

describe('a body', () => {
  test.each([0, 1, 699, 700, 5_000, 300_000])('of %i bytes, orderly or random, comes back', (length) => {
    for (const body of [Buffer.alloc(length, 'ab'), randomBytes(length)]) {
      const read = bodyIn({ body: attribute(body) });
      expect(Buffer.from(read as Uint8Array).equals(body)).toBe(true);
    }
  });

  test('is deflated if that makes it smaller, and grows by at most one byte', () => {
    expect(packed(Buffer.alloc(5_000)).length).toBeLessThan(100);
    expect(packed(randomBytes(5_000)).length).toBe(5_001);
    expect(packed(Buffer.alloc(100)).length).toBe(101);
  });

  test.each([
    ['no body at all', {}],
    ['one that is text', { body: { S: 'text' } }],
    ['an empty one', { body: { B: new Uint8Array() } }],
    ['one packed in a way that is not known', { body: { B: Uint8Array.of(9, 1, 2) } }],
  ])('that is unreadable is an error that names its row: %s', (_, attributes) => {
    const row = rowIn(anItem(attributes));
    expect(() => jsonIn(row, z.unknown())).toThrow('row JOB#1 STATUS has no readable body');
  });

  test('of JSON of another shape is refused', () => {
    const body = attribute(json({ a: 'text' }));
    expect(() => jsonIn(rowIn(anItem({ body })), z.object({ a: z.number() }))).toThrow(z.ZodError);
  });
});

describe('a row of another layout', () => {
  test('is read if it is older, and left to a later release if it is newer', () => {
    const fieldsAt = (v: string) => fieldsOf(rowIn(anItem({ v: { N: v }, n: { N: '7' } })));
    expect(fieldsAt('0')).toEqual({ n: 7 });
    expect(fieldsAt('1')).toEqual({ n: 7 });
    expect(() => fieldsAt('2')).toThrow(new NewerFormatError('row JOB#1 STATUS', 2, 1));
  });

  test('is over when its time has passed, like any other', () => {
    const row = rowIn(anItem({ v: { N: '2' }, ttl: { N: String(T0 / 1_000) } }));
    expect([isExpired(row, at(-1)), isExpired(row, T0)]).toEqual([false, true]);
  });

  test('is an error that names the row if it has none', () => {
    const { v: _v, ...item } = anItem({});
    expect(() => fieldsOf(rowIn(item))).toThrow('row JOB#1 STATUS has no number v');
  });
});

describe.skipIf(endpoint === null)('rows in the table', () => {
  const client = aClient();

  test('a commit keeps the ttl and unknown attributes', async () => {
    const store = await makeDynamoStore(client);
    const { status, uid } = await aStoredJob(store);
    const at = { TableName: store.tableName, Key: keyItem(statusKey(uid)) };
    await client.send(
      new UpdateItemCommand({
        ...at,
        UpdateExpression: 'SET #ttl = :ttl, later = :ttl',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':ttl': { N: '1900000000' } },
      }),
    );
    await store.jobs.commitPass(uid, following(status), []);
    const { Item } = await client.send(new GetItemCommand(at));
    expect(Item).toMatchObject({ version: { N: '2' }, ttl: { N: '1900000000' }, later: { N: '1900000000' } });
  });

  test('no reader misses rows of the feed that DynamoDB has removed, in any order', async () => {
    const store = await makeDynamoStore(client);
    const uid = asJobUid('job-a');
    for (let n = 1; n <= 5; n++) await store.feed.append([anEntry(uid, n - 1, n)], T0);
    const remove = async (n: number): Promise<unknown> =>
      client.send(new DeleteItemCommand({ TableName: store.tableName, Key: keyItem(feedKey(n)) }));
    const numbersAfter = async (after: number): Promise<unknown> => {
      const read = await store.feed.read(after, 10);
      return read.kind === 'rows' ? read.rows.map(({ number }) => number) : read.kind;
    };
    await remove(3);
    expect(await numbersAfter(0)).toEqual([1, 2]);
    expect(await numbersAfter(2)).toBe('expired');
    expect(await numbersAfter(3)).toEqual([4, 5]);
    for (const n of [1, 2, 4, 5]) await remove(n);
    for (const after of [0, 3, 4]) expect(await numbersAfter(after)).toBe('expired');
    expect(await numbersAfter(5)).toEqual([]);
    expect(await store.feed.append([anEntry(uid, 5, 6)], T0)).toEqual({ kind: 'appended', number: 6 });
    expect(await numbersAfter(5)).toEqual([6]);
  });

  test('a status that was damaged is an error, not another status', async () => {
    const store = await makeDynamoStore(client);
    const { uid } = await aStoredJob(store);
    const row = {
      ...keyItem(statusKey(uid)),
      v: { N: '1' },
      version: { N: '1' },
      body: attribute(Uint8Array.of(1, 255)),
    };
    await client.send(new PutItemCommand({ TableName: store.tableName, Item: row }));
    await expect(store.jobs.readStatus(uid)).rejects.toThrow('cut short');
  });

  test('a manifest that is too large for an item is thrown, and nothing is stored', async () => {
    const store = await makeDynamoStore(client);
    const { spec, status, uid } = aNewJob();
    const annotations = { noise: randomBytes(420_000).toString('base64') };
    const metadata = { ...spec.manifest.metadata, annotations };
    await openNamespace(store.objects);
    const huge = { ...spec, manifest: { ...spec.manifest, metadata } };
    await expect(store.jobs.createJob(huge, status)).rejects.toThrow('size');
    expect(await store.jobs.findJob('default', 'work')).toBeNull();
    expect(await store.jobs.readStatus(uid)).toBeNull();
  });
});
