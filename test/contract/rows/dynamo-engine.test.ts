import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { createTable } from '../../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { createDynamoRows } from '../../../shared/adapters/rows/dynamodb.ts';
import {
  ABSENT,
  type Condition,
  EXISTS,
  below,
  both,
  either,
  holds,
  is,
  lacks,
  liveVersionIs,
  versionIs,
} from '../../../shared/store/rows/condition.ts';
import { fieldsOf } from '../../../shared/store/rows/fields.ts';
import type { Fields, RowKey, Rows } from '../../../shared/store/rows/row.ts';
import { aClient, endpoint, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { T0 } from '../store-under-test.ts';

stopEngineAfterwards();

const keyOf = (sort: string, partition = 'p'): RowKey => ({ partition, sort });
const put = (sort: string, fields: Fields = {}) => ({ kind: 'put', key: keyOf(sort), fields }) as const;

/** An engine whose requests go nowhere, and what was sent. */
function aSpiedEngine(): { readonly rows: Rows; readonly sent: object[] } {
  const sent: object[] = [];
  const client = { send: async ({ input }: { input: object }) => (sent.push(input), {}) };
  return { rows: createDynamoRows({ client: client as unknown as DynamoDBClient, tableName: 'muster' }), sent };
}

describe('requests', () => {
  test.each([
    ['z', 'a'],
    ['a', ''],
    ['', ''],
    // By UTF-16 the first is less, by UTF-8 the second: half a character is sent as U+FFFD.
    ['\uffff', '\ud800'],
  ])('no range that DynamoDB refuses is sent: from "%s" to "%s"', async (from, to) => {
    const { rows, sent } = aSpiedEngine();
    expect(await rows.range({ partition: 'p', from, to })).toEqual({ rows: [], next: null });
    expect(sent).toEqual([]);
  });

  test('a range from the very beginning starts at the first key that a row can have', async () => {
    const { rows, sent } = aSpiedEngine();
    await rows.range({ partition: 'p', from: '', to: '~' });
    expect(sent).toMatchObject([{ ExpressionAttributeValues: { ':from': { S: '\0' }, ':to': { S: '~' } } }]);
  });

  test('the layout is written with every row, but not by who only ends the life of one that exists', async () => {
    const { rows, sent } = aSpiedEngine();
    await rows.write({ kind: 'update', key: keyOf('a'), set: { ttl: 9 }, condition: EXISTS });
    await rows.write({ kind: 'update', key: keyOf('a'), set: { ttl: 9 } });
    await rows.write({ kind: 'update', key: keyOf('a'), set: { ttl: 9 }, condition: ABSENT });
    await rows.write({ kind: 'update', key: keyOf('a'), set: { ttl: 9, n: 1 } });
    await rows.write(put('a'));
    expect(sent).toMatchObject([
      { UpdateExpression: 'SET #ttl = :ttl' },
      { UpdateExpression: 'SET #v = :v, #ttl = :ttl' },
      { UpdateExpression: 'SET #v = :v, #ttl = :ttl' },
      { UpdateExpression: 'SET #v = :v, #ttl = :ttl, #n = :n', ExpressionAttributeValues: { ':v': { N: '1' } } },
      { Item: { v: { N: '1' } } },
    ]);
  });

  test.each(['pk', 'sk', 'v'])("no field takes the place of the row's own %s", async (name) => {
    const { rows, sent } = aSpiedEngine();
    const set = { [name]: 'x' };
    await expect(rows.write(put('a', set))).rejects.toThrow(`no field is named ${name}`);
    await expect(rows.batch([put('a', set)])).rejects.toThrow(`no field is named ${name}`);
    await expect(rows.transact('t', [put('a', set)])).rejects.toThrow(`no field is named ${name}`);
    await expect(rows.write({ kind: 'update', key: keyOf('a'), set })).rejects.toThrow(`no field is named ${name}`);
    expect(sent).toEqual([]);
  });

  test('a body whose size was asked for is written as it was packed then', async () => {
    const { rows, sent } = aSpiedEngine();
    const body = Buffer.alloc(5_000, 'ab');
    const bytes = rows.storedBytes(body);
    body.fill(0); // packed again, it would have another size
    await rows.write(put('a', { body }));
    expect(bytes).toBeLessThan(100);
    const [{ Item }] = sent as [{ Item: { body: { B: Uint8Array } } }];
    expect(Buffer.from(Item.body.B).length).toBe(bytes);
  });
});

describe.skipIf(endpoint === null)('on the DynamoDB engine', () => {
  const client = aClient();
  let tables = 0;
  let tokens = 0;
  async function anEngine(): Promise<Rows> {
    const tableName = `engine-${++tables}`;
    await createTable(client, tableName);
    return createDynamoRows({ client, tableName });
  }
  const read = async (rows: Rows, key: RowKey): Promise<Fields | null> => {
    const [row] = (await rows.get([key])).rows;
    return row === undefined ? null : { ...fieldsOf(row) };
  };

  const CONDITIONS: readonly Condition[] = [
    ABSENT,
    EXISTS,
    lacks('name'),
    is('version', 3),
    is('name', 'a'),
    is('name', 3),
    below('version', 3),
    below('version', 4),
    below('name', 4),
    below('nothing', 4),
    versionIs(0),
    versionIs(3),
    liveVersionIs(0, T0),
    liveVersionIs(3, T0),
    either(both(is('version', 3), is('name', 'b')), both(is('version', 3), lacks('nothing'))),
    both(either(is('version', 4), is('version', 3)), either(is('name', 'b'), is('name', 'c'))),
  ];
  const EXISTING: readonly (Fields | null)[] = [
    null,
    { version: 3 },
    { version: 3, name: 'a' },
    { version: 3, name: 'b', ttl: T0 / 1000 },
    { version: 3, ttl: T0 / 1000 + 1 },
    { version: 4, ttl: T0 / 1000 + 1 },
  ];
  test.each(EXISTING)('a condition means what `holds` says, in every kind of write: %o', async (fields) => {
    const rows = await anEngine();
    const key = keyOf('a');
    const beside = put('beside');
    for (const condition of CONDITIONS) {
      for (const write of [
        { kind: 'update', key, set: { version: 9, name: 'z' }, remove: ['ttl'], condition, returnOld: true },
        { kind: 'put', key, fields: { version: 9 }, condition, returnOld: true },
        { kind: 'delete', key, condition, returnOld: true },
        { kind: 'check', key, condition },
      ] as const) {
        const restore = async (): Promise<unknown> =>
          rows.write(fields === null ? { kind: 'delete', key } : { kind: 'put', key, fields });
        const old = write.kind === 'check' || fields === null ? null : { key, fields };
        const refusal = holds(condition, fields) ? null : { kind: 'condition', row: old };
        await restore();
        const alone = write.kind === 'check' ? refusal : await rows.write(write);
        expect({ write, refusal: alone }).toEqual({ write, refusal });
        await restore();
        const refusals = await rows.transact(`token-${++tokens}`, [write, beside]);
        expect({ write, refusals }).toEqual({ write, refusals: refusal && [refusal, null] });
      }
    }
  });

  test('fields come back as they were, and an update keeps the others', async () => {
    const rows = await anEngine();
    const key = keyOf('a');
    const fields = { text: 'ä', number: 0.1, body: Buffer.from('body'), long: Buffer.alloc(9_000, 'ab') };
    expect(await rows.write({ kind: 'put', key, fields })).toBeNull();
    expect(await rows.write({ kind: 'update', key, set: { more: 1 }, remove: ['text'] })).toBeNull();
    const stored = await read(rows, key);
    expect(Object.keys(stored ?? {}).sort()).toEqual(['body', 'long', 'more', 'number']);
    expect(stored).toMatchObject({ number: 0.1, more: 1 });
    for (const name of ['body', 'long'] as const)
      expect(Buffer.from(stored?.[name] as Uint8Array).equals(fields[name])).toBe(true);
  });

  test('a batch, several keys, and a range in pages and both directions', async () => {
    const rows = await anEngine();
    const sorts = ['a', 'b', 'c', 'd'];
    expect(await rows.batch(sorts.map((sort) => put(sort, { n: 1 })))).toEqual([]);
    expect(await rows.batch([{ kind: 'delete', key: keyOf('b') }, put('e')])).toEqual([]);
    const got = await rows.get([...sorts, 'x'].map((sort) => keyOf(sort)));
    expect(got.rows.map(({ key }) => key.sort).sort()).toEqual(['a', 'c', 'd']);
    expect(got.unread).toEqual([]);
    const range = { partition: 'p', from: '', to: 'd', limit: 2 };
    const first = await rows.range(range);
    expect([first.rows.map(({ key }) => key.sort), first.next]).toEqual([['a', 'c'], keyOf('c')]);
    const second = await rows.range({ ...range, after: first.next, isEventual: true });
    expect([second.rows.map(({ key }) => key.sort), second.next]).toEqual([['d'], null]);
    const back = await rows.range({ partition: 'p', from: 'c', to: 'z', reverse: true, keysOnly: true });
    expect(back.rows).toEqual(['e', 'd', 'c'].map((sort) => ({ key: keyOf(sort), fields: {} })));
  });

  test('the index of alarms, in order of minutes, in pages', async () => {
    const rows = await anEngine();
    for (const [nth, alarmMinute] of [3.5, 1.25, 2, 9].entries())
      await rows.write({
        kind: 'put',
        key: keyOf('STATUS', `JOB#${nth}`),
        fields: { alarmShard: nth === 3 ? 1 : 0, alarmMinute },
      });
    const range = { shard: 0, until: null, limit: 2, after: null };
    const place = (nth: number, minute: number) => ({ minute, key: keyOf('STATUS', `JOB#${nth}`) });
    const first = await rows.alarms(range);
    expect(first).toEqual({ alarms: [place(1, 1.25), place(2, 2)], next: place(2, 2) });
    expect(await rows.alarms({ ...range, after: first.next })).toEqual({ alarms: [place(0, 3.5)], next: null });
    expect(await rows.alarms({ ...range, until: 1.25 })).toEqual({ alarms: [place(1, 1.25)], next: null });
  });
});
