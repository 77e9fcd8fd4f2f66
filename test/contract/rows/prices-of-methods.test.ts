import { beforeAll, describe, expect, test } from 'vitest';
import { aSchedulerRow } from '../a-scheduler-row.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import type { PartName, PublishedPart } from '../../../shared/domain/scoreboard/published-pods.ts';
import type { LaunchSlot } from '../../../shared/ports/job-store.ts';
import { REMOVAL_AFTER_MS } from '../../../shared/ports/item-store.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { countUsage } from '../../support/counting.ts';
import { aClient, endpoint, makeDynamoStore, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { T0, aChunk, aNewJob, aStoredJob, anArn, anAttempt, anEntry, at, following } from '../store-under-test.ts';

stopEngineAfterwards();

// What a method costs is fixed here: its requests, and the units that it writes and reads.

type Store = Awaited<ReturnType<typeof makeDynamoStore>>;
type Call = () => Promise<unknown>;

const LATER = at(3_600_000);
const UID = asJobUid('uid-1');
const OTHER = asJobUid('uid-2');
const KEY = { namespace: 'default', name: 'c' };
const A_DOCUMENT = { metadata: { uid: 'u-1', labels: { a: 'b' } } };
const TEMPLATE = { taskDefinition: 'td:1', containers: ['main'], placement: 'x'.repeat(900) };
const SLOTS: readonly LaunchSlot[] = Array.from({ length: 10 }, (_, nth) => ({
  index: nth,
  attempt: 1,
  nonce: 0,
  state: 'launched',
  taskArn: anArn(nth),
  since: T0,
}));
const HOSTS = Array.from({ length: 10 }, (_, index) => ({ index, serviceId: `srv-${index}`, tasks: [] }));
const CONTENT = '0b5dd5a2-0000-4000-8000-000000000001';
const HEAD = {
  content: CONTENT,
  namespace: 'default',
  name: 'fruits',
  columns: ['A'],
  itemsPerPart: 500,
  createdAt: T0,
};
/** 30 KB, of which little is said twice. */
const ROWS = Array.from({ length: 500 }, (_, nth) => [
  [1, 3, 7, 11, 13].map((by) => (nth * by * 7_919) % 99_991).join(' '),
]);
const WIDEST = { columns: [40], line: 40 };
const PART = { no: 0, rows: ROWS, count: 500, bytes: 15_000, sha256: 's', widest: WIDEST };
const SEALED = { count: 500, bytes: 15_000, sha256: 's', widest: WIDEST };
const WAITERS = Array.from({ length: 30 }, (_, nth) => ({
  namespace: 'default',
  upstream: 'first',
  uid: asJobUid(`uid-${nth}`),
  name: `work-${nth}`,
  byIndex: false,
}));
const LETTERS = Array.from({ length: 10 }, (_, nth) => ({
  queue: 'wake' as const,
  id: `i-${nth}`,
  body: '{}',
  reason: 'r',
  sentAt: at(nth),
  job: UID,
  filedAt: T0,
}));
const PODS = Array.from({ length: 120 }, (_, nth) => ({
  index: nth,
  attempt: 1,
  state: 'running' as const,
  number: nth + 1,
}));
const PARTS = new Map<PartName, PublishedPart>([
  ['tail', { through: 7, pods: PODS }],
  [0, { through: 7, pods: [] }],
]);
const cron = (version: number, alarmAt: typeof T0 | null) => aSchedulerRow({ key: KEY, version, alarmAt });

const aLargeJob = async (store: Store) => aStoredJob(store, { completions: 9_000 });
async function aPublishedJob(store: Store) {
  const job = await aLargeJob(store);
  const published = { base: 0, through: 7, ending: null, recent: PODS };
  await store.feed.append([anEntry(job.uid, 0, 1, { published } as object)], T0);
  await store.feed.writePublished(job.uid, PARTS);
  return job;
}
async function aContent({ items }: Store): Promise<void> {
  await items.begin(HEAD);
  await items.writePart({ ...HEAD, sealed: null }, PART);
  await items.seal(CONTENT, SEALED);
}
async function someObjects({ objects }: Store): Promise<void> {
  await openNamespace(objects);
  for (const nth of Array.from({ length: 20 }).keys())
    await objects.commit('ServiceAccount', {
      key: { namespace: 'default', name: `r-${nth}` },
      was: 0,
      document: A_DOCUMENT,
    });
}

/** Every method of every port, with what is there before it: returns the call that is measured. */
const METHODS: readonly (readonly [name: string, prepare: (store: Store) => Promise<Call>])[] = [
  [
    'jobs.createJob',
    async ({ jobs }) => {
      const { spec, status } = aNewJob();
      return async () => jobs.createJob(spec, status);
    },
  ],
  [
    'jobs.createJob, taken',
    async (store) => {
      await aStoredJob(store);
      const { spec, status } = aNewJob({ uid: 'uid-2' });
      return async () => store.jobs.createJob(spec, status);
    },
  ],
  ['jobs.findJob', async (store) => (await aStoredJob(store), async () => store.jobs.findJob('default', 'work'))],
  [
    'jobs.listJobs of all namespaces',
    async (store) => {
      for (const nth of Array.from({ length: 12 }).keys())
        await aStoredJob(store, { uid: `u-${nth}`, name: `j-${nth}`, namespace: `ns-${nth % 3}` });
      return async () => store.jobs.listJobs({ namespace: null, after: null, limit: 6 });
    },
  ],
  ['jobs.readSpec', async (store) => (await aStoredJob(store), async () => store.jobs.readSpec(UID))],
  ['jobs.readStatus', async (store) => (await aStoredJob(store), async () => store.jobs.readStatus(UID))],
  [
    'jobs.readChunks',
    async (store) => {
      const { status } = await aLargeJob(store);
      await store.jobs.commitPass(
        UID,
        following(status),
        [0, 1].map((no) => aChunk(status, no, 0, { attempt: 1 })),
      );
      return async () => store.jobs.readChunks(UID, [0, 1, 2]);
    },
  ],
  [
    'jobs.commitPass',
    async (store) => {
      const { status } = await aLargeJob(store);
      return async () => store.jobs.commitPass(UID, following(status, '', { alarms: status.alarms }), []);
    },
  ],
  [
    'jobs.commitPass that moves the alarm',
    async (store) => {
      const { status } = await aLargeJob(store);
      return async () => store.jobs.commitPass(UID, following(status, '', { alarms: [at(600_000)] }), []);
    },
  ],
  [
    'jobs.commitPass that is lost',
    async (store) => {
      const { status } = await aLargeJob(store);
      return async () => store.jobs.commitPass(UID, { ...status, version: 9 }, []);
    },
  ],
  [
    'jobs.commitPass with chunks',
    async (store) => {
      const { status } = await aLargeJob(store);
      const chunks = [0, 1, 2].map((no) => aChunk(status, no, 0, { attempt: 1 }));
      return async () => store.jobs.commitPass(UID, following(status), chunks);
    },
  ],
  [
    'jobs.commitSpec',
    async (store) => {
      const { spec, status } = await aStoredJob(store);
      return async () => store.jobs.commitSpec({ ...spec, revision: 2 }, following(status));
    },
  ],
  [
    'jobs.commitDeletion',
    async (store) => {
      const { spec, status } = await aStoredJob(store);
      return async () => store.jobs.commitDeletion(spec.identity, following(status));
    },
  ],
  [
    'jobs.freeName',
    async (store) => {
      const { spec } = await aStoredJob(store);
      return async () => store.jobs.freeName(spec.identity);
    },
  ],
  ['jobs.expireJob', async (store) => (await aStoredJob(store), async () => store.jobs.expireJob(UID, 1, LATER))],
  [
    'jobs.expireJob of one with published Pods',
    async (store) => (await aPublishedJob(store), async () => store.jobs.expireJob(UID, 3, LATER)),
  ],
  [
    'jobs.writeAttempts',
    async ({ jobs }) =>
      async () =>
        jobs.writeAttempts(
          UID,
          Array.from({ length: 60 }, (_, nth) => anAttempt(nth)),
          LATER,
        ),
  ],
  [
    'jobs.readAttempts',
    async ({ jobs }) => {
      await jobs.writeAttempts(
        UID,
        Array.from({ length: 60 }, (_, nth) => anAttempt(nth)),
        LATER,
      );
      return async () => jobs.readAttempts(UID, 0, 4_095);
    },
  ],
  [
    'jobs.readTemplates',
    async ({ jobs }) => (await jobs.addTemplate(UID, 0, TEMPLATE), async () => jobs.readTemplates(UID)),
  ],
  [
    'jobs.addTemplate',
    async ({ jobs }) =>
      async () =>
        jobs.addTemplate(UID, 0, TEMPLATE),
  ],
  [
    'jobs.addTemplate, the second',
    async ({ jobs }) => (await jobs.addTemplate(UID, 0, TEMPLATE), async () => jobs.addTemplate(UID, 1, TEMPLATE)),
  ],
  [
    'jobs.readLaunches',
    async ({ jobs }) =>
      async () =>
        jobs.readLaunches(UID, 0),
  ],
  [
    'jobs.readLaunchRange',
    async ({ jobs }) => {
      for (const row of Array.from({ length: 12 }).keys())
        await jobs.writeLaunches(UID, { row, version: 0, slots: SLOTS }, LATER);
      return async () => jobs.readLaunchRange(UID, 0, 11);
    },
  ],
  [
    'jobs.writeLaunches',
    async ({ jobs }) =>
      async () =>
        jobs.writeLaunches(UID, { row: 0, version: 0, slots: SLOTS }, LATER),
  ],
  [
    'jobs.writeLaunches that is lost',
    async ({ jobs }) => {
      await jobs.writeLaunches(UID, { row: 0, version: 0, slots: SLOTS }, LATER);
      return async () => jobs.writeLaunches(UID, { row: 0, version: 0, slots: [] }, LATER);
    },
  ],
  [
    'jobs.readAnnounced',
    async ({ jobs }) =>
      async () =>
        jobs.readAnnounced(UID),
  ],
  [
    'jobs.writeAnnounced',
    async ({ jobs }) =>
      async () =>
        jobs.writeAnnounced(UID, 7, LATER),
  ],
  [
    'jobs.dueJobs',
    async (store) => {
      for (const nth of Array.from({ length: 12 }).keys())
        await aStoredJob(store, { uid: `u-${nth}`, name: `j-${nth}` });
      return async () => store.jobs.dueJobs({ now: LATER, after: null, limit: 100 });
    },
  ],
  ['feed.readMark', async (store) => (await aPublishedJob(store), async () => store.feed.readMark(UID))],
  [
    'feed.append',
    async ({ feed }) =>
      async () =>
        feed.append([anEntry(UID, 0, 1), anEntry(OTHER, 0, 1)], T0),
  ],
  [
    'feed.append that is outrun',
    async ({ feed }) => {
      await feed.append([anEntry(UID, 0, 1)], T0);
      return async () => feed.append([anEntry(UID, 0, 1), anEntry(OTHER, 0, 1)], T0);
    },
  ],
  [
    'feed.readPublished',
    async (store) => (await aPublishedJob(store), async () => store.feed.readPublished(UID, ['tail', 0, 1])),
  ],
  [
    'feed.writePublished',
    async ({ feed }) =>
      async () =>
        feed.writePublished(UID, PARTS),
  ],
  ['feed.head', async (store) => (await aPublishedJob(store), async () => store.feed.head())],
  [
    'feed.read',
    async ({ feed }) => {
      for (const nth of Array.from({ length: 12 }).keys()) await feed.append([anEntry(UID, nth, nth + 1)], T0);
      return async () => feed.read(2, 50);
    },
  ],
  [
    'limits.read',
    async ({ limits }) =>
      async () =>
        limits.read('stop'),
  ],
  [
    'limits.commit',
    async ({ limits }) =>
      async () =>
        limits.commit('stop', 0, { nextFreeAt: T0, cut: null, recent: null }),
  ],
  ['objects.read', async (store) => (await someObjects(store), async () => store.objects.read('ServiceAccount', KEY))],
  [
    'objects.list',
    async (store) => (
      await someObjects(store),
      async () => store.objects.list('ServiceAccount', { namespace: null, after: null, limit: 9 })
    ),
  ],
  [
    'objects.commit of a new object',
    async (store) => (
      await openNamespace(store.objects),
      async () => store.objects.commit('ServiceAccount', { key: KEY, was: 0, document: A_DOCUMENT })
    ),
  ],
  [
    'objects.commit of two at once',
    async (store) => {
      await openNamespace(store.objects);
      const create = async (name: string) =>
        store.objects.commit('ServiceAccount', { key: { ...KEY, name }, was: 0, document: A_DOCUMENT });
      return async () => Promise.all([create('a'), create('b')]);
    },
  ],
  [
    'objects.commit of a change',
    async ({ objects }) => {
      await openNamespace(objects);
      await objects.commit('ServiceAccount', { key: KEY, was: 0, document: A_DOCUMENT });
      return async () => objects.commit('ServiceAccount', { key: KEY, was: 1, document: A_DOCUMENT });
    },
  ],
  [
    'objects.commit of a removal',
    async ({ objects }) => {
      await openNamespace(objects);
      await objects.commit('ServiceAccount', { key: KEY, was: 0, document: A_DOCUMENT });
      return async () => objects.commit('ServiceAccount', { key: KEY, was: 1, document: null });
    },
  ],
  ['objects.head', async (store) => (await someObjects(store), async () => store.objects.head('ServiceAccount'))],
  [
    'objects.changes',
    async (store) => (await someObjects(store), async () => store.objects.changes('ServiceAccount', 2, 50)),
  ],
  [
    'deadLetters.file',
    async ({ deadLetters }) =>
      async () =>
        deadLetters.file(LETTERS, LATER),
  ],
  [
    'deadLetters.newest',
    async ({ deadLetters }) => (await deadLetters.file(LETTERS, LATER), async () => deadLetters.newest(5)),
  ],
  [
    'hosts.reserve',
    async ({ hosts }) =>
      async () =>
        hosts.reserve(UID, 3, 9, T0),
  ],
  ['hosts.release', async ({ hosts }) => (await hosts.reserve(UID, 3, 9, T0), async () => hosts.release(UID))],
  [
    'hosts.reservations',
    async ({ hosts }) =>
      async () =>
        hosts.reservations(),
  ],
  [
    'hosts.readHosts',
    async ({ hosts }) =>
      async () =>
        hosts.readHosts(UID, 3),
  ],
  [
    'hosts.listHosts',
    async ({ hosts }) => {
      for (const row of Array.from({ length: 12 }).keys())
        await hosts.writeHosts(UID, { row, version: 0, hosts: HOSTS }, LATER);
      return async () => hosts.listHosts(UID);
    },
  ],
  [
    'hosts.writeHosts',
    async ({ hosts }) =>
      async () =>
        hosts.writeHosts(UID, { row: 0, version: 0, hosts: HOSTS }, LATER),
  ],
  [
    'hosts.writeHosts of none',
    async ({ hosts }) => {
      await hosts.writeHosts(UID, { row: 0, version: 0, hosts: HOSTS }, LATER);
      return async () => hosts.writeHosts(UID, { row: 0, version: 1, hosts: [] }, LATER);
    },
  ],
  [
    'items.begin',
    async ({ items }) =>
      async () =>
        items.begin(HEAD),
  ],
  ['items.readHead', async (store) => (await aContent(store), async () => store.items.readHead(CONTENT))],
  [
    'items.writePart',
    async ({ items }) => (await items.begin(HEAD), async () => items.writePart({ ...HEAD, sealed: null }, PART)),
  ],
  ['items.readPart', async (store) => (await aContent(store), async () => store.items.readPart(CONTENT, 0))],
  ['items.listParts', async (store) => (await aContent(store), async () => store.items.listParts(CONTENT))],
  ['items.seal', async ({ items }) => (await items.begin(HEAD), async () => items.seal(CONTENT, SEALED))],
  ['items.readItems', async (store) => (await aContent(store), async () => store.items.readItems(CONTENT, 400))],
  ['items.reserve', async (store) => (await aContent(store), async () => store.items.reserve(CONTENT, UID, T0))],
  [
    'items.reserve of one that is gone',
    async ({ items }) =>
      async () =>
        items.reserve(CONTENT, UID, T0),
  ],
  [
    'items.release',
    async ({ items }) =>
      async () =>
        items.release(CONTENT, UID),
  ],
  [
    'items.listReservations',
    async (store) => (await aContent(store), async () => store.items.listReservations(CONTENT)),
  ],
  [
    'items.listContents',
    async (store) => (await aContent(store), async () => store.items.listContents({ after: null, limit: 9 })),
  ],
  ['items.remove, the first time', async (store) => (await aContent(store), async () => store.items.remove(CONTENT))],
  [
    'items.remove, later',
    async (store) => {
      await aContent(store);
      await store.items.remove(CONTENT);
      store.clock.advance(REMOVAL_AFTER_MS);
      return async () => store.items.remove(CONTENT);
    },
  ],
  [
    'crons.read',
    async ({ crons }) =>
      async () =>
        crons.read('cron-1'),
  ],
  [
    'crons.write',
    async ({ crons }) =>
      async () =>
        crons.write(cron(0, at(90_000))),
  ],
  [
    'crons.write without an alarm',
    async ({ crons }) => (await crons.write(cron(0, at(90_000))), async () => crons.write(cron(1, null))),
  ],
  ['crons.remove', async ({ crons }) => (await crons.write(cron(0, null)), async () => crons.remove('cron-1'))],
  [
    'crons.due',
    async ({ crons }) => (
      await crons.write(cron(0, at(90_000))), async () => crons.due({ until: LATER, after: null, limit: 9 })
    ),
  ],
  [
    'waiters.add',
    async ({ waiters }) =>
      async () =>
        waiters.add(WAITERS, LATER),
  ],
  ['waiters.remove', async ({ waiters }) => (await waiters.add(WAITERS, LATER), async () => waiters.remove(WAITERS))],
  [
    'waiters.list',
    async ({ waiters }) => (await waiters.add(WAITERS, LATER), async () => waiters.list('default', 'first')),
  ],
];

describe.skipIf(endpoint === null)('on the DynamoDB engine', () => {
  const lines: string[] = [];
  let store: Store;
  beforeAll(async () => {
    store = await makeDynamoStore(aClient());
  });

  test('each method sends as many requests, and uses as many units, as this table says', async () => {
    for (const [name, prepare] of METHODS) {
      const client = aClient();
      const { usage, reset } = countUsage(client);
      const call = await prepare(await makeDynamoStore(client));
      reset();
      await call();
      const requests = [...usage.requests].map(([command, count]) => (count === 1 ? command : `${count} ${command}`));
      lines.push(
        [
          name.padEnd(42),
          `W ${usage.writeUnits}`.padEnd(6),
          `R ${usage.readUnits}`.padEnd(6),
          requests.join(', '),
        ].join(' '),
      );
    }
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "jobs.createJob                             W 7    R 0    TransactWriteItems
      jobs.createJob, taken                      W 6    R 0    TransactWriteItems
      jobs.findJob                               W 0    R 1    GetItem
      jobs.listJobs of all namespaces            W 0    R 3    3 Query
      jobs.readSpec                              W 0    R 1    GetItem
      jobs.readStatus                            W 0    R 1    GetItem
      jobs.readChunks                            W 0    R 3    BatchGetItem
      jobs.commitPass                            W 1    R 0    UpdateItem
      jobs.commitPass that moves the alarm       W 3    R 0    UpdateItem
      jobs.commitPass that is lost               W 1    R 0    UpdateItem
      jobs.commitPass with chunks                W 8    R 0    TransactWriteItems
      jobs.commitSpec                            W 4    R 0    TransactWriteItems
      jobs.commitDeletion                        W 4    R 0    TransactWriteItems
      jobs.freeName                              W 2    R 0    TransactWriteItems
      jobs.expireJob                             W 5    R 1    GetItem, 5 UpdateItem
      jobs.expireJob of one with published Pods  W 11   R 1    GetItem, 11 UpdateItem
      jobs.writeAttempts                         W 60   R 0    3 BatchWriteItem
      jobs.readAttempts                          W 0    R 8    4 Query
      jobs.readTemplates                         W 0    R 1    GetItem
      jobs.addTemplate                           W 1    R 0    UpdateItem
      jobs.addTemplate, the second               W 1    R 1    GetItem, UpdateItem
      jobs.readLaunches                          W 0    R 1    GetItem
      jobs.readLaunchRange                       W 0    R 0.5  Query
      jobs.writeLaunches                         W 1    R 0    UpdateItem
      jobs.writeLaunches that is lost            W 1    R 0    UpdateItem
      jobs.readAnnounced                         W 0    R 1    GetItem
      jobs.writeAnnounced                        W 1    R 0    UpdateItem
      jobs.dueJobs                               W 0    R 2    4 Query
      feed.readMark                              W 0    R 1    GetItem
      feed.append                                W 8    R 0    TransactWriteItems
      feed.append that is outrun                 W 8    R 0    TransactWriteItems
      feed.readPublished                         W 0    R 3    BatchGetItem
      feed.writePublished                        W 2    R 0    2 UpdateItem
      feed.head                                  W 0    R 1    GetItem
      feed.read                                  W 0    R 1    Query
      limits.read                                W 0    R 1    GetItem
      limits.commit                              W 1    R 0    UpdateItem
      objects.read                               W 0    R 1    GetItem
      objects.list                               W 0    R 1    Query
      objects.commit of a new object             W 8    R 2    2 GetItem, TransactWriteItems
      objects.commit of two at once              W 16   R 4    4 GetItem, 2 TransactWriteItems
      objects.commit of a change                 W 6    R 1    GetItem, TransactWriteItems
      objects.commit of a removal                W 6    R 1    GetItem, TransactWriteItems
      objects.head                               W 0    R 1    GetItem
      objects.changes                            W 0    R 1    Query
      deadLetters.file                           W 10   R 0    10 PutItem
      deadLetters.newest                         W 0    R 1    Query
      hosts.reserve                              W 1    R 1    GetItem, UpdateItem
      hosts.release                              W 1    R 1    GetItem, UpdateItem
      hosts.reservations                         W 0    R 1    GetItem
      hosts.readHosts                            W 0    R 1    GetItem
      hosts.listHosts                            W 0    R 2    Query
      hosts.writeHosts                           W 1    R 0    UpdateItem
      hosts.writeHosts of none                   W 1    R 0    DeleteItem
      items.begin                                W 2    R 0    PutItem, UpdateItem
      items.readHead                             W 0    R 1    GetItem
      items.writePart                            W 11   R 0    2 UpdateItem, BatchWriteItem
      items.readPart                             W 0    R 1    GetItem
      items.listParts                            W 0    R 1    Query
      items.seal                                 W 1    R 1    GetItem, UpdateItem
      items.readItems                            W 0    R 0.5  Query
      items.reserve                              W 1    R 1    PutItem, GetItem
      items.reserve of one that is gone          W 2    R 1    PutItem, GetItem, DeleteItem
      items.release                              W 1    R 0    DeleteItem
      items.listReservations                     W 0    R 1    Query
      items.listContents                         W 0    R 1    Query
      items.remove, the first time               W 1    R 2    GetItem, UpdateItem, Query
      items.remove, later                        W 12   R 5    GetItem, 3 Query, 2 BatchWriteItem, DeleteItem
      crons.read                                 W 0    R 1    GetItem
      crons.write                                W 2    R 0    UpdateItem
      crons.write without an alarm               W 2    R 0    UpdateItem
      crons.remove                               W 1    R 0    DeleteItem
      crons.due                                  W 0    R 0.5  Query
      waiters.add                                W 30   R 0    2 BatchWriteItem
      waiters.remove                             W 30   R 0    2 BatchWriteItem
      waiters.list                               W 0    R 1    Query"
    `);
  });

  test('it has every method', () => {
    const { clock: _clock, tableName: _name, ...ports } = store;
    const all = Object.entries(ports).flatMap(([port, methods]) =>
      Object.keys(methods).map((each) => `${port}.${each}`),
    );
    expect(all.filter((each) => !METHODS.some(([name]) => name.split(/[ ,]/)[0] === each))).toEqual([]);
  });
});
