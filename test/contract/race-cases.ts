import { expect } from 'vitest';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import type { LaunchRow, LaunchSlot } from '../../shared/ports/job-store.ts';
import {
  type StoreCase,
  type Stores,
  T0,
  aChunk,
  aNewJob,
  aStoredJob,
  anEntry,
  at,
  following,
} from './store-under-test.ts';
import { openNamespace } from '../support/a-namespace.ts';

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
const UID = asJobUid('uid-1');
const LATER = at(3_600_000);

/** Runs `work` eight times at once, and returns all results. */
const eightTimes = async <T>(work: (who: number) => Promise<T>): Promise<T[]> => Promise.all(EIGHT.map(work));

/** Appends a row for this Job after its current mark, until it succeeds. Returns the Job's new version. */
async function publish({ feed }: Stores, name: string): Promise<void> {
  for (;;) {
    const mark = await feed.readMark(asJobUid(name));
    const after = mark?.version ?? 0;
    const outcome = await feed.append([anEntry(asJobUid(name), after, after + 1)], T0);
    if (outcome.kind === 'appended') return;
  }
}

/** Several callers at once: the outcome is that of some order of the calls. */
export const RACE_CASES: readonly StoreCase[] = [
  {
    name: 'eight committers of one Job: every version is the win of one of them',
    async run(store) {
      const { status, uid } = await aStoredJob(store);
      const wins = await eightTimes(async (who) => {
        const won: number[] = [];
        for (let round = 0; round < 12; round++) {
          const read = await store.jobs.readStatus(uid);
          const next = following(read!, `${who}/${round}`);
          if ((await store.jobs.commitPass(uid, next, [])).kind === 'committed') won.push(next.version);
        }
        return won;
      });
      const last = (await store.jobs.readStatus(uid))?.version ?? 0;
      expect(last).toBeGreaterThan(status.version);
      const versions = Array.from({ length: last - status.version }, (_, nth) => status.version + 1 + nth);
      expect(wins.flat().sort((a, b) => a - b)).toEqual(versions);
    },
  },
  {
    name: 'eight commits of the same version, all alike: one wins',
    async run(store) {
      const { status, uid } = await aStoredJob(store);
      const outcomes = await eightTimes(async () => store.jobs.commitPass(uid, following(status, 'alike'), []));
      expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
    },
  },
  {
    name: 'eight folds of the same version: one wins, and the chunks are those of the winner',
    async run(store) {
      const { status, uid } = await aStoredJob(store, { completions: 9_000 });
      const outcomes = await eightTimes(async (who) => {
        const chunks = [0, 1, 2].map((no) => aChunk(status, no, 0, { state: 'running', attempt: who + 1 }));
        return store.jobs.commitPass(uid, following(status, String(who)), chunks);
      });
      const winners = EIGHT.filter((who) => outcomes[who]?.kind === 'committed');
      expect(winners).toHaveLength(1);
      const chunks = await store.jobs.readChunks(uid, [0, 1, 2]);
      expect([...chunks.values()].map(({ version, chunk }) => [version, chunk.attempts[1]])).toEqual(
        [0, 1, 2].map(() => [1, winners[0]! + 1]),
      );
      expect((await store.jobs.readStatus(uid))?.waitReason).toBe(String(winners[0]));
    },
  },
  {
    name: 'a load during folds is consistent, or its versions show that it is torn',
    async run(store) {
      const { status, uid } = await aStoredJob(store, { completions: 9_000 });
      const rounds = 20;
      const fold = async (): Promise<void> => {
        let last = status;
        for (let round = 0; round < rounds; round++) {
          const summaries = last.chunks.map((summary) => ({ ...summary, version: summary.version + 1 }));
          const next = following(last, '', { chunks: summaries });
          const chunks = [0, 1, 2].map((no) => aChunk(status, no, round, { state: 'running', attempt: round + 1 }));
          expect(await store.jobs.commitPass(uid, next, chunks)).toEqual({ kind: 'committed' });
          last = next;
        }
      };
      const load = async (): Promise<void> => {
        for (let round = 0; round < rounds; round++) {
          const read = await store.jobs.readStatus(uid);
          const chunks = await store.jobs.readChunks(uid, [0, 1, 2]);
          for (const no of [0, 1, 2]) {
            const version = chunks.get(no)?.version ?? 0;
            expect(version).toBeGreaterThanOrEqual(read?.chunks[no]?.version ?? 0);
            expect(chunks.get(no)?.chunk.attempts[1] ?? 0).toBe(version);
          }
        }
      };
      await Promise.all([fold(), load(), load(), load()]);
      expect((await store.jobs.readStatus(uid))?.chunks[2]?.version).toBe(rounds);
    },
  },
  {
    name: 'eight Jobs of one name: one is created, and the others get taken and leave nothing',
    async run(store) {
      await openNamespace(store.objects);
      const outcomes = await eightTimes(async (who) => {
        const { spec, status } = aNewJob({ uid: `uid-${who}` });
        return store.jobs.createJob(spec, status);
      });
      const winners = EIGHT.filter((who) => outcomes[who]?.kind === 'created');
      expect(winners).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'taken')).toHaveLength(7);
      expect(await store.jobs.findJob('default', 'work')).toBe(`uid-${winners[0]}`);
      const stored = await eightTimes(async (who) => (await store.jobs.readStatus(asJobUid(`uid-${who}`))) !== null);
      expect(EIGHT.filter((who) => stored[who])).toEqual(winners);
    },
  },
  {
    name: 'a delete and an edit of the same version: one wins, and the name shows which',
    async run(store) {
      for (let round = 0; round < 8; round++) {
        const { spec, status, uid } = await aStoredJob(store, { uid: `uid-${round}`, name: `job-${round}` });
        const [deleted, edited] = await Promise.all([
          store.jobs.commitDeletion(spec.identity, following(status, 'deleted')),
          store.jobs.commitSpec({ ...spec, revision: 2 }, following(status, 'edited')),
        ]);
        expect([deleted.kind, edited.kind].sort()).toEqual(['committed', 'lost']);
        const gone = deleted.kind === 'committed';
        expect(await store.jobs.findJob('default', `job-${round}`)).toBe(gone ? null : uid);
        expect((await store.jobs.readSpec(uid))?.revision).toBe(gone ? 1 : 2);
        expect((await store.jobs.readStatus(uid))?.waitReason).toBe(gone ? 'deleted' : 'edited');
      }
    },
  },
  {
    name: 'eight templates: all callers get the same one',
    async run({ jobs }) {
      const got = await eightTimes(async (who) =>
        jobs.addTemplate(UID, 0, { taskDefinition: `td:${who}`, containers: [], placement: '' }),
      );
      expect(new Set(got.map(([first]) => first?.taskDefinition)).size).toBe(1);
      expect(got.map((all) => all.length)).toEqual(got.map(() => 1));
      expect(await jobs.readTemplates(UID)).toEqual(got[0]);
    },
  },
  {
    name: 'a launch and its cancel exclude each other, with ten slots in a row',
    async run({ jobs }) {
      /**
       * Writes its own word into each free slot, and reads again after each lost race. Returns the slots that it got.
       */
      const take = async (state: 'launching' | 'cancelled', who: number): Promise<string[]> => {
        const got: string[] = [];
        for (let nth = 0; nth < 10; nth++) {
          const index = (nth + who) % 10;
          let row: LaunchRow = await jobs.readLaunches(UID, 0);
          while (!row.slots.some((slot) => slot.index === index)) {
            const id = { index, attempt: 1, nonce: 0 };
            const slot: LaunchSlot = state === 'cancelled' ? { ...id, state } : { ...id, state, since: T0 };
            const outcome = await jobs.writeLaunches(UID, { ...row, slots: [...row.slots, slot] }, LATER);
            if (outcome.kind === 'written') got.push(`${index} ${state}`);
            row = outcome.row;
          }
        }
        return got;
      };
      const got = await eightTimes(async (who) => take(who % 2 === 0 ? 'launching' : 'cancelled', who));
      const { slots, version } = await jobs.readLaunches(UID, 0);
      expect(version).toBe(10);
      expect(got.flat().sort()).toEqual(slots.map(({ index, state }) => `${index} ${state}`).sort());
      expect(new Set(slots.map(({ index }) => index)).size).toBe(10);
    },
  },
  {
    name: 'eight publishers of several Jobs: numbers without gaps, every entry exactly once',
    async run(store) {
      const jobs = ['a', 'b', 'c'];
      const rounds = 8;
      await eightTimes(async (who) => {
        for (let round = 0; round < rounds; round++) await publish(store, jobs[(who + round) % jobs.length]!);
      });
      expect(await store.feed.head()).toBe(8 * rounds);
      const read = await store.feed.read(0, 1_000);
      const rows = read.kind === 'rows' ? read.rows : [];
      expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 8 * rounds }, (_, n) => n + 1));
      for (const job of jobs) {
        const entries = rows.flatMap((row) =>
          row.entries.filter(({ uid }) => uid === job).map((entry) => ({ ...entry, number: row.number })),
        );
        expect(entries.map(({ version }) => version)).toEqual(entries.map((_, n) => n + 1));
        const mark = await store.feed.readMark(asJobUid(job));
        expect(mark).toMatchObject({ version: entries.length, number: entries.at(-1)?.number });
      }
    },
  },
  {
    name: 'eight publishers of the same change: one appends it, the others are outrun',
    async run({ feed }) {
      const outcomes = await eightTimes(async () => feed.append([anEntry(UID, 0, 1)], T0));
      expect(outcomes.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
      expect(await feed.head()).toBe(1);
    },
  },
  {
    name: 'eight dispatchers request the same lease at the same moment: one gets it',
    async run({ limits }) {
      for (let version = 0; version < 5; version++) {
        const state = { nextFreeAt: asEpochMs(T0 + version), cut: null, recent: null };
        const outcomes = await eightTimes(async () => limits.commit('launch', version, state));
        expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
        expect(outcomes.every(({ row }) => row.version === version + 1)).toBe(true);
      }
    },
  },
  {
    name: 'two hundred writers store objects at once, and remove them at once: all have their turn, each number occurs once',
    async run({ objects }) {
      await openNamespace(objects);
      const keys = Array.from({ length: 200 }, (_, i) => ({ namespace: 'default', name: `cron-${i}` }));
      const documents = keys.map(({ name }) => ({ metadata: { uid: `uid-${name}` } }));
      const stored = await Promise.all(
        keys.map(async (key, i) => objects.commit('Service', { key, was: 0, document: documents[i] ?? null })),
      );
      const versionsOf = (commits: typeof stored) =>
        commits.map((commit) => (commit.kind === 'committed' ? commit.version : 0)).sort((a, b) => a - b);
      expect(versionsOf(stored)).toEqual(keys.map((_, i) => i + 1));
      const read = await Promise.all(keys.map(async (key) => objects.read('Service', key)));
      expect(read.map((each) => each?.version)).toEqual(
        stored.map((each) => each.kind === 'committed' && each.version),
      );
      const removed = await Promise.all(
        read.map(async (each) => objects.commit('Service', { key: each!.key, was: each!.version, document: null })),
      );
      expect(versionsOf(removed)).toEqual(keys.map((_, i) => 201 + i));
      const told: string[] = [];
      for (let after = 0; after < 400; ) {
        const page = await objects.changes('Service', after, 100);
        if (page.kind === 'expired') throw new Error('expired');
        for (const { type, object } of page.rows) told.push(`${object.version} ${type} ${object.key.name}`);
        after += page.rows.length;
      }
      const lines = (commits: typeof stored, type: string) =>
        commits.map((commit, i) => [commit.kind === 'committed' ? commit.version : 0, type, keys[i]?.name] as const);
      const expected = [...lines(stored, 'ADDED'), ...lines(removed, 'DELETED')].sort(([a], [b]) => a - b);
      expect(told).toEqual(expected.map((line) => line.join(' ')));
    },
  },
  {
    name: 'many writers at once, some of which lose or write the same object: all others are stored',
    async run({ objects }) {
      await openNamespace(objects);
      const key = (name: string) => ({ namespace: 'default', name });
      const document = { metadata: { uid: 'u' } };
      await objects.commit('Service', { key: key('there'), was: 0, document });
      const commits = await Promise.all([
        ...EIGHT.map(async (who) => objects.commit('Service', { key: key(`new-${who}`), was: 0, document })),
        ...EIGHT.map(async () => objects.commit('Service', { key: key('there'), was: 1, document })),
        objects.commit('Service', { key: key('there'), was: 9, document }),
        objects.commit('Service', { key: { namespace: 'none', name: 'lost' }, was: 0, document }),
      ]);
      const kinds = commits.map(({ kind }) => kind);
      expect(kinds.slice(0, 8)).toEqual(EIGHT.map(() => 'committed'));
      expect(kinds.slice(8, 16).filter((kind) => kind === 'committed')).toHaveLength(1);
      expect(kinds.slice(16)).toEqual(['lost', 'noNamespace']);
      expect(await objects.head('Service')).toBe(10);
    },
  },
];
