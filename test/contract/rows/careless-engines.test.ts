import { describe, expect, test } from 'vitest';
import { createTable } from '../../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { createDynamoRows } from '../../../shared/adapters/rows/dynamodb.ts';
import { createMemoryRows } from '../../../shared/adapters/rows/memory.ts';
import { createStore } from '../../../shared/store/create-store.ts';
import { FIELD, type Rows, type Write } from '../../../shared/store/rows/row.ts';
import { failingCases } from '../describe-store.ts';
import { aPatientClient, endpoint, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { HandClock, RETENTION_MS, type StoreUnderTest } from '../store-under-test.ts';

// Engines that break a promise: the store's contract must find it, whatever the engine.

stopEngineAfterwards();

/** What an engine does otherwise. */
type Careless = (rows: Rows) => Partial<Rows>;

const unconditional = ({ condition: _condition, ...write }: Write): Write => write as Write;

/** Writes of this kind, alone, are carried out whatever is there. */
const careless =
  (kind: Write['kind']): Careless =>
  (rows) => ({ write: async (write) => rows.write(write.kind === kind ? unconditional(write) : write) });
const carelessTransactions: Careless = (rows) => ({
  transact: async (token, writes) =>
    rows.transact(token, writes.filter(({ kind }) => kind !== 'check').map(unconditional)),
});
/** Changes each write, in a transaction or alone. */
const changing =
  (change: (write: Write) => Write): Careless =>
  (rows) => ({
    write: async (write) => rows.write(change(write)),
    transact: async (token, writes) => rows.transact(token, writes.map(change)),
  });

/** Many writers of one process queue, so some faults show only where processes race. */
const FAULTS: readonly (readonly [name: string, foundBy: string, Careless])[] = [
  [
    'an update whose condition always holds',
    'eight committers of one Job: every version is the win of one of them',
    careless('update'),
  ],
  [
    'an update whose condition always holds',
    'a launch row is written version by version; the loser gets the current row',
    careless('update'),
  ],
  [
    'an update whose condition always holds',
    'every caller gets the template that was stored first',
    careless('update'),
  ],
  [
    'an update whose condition always holds',
    'no two Jobs that reserve at the same time get the same names',
    careless('update'),
  ],
  [
    'an update whose condition always holds',
    'one of several concurrent writers of a row of names wins, and the others see what it wrote',
    careless('update'),
  ],
  [
    'a deletion whose condition always holds',
    'a row without names is removed, unless it has been written meanwhile',
    careless('delete'),
  ],
  [
    'a transaction whose conditions always hold',
    'a second Job of the same name gets taken, and nothing of it is stored',
    carelessTransactions,
  ],
  [
    'a transaction whose conditions always hold',
    'eight folds of the same version: one wins, and the chunks are those of the winner',
    carelessTransactions,
  ],
  [
    'a transaction whose conditions always hold',
    'eight publishers of several Jobs: numbers without gaps, every entry exactly once',
    carelessTransactions,
  ],
  [
    'a transaction whose conditions always hold',
    'eight writers of one kind: nothing is lost, and each number is published once, in order',
    carelessTransactions,
  ],
  [
    'a transaction whose conditions always hold',
    'eight writers of one object at one version: one wins, the others lose, and one change is published',
    carelessTransactions,
  ],
  [
    'a transaction of which one write is carried out',
    'a fold stores status and chunks, and chunks that are not stored are not in the map',
    (rows) => ({ transact: async (token, writes) => rows.transact(token, writes.slice(0, 1)) }),
  ],
  [
    'a refusal that does not bring the row',
    'a launch row is written version by version; the loser gets the current row',
    changing((write) => ({ ...write, returnOld: false })),
  ],
  [
    'rows that lose the end of their life when they are written again',
    'the rows of an expired Job disappear in time, and expiring creates no rows',
    changing((write) =>
      write.kind === 'update' && !(FIELD.ttl in write.set)
        ? { ...write, remove: [...(write.remove ?? []), FIELD.ttl] }
        : write,
    ),
  ],
  [
    'rows that outlive their time',
    'a row of names disappears when it expires, and can be written again',
    changing((write) => {
      if (write.kind !== 'update') return write;
      const { [FIELD.ttl]: _ttl, ...set } = write.set;
      return { ...write, set };
    }),
  ],
  [
    'fields that are not removed',
    'a new Job is due at once, and commits move, remove, and restore its alarm',
    changing((write) => (write.kind === 'update' ? { ...write, remove: [] } : write)),
  ],
  [
    'a batch of which one write is left out',
    'hundreds of records are written at once, one named twice among them, or none',
    (rows) => ({ batch: async (writes) => rows.batch(writes.slice(1)) }),
  ],
  [
    'a page that is said to be the last one',
    'due Jobs are paged, each once, in pages of any size',
    (rows) => ({ alarms: async (range) => ({ ...(await rows.alarms(range)), next: null }) }),
  ],
  [
    'a range in the wrong order',
    'every item of a sealed content is read by its number, and none beyond',
    (rows) => ({ range: async (range) => rows.range({ ...range, reverse: false }) }),
  ],
  [
    'keys that are not read',
    'ninety chunks are folded and read at once',
    (rows) => ({ get: async (keys) => rows.get(keys.slice(0, 50)) }),
  ],
];

/** The engine, but for what `changed` does otherwise. */
const otherwise = (rows: Rows, changed: Partial<Rows>): Rows => ({
  get: async (keys) => rows.get(keys),
  range: async (range) => rows.range(range),
  write: async (write) => rows.write(write),
  transact: async (token, writes) => rows.transact(token, writes),
  batch: async (writes) => rows.batch(writes),
  alarms: async (range) => rows.alarms(range),
  storedBytes: (body) => rows.storedBytes(body),
  pause: async (ms) => rows.pause(ms),
  atOnce: rows.atOnce,
  ...changed,
});

let tokens = 0;

/** A store over an engine, with eight processes, each of which commits every eighth object. */
async function aStoreOver(makeRows: (clock: HandClock) => Promise<Rows>, change: Careless): Promise<StoreUnderTest> {
  const clock = new HandClock();
  const rows = await makeRows(clock);
  const options = { now: clock.now, newToken: () => `token-${++tokens}`, feedRetentionMs: RETENTION_MS };
  const processes = Array.from({ length: 8 }, () => createStore(otherwise(rows, change(rows)), options));
  const store = createStore(otherwise(rows, change(rows)), options);
  let commits = 0;
  const next = () => processes[commits++ % processes.length]?.objects ?? store.objects;
  return { ...store, clock, objects: { ...store.objects, commit: async (kind, each) => next().commit(kind, each) } };
}

const inMemory = async (clock: HandClock): Promise<Rows> => createMemoryRows({ now: clock.now });

describe('of rows in memory', () => {
  test.each(FAULTS)('%s: found by "%s"', async (_, foundBy, change) => {
    expect(await failingCases(async () => aStoreOver(inMemory, change), foundBy)).toEqual([foundBy]);
  });

  test('nothing: nothing found', async () => {
    expect(await failingCases(async () => aStoreOver(inMemory, () => ({})))).toEqual([]);
  });
});

describe.skipIf(endpoint === null)('of rows in DynamoDB', () => {
  const client = aPatientClient();
  let tables = 0;
  const inDynamo = async (): Promise<Rows> => {
    const tableName = `careless-${++tables}`;
    await createTable(client, tableName);
    return createDynamoRows({ client, tableName });
  };

  test.each(FAULTS)('%s: found by "%s"', async (_, foundBy, change) => {
    expect(await failingCases(async () => aStoreOver(inDynamo, change), foundBy)).toEqual([foundBy]);
  });
});
