import { expect } from 'vitest';
import { ABSENT, is } from '../../../shared/store/rows/condition.ts';
import type { Fields, RowKey, Rows, Write } from '../../../shared/store/rows/row.ts';
import { noise, walk } from './any-program.ts';
import type { RowCase } from './row-cases.ts';

// What a table of DynamoDB refuses, whatever is in it (aws.md 2.1; API reference, "Errors" of each operation).

let partitions = 0;
const aPartition = (): string => `table-${++partitions}`;
const KB = 1024;
/** Bytes of a body that make a row of 400 KB, and those that its engine and its names may add. */
const FULL = 400 * KB;
const SLACK = 64;
const NOISE = noise(FULL);

const key = (partition: string, sort = 'a'): RowKey => ({ partition, sort });
const put = (partition: string, sort: string, fields: Fields = {}): Write => ({
  kind: 'put',
  key: key(partition, sort),
  fields,
});
const update = (partition: string, sort: string, set: Fields, remove: readonly string[] = []): Write => ({
  kind: 'update',
  key: key(partition, sort),
  set,
  remove,
});
const several = (count: number, write: (sort: string) => Write): readonly Write[] =>
  Array.from({ length: count }, (_, n) => write(`s${n}`));

type Ask = (rows: Rows, p: string) => Promise<unknown>;
const single =
  (write: (p: string) => Write): Ask =>
  async (rows, p) =>
    rows.write(write(p));
const together =
  (writes: (p: string) => readonly Write[]): Ask =>
  async (rows, p) =>
    rows.transact(p, writes(p));
const batched =
  (writes: (p: string) => readonly Write[]): Ask =>
  async (rows, p) =>
    rows.batch(writes(p));

const REFUSED: Readonly<Record<string, Ask>> = {
  'a put of more than 400 KB': single((p) => put(p, 'a', { body: NOISE })),
  'a put of more than 400 KB in a batch': batched((p) => [put(p, 'a', { body: NOISE })]),
  'a put of more than 400 KB in a transaction': together((p) => [put(p, 'a', { body: NOISE })]),
  'an update to more than 400 KB': single((p) => update(p, 'a', { body: NOISE })),
  'a transaction of no writes': together(() => []),
  'a transaction of 101 writes': together((p) => several(101, (sort) => put(p, sort))),
  'a transaction of more than 4 MB': together((p) =>
    several(11, (sort) => put(p, sort, { body: NOISE.subarray(0, 390 * KB) })),
  ),
  'a transaction that names a row twice': together((p) => [put(p, 'a'), update(p, 'a', { n: 1 })]),
  'a check without a condition': together((p) => [put(p, 'b'), { kind: 'check', key: key(p) }]),
  'a batch of 26 writes': batched((p) => several(26, (sort) => put(p, sort))),
  'a batch that names a row twice': batched((p) => [put(p, 'a'), { kind: 'delete', key: key(p) }]),
  'an empty partition': single(() => put('', 'a')),
  'an empty sort key': single((p) => put(p, '')),
  'an empty sort key in a batch': batched((p) => [put(p, '')]),
  'a partition of 2,049 bytes': single((p) => put(p.padEnd(2_049, 'p'), 'a')),
  'a sort key of 1,025 bytes': single((p) => put(p, 's'.repeat(1_025))),
  'a key field that a put has': single((p) => put(p, 'a', { sk: 'x' })),
  'a key field that an update sets': single((p) => update(p, 'a', { pk: 'x' })),
  'a key field that an update removes': single((p) => update(p, 'a', { n: 1 }, ['sk'])),
  'a field that an update both sets and removes': single((p) => update(p, 'a', { n: 1 }, ['n'])),
  'a number that is none': single((p) => put(p, 'a', { n: Number.NaN })),
  'an infinite number': single((p) => update(p, 'a', { n: Number.POSITIVE_INFINITY })),
  'a number of more than DynamoDB stores': single((p) => put(p, 'a', { n: 1e126 })),
  'a number nearer to 0 than DynamoDB stores': single((p) => put(p, 'a', { n: 1e-131 })),
  'a shard that is no number': single((p) => put(p, 'a', { alarmShard: 'x', alarmMinute: 1 })),
  'a page of no rows': async (rows, partition) => rows.range({ partition, from: 'a', to: 'b', limit: 0 }),
  'no alarms': async (rows) => rows.alarms({ shard: 0, until: null, limit: 0, after: null }),
  '101 keys': async (rows, p) => rows.get(Array.from({ length: 101 }, (_, n) => key(p, `s${n}`))),
  'a key twice': async (rows, p) => rows.get([key(p), key(p, 'b'), key(p)]),
};

/** The same, of which dynoxide answers with an empty page. */
const REFUSED_BY_AWS: Readonly<Record<string, Ask>> = {
  'a range that goes on after a row outside of it': async (rows, partition) =>
    rows.range({ partition, from: 'a', to: 'b', after: key(partition, 'c') }),
  'a range of another partition than the row it goes on after': async (rows, partition) =>
    rows.range({ partition, from: 'a', to: 'b', after: key(`${partition}#`) }),
};

/** What DynamoDB takes, so that the limits above are where they are. */
const TAKEN: Readonly<Record<string, Ask>> = {
  'a row of 400 KB': single((p) => put(p, 'a', { body: NOISE.subarray(0, FULL - SLACK) })),
  'a transaction of 100 writes': together((p) => several(100, (sort) => put(p, sort))),
  'a transaction of just below 4 MB': together((p) =>
    several(10, (sort) => put(p, sort, { body: NOISE.subarray(0, FULL - SLACK) })),
  ),
  'a batch of 25 writes': batched((p) => several(25, (sort) => put(p, sort))),
  'a partition of 2,048 bytes': single((p) => put(p.padEnd(2_048, 'p'), 'a')),
  'a sort key of 1,024 bytes': single((p) => put(p, 's'.repeat(1_024))),
  'large and small numbers': single((p) => put(p, 'a', { large: 9e125, small: -1e-130 })),
};

const refusals = (asks: Readonly<Record<string, Ask>>): readonly RowCase[] =>
  Object.entries(asks).map(([name, ask]) => ({
    name: `refused, and nothing is written: ${name}`,
    async run(rows: Rows) {
      const p = aPartition();
      const error: unknown = await ask(rows, p).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      const names = ['ValidationException', 'TransactionCanceledException', 'InvariantError'];
      expect(names).toContain((error as Error).name);
      expect(await walk(rows, { partition: p, from: '', to: '\u{10ffff}' })).toEqual([]);
    },
  }));

const acceptances = (asks: Readonly<Record<string, Ask>>): readonly RowCase[] =>
  Object.entries(asks).map(([name, ask]) => ({
    name: `taken: ${name}`,
    async run(rows: Rows) {
      const answer = await ask(rows, aPartition());
      expect([null, []]).toContainEqual(answer);
    },
  }));

export const AWS_CASES: readonly RowCase[] = refusals(REFUSED_BY_AWS);

export const TABLE_CASES: readonly RowCase[] = [
  ...refusals(REFUSED),
  ...acceptances(TAKEN),
  {
    name: 'a transaction that comes again with its token is carried out once, and done',
    async run(rows) {
      const p = aPartition();
      const create: readonly Write[] = [{ ...put(p, 'a', { version: 1 }), condition: ABSENT, returnOld: true }];
      expect(await rows.transact(`${p}-1`, create)).toBeNull();
      await rows.write({ ...update(p, 'a', { version: 2 }), condition: is('version', 1) });
      expect(await rows.transact(`${p}-1`, create)).toBeNull();
      expect((await rows.get([key(p)])).rows[0]?.fields).toEqual({ version: 2 });
      expect(await rows.transact(`${p}-2`, create)).toMatchObject([{ row: { fields: { version: 2 } } }]);
    },
  },
  {
    name: 'a token names one transaction only',
    async run(rows) {
      const p = aPartition();
      expect(await rows.transact(p, [put(p, 'a')])).toBeNull();
      await expect(rows.transact(p, [put(p, 'b')])).rejects.toMatchObject({
        name: 'IdempotentParameterMismatchException',
      });
    },
  },
  {
    name: 'a transaction that was refused is tried anew with its token',
    async run(rows) {
      const p = aPartition();
      await rows.write(put(p, 'a'));
      const create: readonly Write[] = [{ ...put(p, 'a', { n: 1 }), condition: ABSENT }];
      expect(await rows.transact(p, create)).toEqual([{ kind: 'condition', row: null }]);
      await rows.write({ kind: 'delete', key: key(p) });
      expect(await rows.transact(p, create)).toBeNull();
    },
  },
];
