import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../shared/runtime/memory-store.ts';
import { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import { holds } from '../../shared/store/rows/condition.ts';
import type { Refusal, Write } from '../../shared/store/rows/row.ts';
import { failingCases } from './describe-store.ts';
import { aPatientClient, endpoint, makeDynamoStore, stopEngineAfterwards } from './dynamo-fixture.ts';
import { aLmdbStore } from './lmdb-fixture.ts';
import { HandClock, RETENTION_MS, type StoreUnderTest, type Stores } from './store-under-test.ts';

// Every fault planted here must turn the suite red, in every store.

stopEngineAfterwards();

type Fault = {
  readonly name: string;
  /** A case that must find it. */
  readonly foundBy: string;
  readonly plant: (stores: Stores) => Partial<Stores>;
};

const FAULTS: readonly Fault[] = [
  {
    name: 'a commit without its condition on the version',
    foundBy: 'eight committers of one Job: every version is the win of one of them',
    plant: ({ jobs }) => ({
      jobs: {
        ...jobs,
        async commitPass(uid, status, chunks) {
          for (;;) {
            const stored = await jobs.readStatus(uid);
            if (stored === null) return { kind: 'committed' };
            const commit = await jobs.commitPass(uid, { ...status, version: stored.version + 1 }, chunks);
            if (commit.kind === 'committed' || chunks.length > 0) return commit;
          }
        },
      },
    }),
  },
  {
    name: 'a lost commit that is answered as committed',
    foundBy: 'a pass loses if it read an older version, or if the Job does not exist',
    plant: ({ jobs }) => ({
      jobs: {
        ...jobs,
        async commitPass(uid, status, chunks) {
          await jobs.commitPass(uid, status, chunks);
          return { kind: 'committed' };
        },
      },
    }),
  },
  {
    name: 'chunks that are not written together with the status',
    foundBy: 'a fold with one chunk of another version, or a stale status, writes nothing at all',
    plant: ({ jobs }) => ({
      jobs: {
        ...jobs,
        async commitPass(uid, status, chunks) {
          const commit = await jobs.commitPass(uid, status, []);
          if (commit.kind === 'lost' || chunks.length === 0) return commit;
          return jobs.commitPass(uid, { ...status, version: status.version + 1 }, chunks);
        },
      },
    }),
  },
  {
    name: 'a name that stays in use when its Job is deleted',
    foundBy: 'a deleted Job frees its name at once, and a new Job under it is another Job',
    plant: ({ jobs }) => ({
      jobs: { ...jobs, commitDeletion: async ({ uid }, status) => jobs.commitPass(uid, status, []) },
    }),
  },
  {
    name: 'a launch row where the last writer wins',
    foundBy: 'a launch and its cancel exclude each other, with ten slots in a row',
    plant: ({ jobs }) => ({
      jobs: {
        ...jobs,
        async writeLaunches(uid, row, expireAt) {
          const outcome = await jobs.writeLaunches(uid, row, expireAt);
          if (outcome.kind === 'written') return outcome;
          return jobs.writeLaunches(uid, { ...row, version: outcome.row.version }, expireAt);
        },
      },
    }),
  },
  {
    name: 'a change that is published twice',
    foundBy: 'eight publishers of the same change: one appends it, the others are outrun',
    plant: ({ feed }) => ({
      feed: {
        ...feed,
        async append(entries, at) {
          const outcome = await feed.append(entries, at);
          if (outcome.kind === 'appended') return outcome;
          const marks = await Promise.all(entries.map(async ({ uid }) => feed.readMark(uid)));
          return feed.append(
            entries.map((entry, nth) => ({ ...entry, after: marks[nth]?.version ?? 0 })),
            at,
          );
        },
      },
    }),
  },
  {
    name: 'an object where the last writer wins',
    foundBy: 'eight writers of one object at one version: one wins, the others lose, and one change is published',
    plant: ({ objects }) => ({
      objects: {
        ...objects,
        async commit(kind, change) {
          const commit = await objects.commit(kind, change);
          if (commit.kind !== 'lost') return commit;
          const was = (await objects.read(kind, change.key))?.version ?? 0;
          return objects.commit(kind, { ...change, was });
        },
      },
    }),
  },
  {
    name: 'a part that replaces another of its number',
    foundBy: 'a part that comes twice is one part; another of its number is a conflict and changes nothing',
    plant: ({ items }) => ({
      items: {
        ...items,
        async writePart(head, part) {
          await items.writePart(head, part);
          return { kind: 'written' };
        },
      },
    }),
  },
  {
    name: 'a content that is removed although a Job has reserved it',
    foundBy:
      'a reserved content is not removed; one that nobody needs is hidden at once and deleted half an hour later',
    plant: ({ items }) => ({
      items: {
        ...items,
        async remove(content) {
          for (const { job } of await items.listReservations(content)) await items.release(content, job);
          return items.remove(content);
        },
      },
    }),
  },
  {
    name: 'a change of an object that is published twice',
    foundBy: 'eight writers of one kind: nothing is lost, and each number is published once, in order',
    plant: ({ objects }) => ({
      objects: {
        ...objects,
        async commit(kind, change) {
          const commit = await objects.commit(kind, change);
          if (commit.kind !== 'committed' || change.document === null) return commit;
          return objects.commit(kind, { ...change, was: commit.version });
        },
      },
    }),
  },
  {
    name: 'an object that enters a Terminating namespace',
    foundBy: 'nothing enters a missing or Terminating namespace; its objects can change and be deleted',
    plant: ({ objects }) => ({
      objects: {
        ...objects,
        async commit(kind, change) {
          const commit = await objects.commit(kind, change);
          return commit.kind === 'terminating' ? { kind: 'committed', version: 1 } : commit;
        },
      },
    }),
  },
  {
    name: 'a lease that two dispatchers get',
    foundBy: 'eight dispatchers request the same lease at the same moment: one gets it',
    plant: ({ limits }) => ({
      limits: {
        ...limits,
        async commit(name, expectedVersion, state) {
          const { row } = await limits.commit(name, expectedVersion, state);
          return { kind: 'committed', row };
        },
      },
    }),
  },
];

const withFault = (store: StoreUnderTest, { plant }: Fault): StoreUnderTest => ({ ...store, ...plant(store) });

async function aMemoryStore(): Promise<StoreUnderTest> {
  const clock = new HandClock();
  return { ...createMemoryStore({ now: clock.now, feedRetentionMs: RETENTION_MS }), clock };
}

describe('planted in the store in memory', () => {
  test.each(FAULTS)('$name: found', async (fault) => {
    expect(await failingCases(async () => withFault(await aMemoryStore(), fault))).toContain(fault.foundBy);
  });

  test('nothing: nothing found', async () => {
    expect(await failingCases(aMemoryStore)).toEqual([]);
  });
});

/** What a careless file makes of writes. */
type Carelessness = (disk: LmdbRows, writes: readonly Write[]) => Promise<readonly Write[]>;

const withoutLife = (write: Write): Write => {
  if (write.kind === 'put') return { ...write, fields: lifeless(write.fields) };
  return write.kind === 'update' ? { ...write, set: lifeless(write.set) } : write;
};
function lifeless<T extends object>(fields: T): Omit<T, 'ttl'> {
  const { ttl: _ttl, ...rest } = fields as T & { readonly ttl?: number };
  return rest;
}

const CARELESS: readonly (readonly [name: string, foundBy: string, Carelessness])[] = [
  [
    'decisions on what is on the disk, not on those before them',
    'eight committers of one Job: every version is the win of one of them',
    async (disk, writes) => {
      const { rows } = await disk.get(writes.map(({ key }) => key));
      return writes.map(({ condition, ...write }): Write => {
        const found = rows.find(({ key }) => key.sort === write.key.sort && key.partition === write.key.partition);
        const isMet = condition === undefined || holds(condition, found?.fields ?? null);
        return isMet ? write : { ...write, condition };
      });
    },
  ],
  [
    'decisions of which one row is stored',
    'a fold stores status and chunks, and chunks that are not stored are not in the map',
    async (_, writes) => writes.slice(0, 1),
  ],
  [
    'rows that lose the end of their life when they are written again',
    'the rows of an expired Job disappear in time, and expiring creates no rows',
    async (_, writes) =>
      writes.map((write) =>
        write.kind === 'update' && !('ttl' in write.set)
          ? { ...write, remove: [...(write.remove ?? []), 'ttl'] }
          : write,
      ),
  ],
  [
    'rows that outlive their time',
    'a row of names disappears when it expires, and can be written again',
    async (_, writes) => writes.map(withoutLife),
  ],
];

describe('planted in the store in LMDB', () => {
  test.each(FAULTS)('$name: found', async (fault) => {
    expect(await failingCases(async () => withFault(await aLmdbStore(), fault), fault.foundBy)).toEqual([
      fault.foundBy,
    ]);
  });

  test.each(CARELESS)('%s: found', async (_, foundBy, careless) => {
    class CarelessRows extends LmdbRows {
      override async write(write: Write): Promise<Refusal | null> {
        return super.write((await careless(this, [write]))[0] ?? write);
      }
      override async transact(token: string, writes: readonly Write[]): Promise<readonly (Refusal | null)[] | null> {
        return super.transact(token, await careless(this, writes));
      }
    }
    // This promise alone: callers of others would try for ever.
    expect(await failingCases(async () => aLmdbStore(CarelessRows), foundBy)).toEqual([foundBy]);
  });
});

describe.skipIf(endpoint === null)('planted in the store in DynamoDB', () => {
  const client = aPatientClient();
  test.each(FAULTS)('$name: found', async (fault) => {
    const failing = failingCases(async () => withFault(await makeDynamoStore(client), fault), fault.foundBy);
    expect(await failing).toEqual([fault.foundBy]);
  });
});
