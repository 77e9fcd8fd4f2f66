import { describe, expect, test } from 'vitest';
import { freshNamespace, terminating } from '../../shared/domain/manifests/namespace.ts';
import {
  type Fate,
  type WireRequest,
  cancelled,
  conflict,
  dynamoError,
  faultsBeneath,
} from '../support/faults-beneath-sdk.ts';
import { createDynamoStore } from '../../shared/runtime/dynamo-store.ts';
import { CALM_CASES, describeStore } from './describe-store.ts';
import { aClient, aPatientClient, endpoint, makeDynamoStore, stopEngineAfterwards } from './dynamo-fixture.ts';
import {
  type StoreUnderTest,
  T0,
  aChunk,
  aNewJob,
  aStoredJob,
  anAttempt,
  anEntry,
  at,
  following,
} from './store-under-test.ts';
import { openNamespace } from '../support/a-namespace.ts';

stopEngineAfterwards();

const WRITES = ['UpdateItem', 'PutItem', 'DeleteItem', 'TransactWriteItems', 'BatchWriteItem'];
const LATER = at(3_600_000);
const TEMPLATE = { taskDefinition: 'td:1', containers: ['main'], placement: '{}' };
const DONE: Fate = { kind: 'carriedOut' };
const CRON = { namespace: 'default', name: 'c' };
const A_DOCUMENT = { metadata: { uid: 'u-1' } };

/** Every writing request, but only its first try: the SDK's repeat goes through. */
const firstOfEachWrite =
  (fate: (request: WireRequest) => Fate) =>
  (request: WireRequest): Fate =>
    request.attempt === 1 && WRITES.includes(request.command) ? fate(request) : DONE;

/** A repeat after ten minutes, when DynamoDB has forgotten the token and only the rows can tell. */
function forgetTokens(request: WireRequest): void {
  const token = request.body['ClientRequestToken'];
  if (typeof token === 'string') request.body['ClientRequestToken'] = `${token}-${request.attempt}`;
}

async function aStore(decide: (request: WireRequest) => Fate, client = aPatientClient()): Promise<StoreUnderTest> {
  const store = await makeDynamoStore(client);
  faultsBeneath(client, decide);
  return store;
}

describe.skipIf(endpoint === null)('beneath the SDK', () => {
  describeStore(
    'whose every write loses its first answer, a store',
    async () => aStore(firstOfEachWrite(() => ({ kind: 'answerLost' }))),
    CALM_CASES,
  );

  describeStore(
    'whose every write loses its first answer, and is repeated late, a store',
    async () =>
      aStore((request) => {
        forgetTokens(request);
        return firstOfEachWrite(() => ({ kind: 'answerLost' }))(request);
      }),
    CALM_CASES,
  );

  describeStore('whose every write is not sent at first, a store', async () =>
    aStore(firstOfEachWrite(() => ({ kind: 'notSent' }))),
  );
});

type Write = {
  readonly name: string;
  /** The method's answer when one transaction conflicts. */
  readonly onConflict: object | undefined;
  /** Prepares the store and returns the write under test. */
  readonly prepare: (store: StoreUnderTest) => Promise<() => Promise<unknown>>;
};

/** Every method that writes conditionally. */
const CONDITIONAL_WRITES: readonly Write[] = [
  {
    name: 'createJob',
    onConflict: { kind: 'created' },
    async prepare({ jobs, objects }) {
      const { spec, status } = aNewJob();
      await openNamespace(objects);
      return async () => jobs.createJob(spec, status);
    },
  },
  {
    name: 'commitPass',
    onConflict: { kind: 'lost' },
    async prepare(store) {
      const { status, uid } = await aStoredJob(store);
      return async () => store.jobs.commitPass(uid, following(status), []);
    },
  },
  {
    name: 'commitPass with chunks',
    onConflict: { kind: 'lost' },
    async prepare(store) {
      const { status, uid } = await aStoredJob(store);
      return async () => store.jobs.commitPass(uid, following(status), [aChunk(status, 0, 0, { attempt: 1 })]);
    },
  },
  {
    name: 'commitSpec',
    onConflict: { kind: 'lost' },
    async prepare(store) {
      const { spec, status } = await aStoredJob(store);
      return async () => store.jobs.commitSpec({ ...spec, revision: 2 }, following(status));
    },
  },
  {
    name: 'commitDeletion',
    onConflict: { kind: 'lost' },
    async prepare(store) {
      const { spec, status } = await aStoredJob(store);
      return async () => store.jobs.commitDeletion(spec.identity, following(status));
    },
  },
  {
    name: 'freeName',
    onConflict: undefined,
    async prepare(store) {
      const { spec } = await aStoredJob(store);
      return async () => store.jobs.freeName(spec.identity);
    },
  },
  {
    name: 'addTemplate',
    onConflict: [TEMPLATE],
    async prepare(store) {
      const { uid } = await aStoredJob(store);
      return async () => store.jobs.addTemplate(uid, 0, TEMPLATE);
    },
  },
  {
    name: 'writeLaunches',
    onConflict: { kind: 'lost', row: { row: 0, version: 0, slots: [] } },
    async prepare(store) {
      const { uid } = await aStoredJob(store);
      return async () => store.jobs.writeLaunches(uid, { row: 0, version: 0, slots: [] }, LATER);
    },
  },
  {
    name: 'append',
    onConflict: { kind: 'appended', number: 1 },
    async prepare(store) {
      const { uid } = await aStoredJob(store);
      return async () => store.feed.append([anEntry(uid, 0, 1)], T0);
    },
  },
  {
    name: 'objects.commit of a new object',
    onConflict: { kind: 'committed', version: 1 },
    async prepare({ objects }) {
      await openNamespace(objects);
      return async () => objects.commit('Service', { key: CRON, was: 0, document: A_DOCUMENT });
    },
  },
  {
    name: 'objects.commit of a change',
    onConflict: { kind: 'committed', version: 2 },
    async prepare({ objects }) {
      await openNamespace(objects);
      await objects.commit('Service', { key: CRON, was: 0, document: A_DOCUMENT });
      return async () => objects.commit('Service', { key: CRON, was: 1, document: A_DOCUMENT });
    },
  },
  {
    name: 'objects.commit of a removal',
    onConflict: { kind: 'committed', version: 2 },
    async prepare({ objects }) {
      await openNamespace(objects);
      await objects.commit('Service', { key: CRON, was: 0, document: A_DOCUMENT });
      return async () => objects.commit('Service', { key: CRON, was: 1, document: null });
    },
  },
  {
    name: 'limits.commit',
    onConflict: { kind: 'lost', row: { version: 0, state: { nextFreeAt: 0, cut: null, recent: null } } },
    prepare:
      async ({ limits }) =>
      async () =>
        limits.commit('launch', 0, { nextFreeAt: T0, cut: null, recent: null }),
  },
];

/** A store with `fates`: each writing request takes the next one, if there is one. */
async function aStoreOfFates(client = aPatientClient()) {
  const fates: ((request: WireRequest) => Fate)[] = [];
  const decide = (request: WireRequest): Fate =>
    WRITES.includes(request.command) ? (fates.shift()?.(request) ?? DONE) : DONE;
  const store = await makeDynamoStore(client);
  faultsBeneath(client, decide);
  const { tableName, clock } = store;
  /** What another process has. */
  const others = createDynamoStore({ client, tableName, now: clock.now });
  return { store, others, fates };
}

describe.skipIf(endpoint === null)('a transaction in the way', () => {
  test.each(CONDITIONAL_WRITES)('$name: reports it or tries again, and leaves nothing incomplete', async (write) => {
    const { store, fates } = await aStoreOfFates();
    const call = await write.prepare(store);
    fates.push(conflict);
    expect(await call()).toEqual(write.onConflict);
    expect(fates).toEqual([]);
  });

  test('expireJob: every row still expires', async () => {
    const { store, fates } = await aStoreOfFates();
    const { uid } = await aStoredJob(store);
    fates.push(conflict, conflict, conflict);
    await store.jobs.expireJob(uid, 1, LATER);
    store.clock.advance(3_600_000);
    expect(await store.jobs.readStatus(uid)).toBeNull();
    expect(await store.jobs.readSpec(uid)).toBeNull();
  });

  test('a lasting conflict with a new Job is thrown in the end, and nothing is created', async () => {
    const { store, fates } = await aStoreOfFates();
    const { spec, status, uid } = aNewJob();
    await openNamespace(store.objects);
    fates.push(...Array.from({ length: 7 }, () => conflict));
    await expect(store.jobs.createJob(spec, status)).rejects.toThrow('other transactions were in the way');
    expect(await store.jobs.readStatus(uid)).toBeNull();
  });
});

describe.skipIf(endpoint === null)('a throttle', () => {
  const THROTTLES = [
    'ProvisionedThroughputExceededException',
    'ThrottlingException',
    'RequestLimitExceeded',
    'TransactionInProgressException',
  ];

  test.each(CONDITIONAL_WRITES)('$name: is retried, with the same result as without the fault', async (write) => {
    const [calm, rough] = await Promise.all([aStoreOfFates(), aStoreOfFates()]);
    const expected = await (await write.prepare(calm.store))();
    const call = await write.prepare(rough.store);
    const nth = CONDITIONAL_WRITES.indexOf(write);
    rough.fates.push(() => dynamoError(THROTTLES[nth % THROTTLES.length]!, 'slow down'));
    expect(await call()).toEqual(expected);
    expect(rough.fates).toEqual([]);
  });

  test('is retried by the client of the functions, too, after a wait', async () => {
    const { store, fates } = await aStoreOfFates(aClient());
    const { status, uid } = await aStoredJob(store);
    fates.push(
      () => dynamoError('ThrottlingException', 'slow down'),
      () => ({ kind: 'answerLost' }),
    );
    expect(await store.jobs.commitPass(uid, following(status), [])).toEqual({ kind: 'committed' });
    expect(fates).toEqual([]);
  });

  test('within a transaction is thrown, because the SDK does not retry it', async () => {
    const { store, fates } = await aStoreOfFates();
    const { spec, status, uid } = await aStoredJob(store);
    fates.push(({ body }) => cancelled(body, 'ThrottlingError', 'Throughput exceeds the current capacity'));
    await expect(store.jobs.commitSpec(spec, following(status))).rejects.toThrow('ThrottlingError');
    expect(await store.jobs.readStatus(uid)).toEqual(status);
  });

  test('of a part of a batch: that part is retried', async () => {
    const { store, fates } = await aStoreOfFates();
    const { uid } = await aStoredJob(store);
    const nothing = ({ body }: WireRequest): Fate => ({
      kind: 'answered',
      status: 200,
      body: { UnprocessedItems: body['RequestItems'] },
    });
    fates.push(nothing, nothing);
    const records = Array.from({ length: 60 }, (_, index) => anAttempt(index));
    await store.jobs.writeAttempts(uid, records, LATER);
    expect(fates).toEqual([]);
    expect(await store.jobs.readAttempts(uid, 0, 100)).toEqual(records);
  });

  test('of a part of a read: that part is retried', async () => {
    let first = true;
    const store = await aStore(({ command, body }) => {
      if (command !== 'BatchGetItem' || !first) return DONE;
      first = false;
      return { kind: 'answered', status: 200, body: { Responses: {}, UnprocessedKeys: body['RequestItems'] } };
    });
    const { status, uid } = await aStoredJob(store, { completions: 9_000 });
    const chunks = [0, 1, 2].map((no) => aChunk(status, no, 0, { attempt: 1 }));
    await store.jobs.commitPass(uid, following(status), chunks);
    expect((await store.jobs.readChunks(uid, [0, 1, 2])).size).toBe(3);
    expect(first).toBe(false);
  });
});

describe.skipIf(endpoint === null)('an error that nobody expects', () => {
  test.each(CONDITIONAL_WRITES)('$name: is thrown, because the outcome is unknown', async (write) => {
    const { store, fates } = await aStoreOfFates();
    const call = await write.prepare(store);
    fates.push(() => dynamoError('AccessDeniedException', 'not for you'));
    await expect(call()).rejects.toThrow('not for you');
  });
});

describe.skipIf(endpoint === null)('an answer that is lost while others go on', () => {
  test('a commit is lost if others have committed after it', async () => {
    const { store, fates } = await aStoreOfFates();
    const { status, uid } = await aStoredJob(store);
    const ours = following(status, 'ours');
    const theirs = following(ours, 'theirs');
    fates.push(() => ({ kind: 'answerLost', meanwhile: async () => store.jobs.commitPass(uid, theirs, []) }));
    expect(await store.jobs.commitPass(uid, ours, [])).toEqual({ kind: 'lost' });
    expect(await store.jobs.readStatus(uid)).toEqual(theirs);
  });

  test('a Job counts as created, even if another process has deleted it since', async () => {
    const { store, fates } = await aStoreOfFates();
    const { spec, status, uid } = aNewJob();
    await openNamespace(store.objects);
    const purging = following(status);
    const deleteIt = async (): Promise<unknown> => store.jobs.commitDeletion(spec.identity, purging);
    fates.push((request) => {
      forgetTokens(request);
      return { kind: 'answerLost', meanwhile: deleteIt };
    });
    expect(await store.jobs.createJob(spec, status)).toEqual({ kind: 'created' });
    expect(await store.jobs.findJob('default', 'work')).toBeNull();
    expect(await store.jobs.readStatus(uid)).toEqual(purging);
  });

  test.each(['stored', 'changed', 'removed'])(
    'an object that was %s has one row and is known as ours, however many rows others have added since',
    async (how) => {
      const { store, others, fates } = await aStoreOfFates();
      const { objects } = store;
      await openNamespace(objects);
      const other = { namespace: 'default', name: 'other' };
      const was = how === 'stored' ? 0 : 1;
      if (was === 1) await objects.commit('Service', { key: CRON, was: 0, document: A_DOCUMENT });
      const goOn = async (): Promise<unknown> =>
        others.objects.commit('Service', { key: other, was: 0, document: A_DOCUMENT });
      fates.push((request) => {
        forgetTokens(request);
        return { kind: 'answerLost', meanwhile: goOn };
      });
      const document = how === 'removed' ? null : A_DOCUMENT;
      const commit = await objects.commit('Service', { key: CRON, was, document });
      expect(commit).toEqual({ kind: 'committed', version: was + 1 });
      expect(await objects.head('Service')).toBe(was + 2);
      expect((await objects.read('Service', CRON))?.version).toBe(how === 'removed' ? undefined : was + 1);
    },
  );

  test('our change of an object takes effect once, even if another process has changed the object since', async () => {
    const { store, others, fates } = await aStoreOfFates();
    const { objects } = store;
    await openNamespace(objects);
    const theirs = { metadata: { uid: 'theirs' } };
    const goOn = async (): Promise<unknown> =>
      others.objects.commit('Service', { key: CRON, was: 1, document: theirs });
    fates.push((request) => {
      forgetTokens(request);
      return { kind: 'answerLost', meanwhile: goOn };
    });
    const commit = await objects.commit('Service', { key: CRON, was: 0, document: A_DOCUMENT });
    expect(commit).toEqual({ kind: 'committed', version: 1 });
    expect(await objects.read('Service', CRON)).toEqual({ key: CRON, version: 2, document: theirs });
  });

  test('a new object is stored if its namespace changes meanwhile, but not if its namespace is deleted', async () => {
    for (const ends of [false, true]) {
      const { store, fates } = await aStoreOfFates();
      const { objects } = store;
      await openNamespace(objects);
      const open = freshNamespace('default', 'u', T0);
      const document = ends ? terminating(open, T0) : open;
      const home = { key: { namespace: '', name: 'default' }, was: 1, document };
      const notSent: Fate = { kind: 'answerLost', meanwhile: async () => objects.commit('Namespace', home) };
      // The first request gets a wrong head, so it writes nothing and is retried.
      fates.push(({ body }) => {
        const [{ Update }] = body['TransactItems'] as [{ Update: { ConditionExpression: string } }];
        Update.ConditionExpression = 'attribute_exists(#pk)';
        return notSent;
      });
      const commit = await objects.commit('Service', { key: CRON, was: 0, document: A_DOCUMENT });
      expect(commit).toEqual(ends ? { kind: 'terminating' } : { kind: 'committed', version: 1 });
    }
  });

  test('a row of the feed is not appended again after others have followed it', async () => {
    const { store, fates } = await aStoreOfFates();
    const { uid } = await aStoredJob(store);
    const goOn = async (): Promise<unknown> => store.feed.append([anEntry(uid, 1, 2)], T0);
    fates.push((request) => {
      forgetTokens(request);
      return { kind: 'answerLost', meanwhile: goOn };
    });
    expect(await store.feed.append([anEntry(uid, 0, 1)], T0)).toEqual({ kind: 'outrun' });
    expect(await store.feed.head()).toBe(2);
  });
});
