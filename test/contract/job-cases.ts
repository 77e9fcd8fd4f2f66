import { expect } from 'vitest';
import { chunkOf } from '../../shared/domain/scoreboard/board.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import type { AttemptRecord } from '../../shared/ports/job-store.ts';
import {
  MINUTE_MS,
  type StoreCase,
  type Stores,
  T0,
  aChunk,
  aNewJob,
  aStoredJob,
  anArn,
  anAttempt,
  at,
  following,
} from './store-under-test.ts';
import { openNamespace } from '../support/a-namespace.ts';

const NOBODY = asJobUid('nobody');
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Every page of a listing, `limit` Jobs at a time. */
async function listAll({ jobs }: Stores, namespace: string | null, limit: number): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const page = await jobs.listJobs({ namespace, after, limit });
    expect(page.jobs.length).toBeLessThanOrEqual(limit);
    found.push(...page.jobs.map((job) => `${job.namespace}/${job.name}=${job.uid}`));
    after = page.next;
  } while (after !== null);
  return found;
}

/** Jobs, names and namespaces, their chunks and records, one caller at a time. */
export const JOB_CASES: readonly StoreCase[] = [
  {
    name: 'how far a Job was announced only grows, and is forgotten in time',
    async run({ jobs, clock }) {
      const [one, other] = [asJobUid('uid-1'), asJobUid('uid-2')];
      expect(await jobs.readAnnounced(one)).toBe(0);
      await jobs.writeAnnounced(one, 5, at(DAY_MS));
      await jobs.writeAnnounced(one, 3, at(2 * DAY_MS));
      await jobs.writeAnnounced(one, 5, at(2 * DAY_MS));
      expect([await jobs.readAnnounced(one), await jobs.readAnnounced(other)]).toEqual([5, 0]);
      await jobs.writeAnnounced(one, 9, at(2 * DAY_MS));
      clock.advance(DAY_MS + MINUTE_MS);
      expect(await jobs.readAnnounced(one)).toBe(9);
      clock.advance(DAY_MS);
      expect(await jobs.readAnnounced(one)).toBe(0);
      await jobs.writeAnnounced(one, 10, at(4 * DAY_MS));
      expect(await jobs.readAnnounced(one)).toBe(10);
    },
  },
  {
    name: 'a Job is found, listed and read as it was created',
    async run(store) {
      const { spec, status, uid } = aNewJob({ completions: 10_000, inherited: '0-2,9000', suspendSetBy: 'kim' });
      await openNamespace(store.objects);
      expect(await store.jobs.createJob(spec, status)).toEqual({ kind: 'created' });
      expect(await store.jobs.findJob('default', 'work')).toBe(uid);
      expect(await store.jobs.readSpec(uid)).toEqual(spec);
      expect(await store.jobs.readStatus(uid)).toEqual(status);
      expect(await listAll(store, 'default', 10)).toEqual([`default/work=${uid}`]);
    },
  },
  {
    name: 'nothing is found for a missing Job',
    async run({ jobs }) {
      expect(await jobs.findJob('default', 'work')).toBeNull();
      expect(await jobs.readSpec(NOBODY)).toBeNull();
      expect(await jobs.readStatus(NOBODY)).toBeNull();
      expect(await jobs.readTemplates(NOBODY)).toEqual([]);
      expect(await jobs.readChunks(NOBODY, [0, 1])).toEqual(new Map());
      expect(await jobs.readChunks(NOBODY, [])).toEqual(new Map());
      expect(await jobs.readAttempts(NOBODY, 0, 4095)).toEqual([]);
      expect(await jobs.readLaunches(NOBODY, 7)).toEqual({ row: 7, version: 0, slots: [] });
      expect(await jobs.readLaunchRange(NOBODY, 0, 409)).toEqual([]);
      expect(await jobs.listJobs({ namespace: null, after: null, limit: 5 })).toEqual({ jobs: [], next: null });
      expect(await jobs.dueJobs({ now: null, after: null, limit: 5 })).toEqual({ uids: [], next: null });
    },
  },
  {
    name: 'a second Job of the same name gets taken, and nothing of it is stored',
    async run(store) {
      const first = await aStoredJob(store, { uid: 'first' });
      const second = aNewJob({ uid: 'second' });
      expect(await store.jobs.createJob(second.spec, second.status)).toEqual({ kind: 'taken' });
      expect(await store.jobs.readStatus(second.uid)).toBeNull();
      expect(await store.jobs.readSpec(second.uid)).toBeNull();
      expect(await store.jobs.findJob('default', 'work')).toBe(first.uid);
    },
  },
  {
    name: 'the same name in another namespace is another Job',
    async run(store) {
      await aStoredJob(store, { uid: 'here', namespace: 'here' });
      await aStoredJob(store, { uid: 'there', namespace: 'there' });
      expect(await store.jobs.findJob('here', 'work')).toBe('here');
      expect(await store.jobs.findJob('there', 'work')).toBe('there');
    },
  },
  {
    name: 'creating a Job again returns created and changes nothing',
    async run(store) {
      const { spec, status, uid } = await aStoredJob(store);
      const moved = following(status, 'moved on');
      await store.jobs.commitPass(uid, moved, []);
      expect(await store.jobs.createJob(spec, status)).toEqual({ kind: 'created' });
      expect(await store.jobs.readStatus(uid)).toEqual(moved);
    },
  },
  {
    name: 'creating a Job again after its deletion does not bring it back',
    async run(store) {
      const { spec, status, uid } = await aStoredJob(store);
      const purging = following(status, '', { phase: { kind: 'purging', since: T0 } });
      await store.jobs.commitDeletion(spec.identity, purging);
      expect(await store.jobs.createJob(spec, status)).toEqual({ kind: 'created' });
      expect(await store.jobs.findJob('default', 'work')).toBeNull();
      expect(await store.jobs.readStatus(uid)).toEqual(purging);
    },
  },
  {
    name: 'Jobs are listed by namespace and name, page by page',
    async run(store) {
      const wishes = ['b/x', 'a/ab', 'a/a', 'a/a-b', 'a-b/z', 'a/b', 'a/a.b', 'a/a0'];
      for (const wish of wishes) {
        const [namespace = '', name = ''] = wish.split('/');
        await aStoredJob(store, { uid: wish, namespace, name });
      }
      const sorted = ['a/a', 'a/a-b', 'a/a.b', 'a/a0', 'a/ab', 'a/b', 'a-b/z', 'b/x'].map((name) => `${name}=${name}`);
      for (const limit of [1, 2, 3, 8, 100]) expect(await listAll(store, null, limit)).toEqual(sorted);
      expect(await listAll(store, 'a', 4)).toEqual(sorted.slice(0, 6));
      expect(await listAll(store, 'nowhere', 4)).toEqual([]);
      // A client may make a token of its own: nothing follows it, and nothing fails.
      for (const after of ['a/~~', 'a/\u00ff', `a/${'z'.repeat(574)}`])
        expect((await store.jobs.listJobs({ namespace: 'a', after, limit: 4 })).jobs).toEqual([]);
      const { next } = await store.jobs.listJobs({ namespace: null, after: null, limit: 8 });
      expect(next).toBeNull();
    },
  },
  {
    name: 'a cursor of another namespace shows nothing of it',
    async run(store) {
      const names = ['a', 'b', 'c'].flatMap((namespace) => ['x', 'y', 'z'].map((name) => `${namespace}/${name}`));
      for (const wish of names) {
        const [namespace = '', name = ''] = wish.split('/');
        await aStoredJob(store, { uid: wish, namespace, name });
      }
      const document = (namespace: string) => ({ metadata: { name: 'x', namespace, uid: `list-${namespace}` } });
      for (const namespace of ['a', 'b', 'c'])
        await store.objects.commit('Service', { key: { namespace, name: 'x' }, was: 0, document: document(namespace) });
      const listed = (namespace: string | null, limit: number) =>
        store.jobs.listJobs({ namespace, after: null, limit }).then(({ next }) => next);
      const cursors = [await listed('a', 1), await listed('c', 2), await listed(null, 1), await listed(null, 8)];
      for (const after of [...cursors, '', ' ', 'a', 'a/', 'a!', 'c', '~', '\uffff', 'b', 'b/x/y']) {
        const { jobs } = await store.jobs.listJobs({ namespace: 'b', after, limit: 20 });
        expect(new Set(['b', ...jobs.map(({ namespace }) => namespace)])).toEqual(new Set(['b']));
        const { objects } = await store.objects.list('Service', { namespace: 'b', after, limit: 20 });
        expect(new Set(['b', ...objects.map(({ key }) => key.namespace)])).toEqual(new Set(['b']));
      }
    },
  },
  {
    name: 'a listing continues after a Job that was deleted meanwhile',
    async run(store) {
      for (const name of ['a', 'b', 'c']) await aStoredJob(store, { uid: name, name });
      const { next } = await store.jobs.listJobs({ namespace: 'default', after: null, limit: 2 });
      const { spec, status } = aNewJob({ uid: 'b', name: 'b' });
      await store.jobs.commitDeletion(spec.identity, following(status));
      const rest = await store.jobs.listJobs({ namespace: 'default', after: next, limit: 2 });
      expect(rest.jobs.map(({ name }) => name)).toEqual(['c']);
    },
  },
  {
    name: 'a pass commits the status that follows the one it read',
    async run(store) {
      const { status, uid } = await aStoredJob(store);
      const next = following(status, 'second', {
        alarms: [],
        journal: { nextSeq: 1, entries: [{ seq: 0, transition: { op: 'claim', index: 2, attempt: 1 } }] },
      });
      expect(await store.jobs.commitPass(uid, next, [])).toEqual({ kind: 'committed' });
      expect(await store.jobs.readStatus(uid)).toEqual(next);
    },
  },
  {
    name: 'a pass loses if it read an older version, or if the Job does not exist',
    async run(store) {
      const { status, uid } = await aStoredJob(store);
      const won = following(status, 'winner');
      await store.jobs.commitPass(uid, won, []);
      expect(await store.jobs.commitPass(uid, following(status, 'loser'), [])).toEqual({ kind: 'lost' });
      expect(await store.jobs.commitPass(uid, { ...won, version: 7 }, [])).toEqual({ kind: 'lost' });
      expect(await store.jobs.commitPass(NOBODY, following(status), [])).toEqual({ kind: 'lost' });
      expect(await store.jobs.readStatus(uid)).toEqual(won);
      expect(await store.jobs.readStatus(NOBODY)).toBeNull();
    },
  },
  {
    name: 'a commit that is identical to a committed one loses: one of two twins wins',
    async run(store) {
      const { status, uid } = await aStoredJob(store);
      const twin = following(status, 'twin');
      expect(await store.jobs.commitPass(uid, twin, [])).toEqual({ kind: 'committed' });
      expect(await store.jobs.commitPass(uid, twin, [])).toEqual({ kind: 'lost' });
    },
  },
  {
    name: 'a fold stores status and chunks, and chunks that are not stored are not in the map',
    async run(store) {
      const { status, uid } = await aStoredJob(store, { completions: 9_000 });
      const chunks = [
        aChunk(status, 0, 0, { state: 'running', attempt: 1 }),
        aChunk(status, 2, 0, { state: 'failed', attempt: 3, failures: 3 }),
      ];
      const next = following(status);
      expect(await store.jobs.commitPass(uid, next, chunks)).toEqual({ kind: 'committed' });
      expect(await store.jobs.readStatus(uid)).toEqual(next);
      expect(await store.jobs.readChunks(uid, [0, 1, 2])).toEqual(
        new Map(chunks.map(({ no, chunk }) => [no, { version: 1, chunk }])),
      );
      expect(await store.jobs.readChunks(uid, [2])).toEqual(new Map([[2, { version: 1, chunk: chunks[1]!.chunk }]]));
      const again = [aChunk(status, 2, 1, { state: 'succeeded', attempt: 4 })];
      expect(await store.jobs.commitPass(uid, following(next), again)).toEqual({ kind: 'committed' });
      expect(await store.jobs.readChunks(uid, [2])).toEqual(new Map([[2, { version: 2, chunk: again[0]!.chunk }]]));
    },
  },
  {
    name: 'ninety chunks are folded and read at once',
    async run(store) {
      const { status, uid } = await aStoredJob(store, { completions: 400_000 });
      const chunks = Array.from({ length: 90 }, (_, no) => aChunk(status, no, 0, { state: 'succeeded', attempt: no }));
      expect(await store.jobs.commitPass(uid, following(status), chunks)).toEqual({ kind: 'committed' });
      const read = await store.jobs.readChunks(
        uid,
        Array.from({ length: 98 }, (_, no) => no),
      );
      expect([...read.keys()].sort((a, b) => a - b)).toEqual(chunks.map(({ no }) => no));
      expect([...read].every(([no, { chunk }]) => chunk.attempts[1] === no)).toBe(true);
    },
  },
  {
    name: 'a fold with one chunk of another version, or a stale status, writes nothing at all',
    async run(store) {
      const { status, uid } = await aStoredJob(store, { completions: 9_000 });
      const first = following(status, 'first');
      await store.jobs.commitPass(uid, first, [aChunk(status, 1, 0, { state: 'running', attempt: 1 })]);
      const before = await store.jobs.readChunks(uid, [0, 1]);
      const stale = [
        aChunk(status, 0, 0, { state: 'failed', attempt: 9 }),
        aChunk(status, 1, 0, { state: 'failed', attempt: 9 }),
      ];
      expect(await store.jobs.commitPass(uid, following(first), stale)).toEqual({ kind: 'lost' });
      const ahead = [aChunk(status, 0, 1, { state: 'failed', attempt: 9 })];
      expect(await store.jobs.commitPass(uid, following(first), ahead)).toEqual({ kind: 'lost' });
      const good = [
        aChunk(status, 0, 0, { state: 'failed', attempt: 9 }),
        aChunk(status, 1, 1, { state: 'failed', attempt: 9 }),
      ];
      expect(await store.jobs.commitPass(uid, following(status), good)).toEqual({ kind: 'lost' });
      expect(await store.jobs.readStatus(uid)).toEqual(first);
      expect(await store.jobs.readChunks(uid, [0, 1])).toEqual(before);
    },
  },
  {
    name: 'nothing that was read or written is shared with the caller',
    async run(store) {
      const { status, uid } = await aStoredJob(store);
      const write = aChunk(status, 0, 0, { state: 'running', attempt: 1 });
      await store.jobs.commitPass(uid, following(status), [write]);
      write.chunk.states.fill(5);
      const read = (await store.jobs.readChunks(uid, [0])).get(0);
      expect(read?.chunk.states[1]).toBe(3);
      read?.chunk.states.fill(5);
      expect((await store.jobs.readChunks(uid, [0])).get(0)?.chunk.states[1]).toBe(3);
    },
  },
  {
    name: 'a change of the spec takes spec and status together, or neither',
    async run(store) {
      const { spec, status, uid } = await aStoredJob(store);
      const edited = {
        ...spec,
        revision: 2,
        manifest: { ...spec.manifest, spec: { ...spec.manifest.spec, suspend: true } },
      };
      const next = following(status, '', { revision: 2 });
      expect(await store.jobs.commitSpec(edited, next)).toEqual({ kind: 'committed' });
      expect(await store.jobs.readSpec(uid)).toEqual(edited);
      expect(await store.jobs.readStatus(uid)).toEqual(next);
      expect(await store.jobs.commitSpec({ ...spec, revision: 3 }, following(status))).toEqual({ kind: 'lost' });
      expect(await store.jobs.readSpec(uid)).toEqual(edited);
      expect(await store.jobs.readStatus(uid)).toEqual(next);
    },
  },
  {
    name: 'a deleted Job frees its name at once, and a new Job under it is another Job',
    async run(store) {
      const old = await aStoredJob(store, { uid: 'old' });
      const purging = following(old.status, '', { phase: { kind: 'purging', since: T0 } });
      expect(await store.jobs.commitDeletion(old.spec.identity, following(purging))).toEqual({ kind: 'lost' });
      expect(await store.jobs.findJob('default', 'work')).toBe('old');
      expect(await store.jobs.commitDeletion(old.spec.identity, purging)).toEqual({ kind: 'committed' });
      expect(await store.jobs.findJob('default', 'work')).toBeNull();
      expect(await listAll(store, null, 10)).toEqual([]);
      expect(await store.jobs.readStatus(old.uid)).toEqual(purging);
      expect(await store.jobs.readSpec(old.uid)).toEqual(old.spec);

      const anew = aNewJob({ uid: 'anew' });
      expect(await store.jobs.createJob(anew.spec, anew.status)).toEqual({ kind: 'created' });
      expect(await store.jobs.findJob('default', 'work')).toBe('anew');
      expect(await store.jobs.commitPass(old.uid, following(purging), [])).toEqual({ kind: 'committed' });
      const again = following(following(purging));
      expect(await store.jobs.commitDeletion(old.spec.identity, again)).toEqual({ kind: 'committed' });
      expect(await store.jobs.readStatus(old.uid)).toEqual(again);
      expect(await store.jobs.findJob('default', 'work')).toBe('anew');
    },
  },
  {
    name: 'a name is freed only by its own Job, and freeing it again changes nothing',
    async run(store) {
      const old = await aStoredJob(store, { uid: 'old' });
      await store.jobs.freeName({ ...old.spec.identity, uid: NOBODY });
      expect(await store.jobs.findJob('default', 'work')).toBe('old');
      await store.jobs.freeName(old.spec.identity);
      await store.jobs.freeName(old.spec.identity);
      expect(await store.jobs.findJob('default', 'work')).toBeNull();
      expect(await store.jobs.readStatus(old.uid)).toEqual(old.status);
      await aStoredJob(store, { uid: 'anew' });
      await store.jobs.freeName(old.spec.identity);
      expect(await store.jobs.findJob('default', 'work')).toBe('anew');
    },
  },
  {
    name: 'a listing names the owner of a Job: its controller, or else the first owner',
    async run(store) {
      const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly' };
      const first = { ...owner, uid: 'first' };
      const owners = { alone: [], first: [first], controlled: [first, { ...owner, uid: 'second', controller: true }] };
      for (const [name, ownerReferences] of Object.entries(owners)) {
        const { spec, status } = aNewJob({ uid: name, name });
        const metadata = { ...spec.manifest.metadata, ownerReferences };
        await openNamespace(store.objects, 'default');
        await store.jobs.createJob({ ...spec, manifest: { ...spec.manifest, metadata } }, status);
      }
      const { jobs } = await store.jobs.listJobs({ namespace: 'default', after: null, limit: 9 });
      expect(jobs.map(({ name, ownerUid }) => [name, ownerUid])).toEqual([
        ['alone', null],
        ['controlled', 'second'],
        ['first', 'first'],
      ]);
    },
  },
  {
    name: 'the rows of an expired Job disappear in time, and expiring creates no rows',
    async run(store) {
      const { spec, status, uid } = await aStoredJob(store, { completions: 9_000 });
      await store.jobs.addTemplate(uid, 0, { taskDefinition: 'td:1', containers: ['main'], placement: '{}' });
      const over = following(status, '', { alarms: [] });
      await store.jobs.commitPass(uid, over, [aChunk(status, 1, 0, { state: 'succeeded', attempt: 1 })]);
      await store.jobs.expireJob(uid, 3, at(DAY_MS));
      await store.jobs.expireJob(uid, 3, at(DAY_MS));
      await store.jobs.expireJob(NOBODY, 1, at(DAY_MS));
      expect(await store.jobs.readChunks(uid, [0, 2])).toEqual(new Map());
      expect(await store.feed.readMark(uid)).toBeNull();
      expect(await store.jobs.readStatus(NOBODY)).toBeNull();

      const last = following(over, 'a later commit does not keep it alive');
      expect(await store.jobs.commitPass(uid, last, [])).toEqual({ kind: 'committed' });
      store.clock.advance(DAY_MS - 1);
      expect(await store.jobs.readStatus(uid)).toEqual(last);
      expect(await store.jobs.readSpec(uid)).toEqual(spec);
      store.clock.advance(1);
      expect(await store.jobs.readStatus(uid)).toBeNull();
      expect(await store.jobs.readSpec(uid)).toBeNull();
      expect(await store.jobs.readTemplates(uid)).toEqual([]);
      expect(await store.jobs.readChunks(uid, [1])).toEqual(new Map());
    },
  },
  {
    name: 'records of attempts are read by index and attempt, each once, until they expire',
    async run(store) {
      const { uid } = await aStoredJob(store, { completions: 9_000 });
      const records = [
        anAttempt(5, 2, 1),
        anAttempt(5, 10),
        anAttempt(5, 1, 137),
        anAttempt(4095),
        anAttempt(4096),
        {
          ...anAttempt(40),
          taskArn: null,
          ending: { cause: 'StartFailed', exitCode: null, container: null, reason: 'ü' },
        } as const,
      ];
      await store.jobs.writeAttempts(uid, records, at(DAY_MS));
      await store.jobs.writeAttempts(uid, records.slice(0, 2), at(DAY_MS));
      await store.jobs.writeAttempts(asJobUid('other'), [anAttempt(6)], at(DAY_MS));
      expect(chunkOf(4096)).toBe(1);
      expect(await store.jobs.readAttempts(uid, 0, 4095)).toEqual([
        records[2],
        records[0],
        records[1],
        records[5],
        records[3],
      ]);
      expect(await store.jobs.readAttempts(uid, 5, 5)).toEqual([records[2], records[0], records[1]]);
      expect(await store.jobs.readAttempts(uid, 4096, 8191)).toEqual([records[4]]);
      store.clock.advance(DAY_MS);
      expect(await store.jobs.readAttempts(uid, 0, 4095)).toEqual([]);
    },
  },
  {
    name: 'the last record of a Pod that was restarted has the task before, however often it is written',
    async run(store) {
      const { uid } = await aStoredJob(store);
      const why = { kind: 'exited', exitCode: 1 } as const;
      const crashed = (index: number, task: string, restarts: number): AttemptRecord => ({
        ...anAttempt(index),
        taskArn: anArn(task.charCodeAt(0)),
        judgement: { as: 'restarted', why },
        restarts,
      });
      const ended = (index: number, task: string, restarts: number): AttemptRecord => ({
        ...crashed(index, task, restarts),
        judgement: { as: 'failed', why },
      });
      const write = async (...records: readonly AttemptRecord[]) => store.jobs.writeAttempts(uid, records, at(DAY_MS));
      await write(crashed(1, 'a', 0));
      await write(crashed(1, 'b', 1), crashed(3, 'f', 0));
      for (let times = 0; times < 2; times++) await write(ended(1, 'c', 2), ended(2, 'd', 1));
      // Both ends of one pass.
      await write(crashed(4, 'g', 0), ended(4, 'h', 1));
      expect(await store.jobs.readAttempts(uid, 0, 9)).toEqual([
        { ...ended(1, 'c', 2), earlierTaskArn: crashed(1, 'b', 1).taskArn },
        // Nothing is known of the task before.
        ended(2, 'd', 1),
        crashed(3, 'f', 0),
        { ...ended(4, 'h', 1), earlierTaskArn: crashed(4, 'g', 0).taskArn },
      ]);
    },
  },
  {
    name: 'hundreds of records are written at once, one named twice among them, or none',
    async run(store) {
      const { uid } = await aStoredJob(store);
      const records = Array.from({ length: 260 }, (_, index) => anAttempt(index));
      await store.jobs.writeAttempts(uid, [anAttempt(3), ...records, anAttempt(7)], at(DAY_MS));
      await store.jobs.writeAttempts(uid, [], at(DAY_MS));
      expect(await store.jobs.readAttempts(uid, 0, 4095)).toEqual(records);
    },
  },
];
