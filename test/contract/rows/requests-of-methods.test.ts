import { describe, expect, test } from 'vitest';
import { packMark } from '../../../shared/store/programs/row-bodies.ts';
import { aSchedulerRow } from '../a-scheduler-row.ts';
import type { PartName, PublishedPart } from '../../../shared/domain/scoreboard/published-pods.ts';
import { type Item, type Store, aRow, requestsOf, shown } from '../spied-store.ts';
import { T0, aChunk, aNewJob, anAttempt, anEntry, at, following } from '../store-under-test.ts';

const { spec, status, uid } = aNewJob({ uid: 'u-1' });
const CRON = { namespace: 'default', name: 'c' };
const A_DOCUMENT = { metadata: { uid: 'u-1' } };
const TEMPLATE = { taskDefinition: 'td:1', containers: [], placement: '' };
const next = following(status, '', { alarms: [at(1)] });
const CONTENT = '0b5dd5a2-0000-4000-8000-000000000001';
const HEAD = { content: CONTENT, namespace: 'default', name: 'fruits', columns: ['A'], itemsPerPart: 9, createdAt: T0 };
const SEALED = { count: 1, bytes: 1, sha256: 's', widest: { columns: [1], line: 1 } };
const PART = { no: 0, rows: [['a']], count: 1, bytes: 1, sha256: 's', widest: { columns: [1], line: 1 } };
const WAITER = { namespace: 'default', upstream: 'first', uid, name: 'work', byIndex: false };
const LETTER = { queue: 'wake', id: 'i', body: '{}', reason: 'r', sentAt: T0, job: null, filedAt: T0 } as const;
const POD = { index: 0, attempt: 1, state: 'running', number: 7 } as const;
const PUBLISHED = { through: 9, base: 0, ending: null, recent: [] };
const aHead = (sealed: object | null) =>
  aRow(`ITEMS#${CONTENT}`, 'HEAD', { version: { N: '1' } }, { head: { ...HEAD, sealed }, removingSince: null });

/** Every method of every port: all of its requests, against the stored rows. */
const METHODS: readonly (readonly [
  name: string,
  call: (store: Store) => Promise<unknown>,
  stored?: readonly Item[],
])[] = [
  ['jobs.createJob', async ({ jobs }) => jobs.createJob(spec, status)],
  ['jobs.findJob', async ({ jobs }) => jobs.findJob('default', 'work')],
  ['jobs.listJobs of all namespaces', async ({ jobs }) => jobs.listJobs({ namespace: null, after: 'b/x', limit: 9 })],
  ['jobs.listJobs of one', async ({ jobs }) => jobs.listJobs({ namespace: 'default', after: null, limit: 9 })],
  ['jobs.readSpec', async ({ jobs }) => jobs.readSpec(uid)],
  ['jobs.readStatus', async ({ jobs }) => jobs.readStatus(uid)],
  ['jobs.readChunks of none', async ({ jobs }) => jobs.readChunks(uid, [])],
  ['jobs.readChunks of one', async ({ jobs }) => jobs.readChunks(uid, [3])],
  ['jobs.readChunks', async ({ jobs }) => jobs.readChunks(uid, [0, 3])],
  ['jobs.commitPass', async ({ jobs }) => jobs.commitPass(uid, next, [])],
  ['jobs.commitPass with a chunk', async ({ jobs }) => jobs.commitPass(uid, next, [aChunk(status, 0, 0, {})])],
  ['jobs.commitSpec', async ({ jobs }) => jobs.commitSpec(spec, next)],
  ['jobs.commitDeletion', async ({ jobs }) => jobs.commitDeletion(spec.identity, next)],
  ['jobs.freeName', async ({ jobs }) => jobs.freeName(spec.identity)],
  ['jobs.expireJob', async ({ jobs }) => jobs.expireJob(uid, 1, at(1))],
  [
    'jobs.expireJob of one with published Pods',
    async ({ jobs }) => jobs.expireJob(uid, 1, at(1)),
    [aRow('JOB#u-1', 'MARK', { version: { N: '1' } }, packMark(PUBLISHED))],
  ],
  ['jobs.writeAttempts of none', async ({ jobs }) => jobs.writeAttempts(uid, [], at(0))],
  [
    'jobs.writeAttempts of more than a batch',
    async ({ jobs }) =>
      jobs.writeAttempts(
        uid,
        Array.from({ length: 27 }, (_, nth) => anAttempt(nth)),
        at(0),
      ),
  ],
  ['jobs.readAttempts', async ({ jobs }) => jobs.readAttempts(uid, 8, 9)],
  ['jobs.readTemplates', async ({ jobs }) => jobs.readTemplates(uid)],
  [
    'jobs.addTemplate, the second',
    async ({ jobs }) => jobs.addTemplate(uid, 1, TEMPLATE),
    [aRow('JOB#u-1', 'TEMPLATE', {}, TEMPLATE)],
  ],
  [
    'jobs.addTemplate, the third',
    async ({ jobs }) => jobs.addTemplate(uid, 2, TEMPLATE),
    [aRow('JOB#u-1', 'TEMPLATE', { version: { N: '2' } }, [TEMPLATE, TEMPLATE])],
  ],
  ['jobs.readLaunches', async ({ jobs }) => jobs.readLaunches(uid, 3)],
  ['jobs.readLaunchRange', async ({ jobs }) => jobs.readLaunchRange(uid, 3, 5)],
  ['jobs.writeLaunches', async ({ jobs }) => jobs.writeLaunches(uid, { row: 3, version: 2, slots: [] }, at(1))],
  ['jobs.readAnnounced', async ({ jobs }) => jobs.readAnnounced(uid)],
  ['jobs.writeAnnounced', async ({ jobs }) => jobs.writeAnnounced(uid, 7, at(1))],
  ['jobs.dueJobs', async ({ jobs }) => jobs.dueJobs({ now: T0, after: null, limit: 9 })],
  ['jobs.dueJobs, all of them', async ({ jobs }) => jobs.dueJobs({ now: null, after: '3/30000000/u-1', limit: 9 })],
  ['feed.readMark', async ({ feed }) => feed.readMark(uid)],
  ['feed.append, the first', async ({ feed }) => feed.append([anEntry(uid, 0, 1)], T0)],
  ['feed.readPublished', async ({ feed }) => feed.readPublished(uid, ['tail', 3])],
  [
    'feed.writePublished',
    async ({ feed }) =>
      feed.writePublished(
        uid,
        new Map<PartName, PublishedPart>([
          ['tail', { through: 7, pods: [POD] }],
          [3, { through: 7, pods: [] }],
        ]),
      ),
  ],
  ['feed.head', async ({ feed }) => feed.head()],
  ['feed.read', async ({ feed }) => feed.read(41, 50)],
  ['limits.read', async ({ limits }) => limits.read('stop')],
  [
    'limits.commit',
    async ({ limits }) =>
      limits.commit('stop', 0, {
        nextFreeAt: T0,
        cut: { share: 0.5, at: T0 },
        recent: { at: T0, namespaces: [] },
      }),
  ],
  ['objects.read', async ({ objects }) => objects.read('ServiceAccount', { namespace: 'default', name: 'a' })],
  [
    'objects.list of all namespaces',
    async ({ objects }) => objects.list('ServiceAccount', { namespace: null, after: null, limit: 9 }),
  ],
  [
    'objects.list of one',
    async ({ objects }) => objects.list('ServiceAccount', { namespace: 'default', after: 'default!a', limit: 9 }),
  ],
  [
    'objects.commit into a missing namespace',
    async ({ objects }) => objects.commit('ServiceAccount', { key: CRON, was: 0, document: A_DOCUMENT }),
  ],
  [
    'objects.commit, the first',
    async ({ objects }) =>
      objects.commit('Namespace', { key: { namespace: '', name: 'a' }, was: 0, document: A_DOCUMENT }),
  ],
  ['objects.head', async ({ objects }) => objects.head('ServiceAccount')],
  ['objects.changes', async ({ objects }) => objects.changes('ServiceAccount', 41, 50)],
  ['deadLetters.file', async ({ deadLetters }) => deadLetters.file([LETTER], at(1))],
  ['deadLetters.newest', async ({ deadLetters }) => deadLetters.newest(9)],
  ['hosts.reserve', async ({ hosts }) => hosts.reserve(uid, 3, 9, T0)],
  [
    'hosts.release',
    async ({ hosts }) => hosts.release(uid),
    [aRow('LIMIT#hosts', 'LIMIT', { version: { N: '3' } }, [{ uid, count: 1, at: T0 }])],
  ],
  ['hosts.reservations', async ({ hosts }) => hosts.reservations()],
  ['hosts.readHosts', async ({ hosts }) => hosts.readHosts(uid, 3)],
  ['hosts.listHosts', async ({ hosts }) => hosts.listHosts(uid)],
  [
    'hosts.writeHosts',
    async ({ hosts }) =>
      hosts.writeHosts(uid, { row: 3, version: 2, hosts: [{ index: 30, serviceId: 's', tasks: [] }] }, at(1)),
  ],
  ['hosts.writeHosts of none', async ({ hosts }) => hosts.writeHosts(uid, { row: 3, version: 2, hosts: [] }, at(1))],
  [
    'hosts.writeHosts of none where none is',
    async ({ hosts }) => hosts.writeHosts(uid, { row: 3, version: 0, hosts: [] }, at(1)),
  ],
  ['items.begin', async ({ items }) => items.begin(HEAD)],
  ['items.readHead', async ({ items }) => items.readHead(CONTENT)],
  ['items.writePart', async ({ items }) => items.writePart({ ...HEAD, sealed: null }, PART)],
  ['items.readPart', async ({ items }) => items.readPart(CONTENT, 3)],
  ['items.listParts', async ({ items }) => items.listParts(CONTENT)],
  ['items.seal', async ({ items }) => items.seal(CONTENT, SEALED), [aHead(null)]],
  ['items.readItems of some that are missing', async ({ items }) => items.readItems(CONTENT, 3)],
  ['items.reserve', async ({ items }) => items.reserve(CONTENT, uid, T0), [aHead(SEALED)]],
  ['items.reserve of one that is gone', async ({ items }) => items.reserve(CONTENT, uid, T0)],
  ['items.release', async ({ items }) => items.release(CONTENT, uid)],
  ['items.listReservations', async ({ items }) => items.listReservations(CONTENT)],
  ['items.listContents', async ({ items }) => items.listContents({ after: CONTENT, limit: 9 })],
  ['items.listContents, the first', async ({ items }) => items.listContents({ after: null, limit: 9 })],
  ['items.remove, the first time', async ({ items }) => items.remove(CONTENT), [aHead(SEALED)]],
  ['items.remove of one that is gone', async ({ items }) => items.remove(CONTENT)],
  ['crons.write', async ({ crons }) => crons.write(aSchedulerRow({ uid: 'u', key: CRON }))],
  ['crons.read', async ({ crons }) => crons.read('u')],
  ['crons.remove', async ({ crons }) => crons.remove('u')],
  ['crons.due', async ({ crons }) => crons.due({ until: at(90_000), after: null, limit: 9 })],
  ['crons.due, the next page', async ({ crons }) => crons.due({ until: at(90_000), after: '30000000.25#u', limit: 9 })],
  ['waiters.add', async ({ waiters }) => waiters.add([WAITER], at(1))],
  ['waiters.remove', async ({ waiters }) => waiters.remove([WAITER])],
  ['waiters.list', async ({ waiters }) => waiters.list('default', 'first')],
];

/** In order of names, as snapshots are. */
const oneLine = (input: unknown): string =>
  JSON.stringify(shown(input), (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

describe('all requests of', () => {
  test.each(METHODS.map(([name, call, stored = []]) => [name, { call, stored }] as const))('%s', async (_, method) => {
    const requests = await requestsOf(method.call, method);
    // A line each: there are many.
    expect(requests.map(([command, input]) => `${command} ${oneLine(input)}`)).toMatchSnapshot();
  });

  test('every method there is', async () => {
    const missing: string[] = [];
    await requestsOf(async (store) => {
      for (const [port, methods] of Object.entries(store))
        for (const method of Object.keys(methods))
          if (!METHODS.some(([name]) => name.split(/[ ,]/)[0] === `${port}.${method}`))
            missing.push(`${port}.${method}`);
    });
    expect(missing).toEqual([]);
  });
});
