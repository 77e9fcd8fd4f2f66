import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/runtime/memory-store.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { type WatchEvent, type WatchOptions, watch } from '../../../shared/kube/list/watch.ts';
import { type Watched, createTails, followed } from '../../../shared/kube/feed/watched.ts';
import type { FeedNotifications } from '../../../shared/ports/feed-notifications.ts';
import type { Feed, FeedRow } from '../../../shared/ports/feed.ts';
import { START } from '../a-world.ts';

/** Numbers from a seed, each in 0..below-1 (mulberry32). */
const dice = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
};

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const OBJECTS = 5;
const WRITES = 300;

/** An object is the last thing written to it; null: it has been deleted. */
type Value = { readonly name: string; readonly value: number };
type State = Map<string, number>;
/** `number`: of the row that published it; 0: it was listed. */
type Told = Value & { readonly number: number };

/**
 * Objects that writers change while watches read: at every step of either, chance lets the other continue. Sometimes time
 * leaps, and rows expire.
 */
function aRace(seed: number) {
  const random = dice(seed);
  let now: EpochMs = START;
  const store = createMemoryStore({ now: () => now });
  const state: State = new Map();
  const written = new Map<number, readonly (Value & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' })[]>();
  const marks = new Map<string, number>();
  let writes = 0;
  let ring = (): void => undefined;

  // Writers take turns: each knows where the marks are, and its row's number before anybody can read it.
  let turn: Promise<unknown> = Promise.resolve();
  const write = async (): Promise<void> => {
    turn = turn.then(writeNext);
    await turn;
  };
  const writeNext = async (): Promise<void> => {
    if (writes >= WRITES) return;
    writes++;
    if (random(40) === 0) now = plusMs(now, 90 * 60_000);
    const names = [...new Set(Array.from({ length: 1 + random(3) }, () => `object-${random(OBJECTS)}`))];
    const changes = names.map((name) => {
      const type = !state.has(name) ? 'ADDED' : random(4) === 0 ? 'DELETED' : 'MODIFIED';
      return { name, type, value: writes } as const;
    });
    // Committed first, published after: in between the list is newer than the feed.
    for (const { name, type, value } of changes) {
      if (type === 'DELETED') state.delete(name);
      else state.set(name, value);
    }
    const number = written.size + 1;
    written.set(number, changes);
    const appended = await store.feed.append(
      changes.map(({ name, type, value }) => {
        const after = marks.get(name) ?? 0;
        marks.set(name, value);
        return { uid: asJobUid(name), namespace: 'default', name, type, after, version: value, seq: 0, pods: [] };
      }),
      now,
    );
    expect(appended).toEqual({ kind: 'appended', number });
    ring();
  };
  const pause = async (): Promise<void> => {
    for (let steps = random(4); steps > 0; steps--) await write();
    await Promise.resolve();
  };

  const feed: Feed = {
    ...store.feed,
    async head() {
      await pause();
      const head = await store.feed.head();
      await pause();
      return head;
    },
    async read(after, limit) {
      await pause();
      const page = await store.feed.read(after, limit);
      await pause();
      return page;
    },
  };
  const source = (): Watched<Told> =>
    followed(tails.jobs, {
      kind: 'Thing',
      apiVersion: 'v1',
      async *present() {
        for (const [name, value] of Array.from(state)) {
          await pause();
          yield { name, value, number: 0 };
        }
      },
      concerns: () => true,
      async *changes(row: FeedRow) {
        for (const { type, name, value } of written.get(row.number) ?? []) {
          await pause();
          yield { type, object: { name, value, number: row.number } };
        }
      },
    });
  const clock = {
    now: () => now,
    async sleep(ms: number) {
      now = plusMs(now, ms);
      await pause();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  // With every other seed the writers are in this process.
  const notifications: FeedNotifications = {
    subscribe(name, onRow) {
      if (name === 'Job' && seed % 2 === 1) ring = onRow;
    },
  };
  const tails = createTails({ feed, objects: store.objects }, { clock, pollMs: 1000, notifications });
  return { feed, source, clock, random, state, written, isOver: () => writes >= WRITES };
}

const OPTIONS: Omit<WatchOptions, 'after' | 'endsAt'> = {
  bookmarks: true,
  announceEnd: false,
  ends: 'atTime',
  heartbeatMs: 30_000,
  isCancelled: () => false,
};

describe.each(SEEDS)('seed %i', (seed) => {
  test('every watch receives each row once, in order, and ends with the current state', async () => {
    const race = aRace(seed);
    const follow = async () => {
      const known: State = new Map();
      const rows: number[] = [];
      let relists = 0;
      let after: number | null = null;
      for (let done = false; !done; ) {
        done = race.isOver();
        const options: WatchOptions = { ...OPTIONS, after, endsAt: race.clock.now() + 1000 * (1 + race.random(5)) };
        let begin = true;
        const events: AsyncIterable<WatchEvent<Told>> = oneByOne(watch(race.source(), options, race.clock));
        for await (const event of events) {
          if (event.type === 'ERROR') {
            if (event.object.code !== 410) throw new Error(event.object.message);
            relists++;
            after = null;
            done = false;
            break;
          }
          if (event.type === 'BOOKMARK') {
            after = Number(event.object.metadata.resourceVersion);
            continue;
          }
          const { name, value, number } = event.object;
          if (number === 0) {
            // The existing objects replace what was known.
            if (begin) known.clear();
            begin = false;
            known.set(name, value);
            continue;
          }
          if (number !== rows.at(-1)) rows.push(number);
          // What was listed may be newer than the row.
          if (event.type === 'DELETED') known.delete(name);
          else known.set(name, value);
        }
        if (after === null && begin) known.clear();
      }
      return { known, rows, relists };
    };
    const [one, two, three] = await Promise.all([follow(), follow(), follow()]);
    for (const { known, rows, relists } of [one, two, three]) {
      expect(Object.fromEntries(known)).toEqual(Object.fromEntries(race.state));
      // Without gaps except where it listed again, and never back.
      const gaps = rows.filter((number, i) => i > 0 && number !== (rows[i - 1] ?? 0) + 1);
      expect(gaps.length).toBeLessThanOrEqual(relists);
      expect(rows).toEqual(rows.toSorted((a, b) => a - b));
      expect(new Set(rows).size).toBe(rows.length);
    }
  });
});

async function* oneByOne<T>(pieces: AsyncIterable<readonly WatchEvent<T>[]>) {
  for await (const piece of pieces) yield* piece;
}

const collect = async <T>(pieces: AsyncIterable<readonly WatchEvent<T>[]>) => {
  const all: WatchEvent<T>[] = [];
  for await (const event of oneByOne(pieces)) all.push(event);
  return all;
};

describe('versions', () => {
  const quiet = (head: number): Watched<never> => ({
    kind: 'Thing',
    apiVersion: 'v1',
    async *present() {},
    head: async () => head,
    read: async () => ({ kind: 'rows', rows: [] }),
    async awaitRow(after, { until }) {
      now = asEpochMs(until);
      return { at: after, isThere: false };
    },
  });
  let now: EpochMs = START;
  beforeEach(() => {
    now = START;
  });
  const clock = { now: () => now, sleep: async (ms: number) => void (now = plusMs(now, ms)) };

  test('one that was never reached: the client lists again', async () => {
    const options = { ...OPTIONS, after: 12, endsAt: START + 5000 };
    expect(await collect(watch(quiet(3), options, clock))).toMatchObject([
      { type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too large resource version: 12 (3)' } },
    ]);
    expect(await collect(watch(quiet(12), options, clock))).toMatchObject([
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '12' } } },
    ]);
  });

  test('what happened in one is sent in one piece, long ones in several', async () => {
    const changes = (count: number) =>
      async function* () {
        for (let i = 0; i < count; i++) yield { type: 'ADDED', object: i } as const;
      };
    const source: Watched<number> = {
      ...quiet(2),
      read: async (after) => ({
        kind: 'rows',
        rows: [
          { number: 1, changes: changes(3) },
          { number: 2, changes: changes(250) },
        ].slice(after),
      }),
    };
    const options = { ...OPTIONS, bookmarks: false, after: 0, endsAt: START };
    const lengths: number[] = [];
    for await (const piece of watch(source, options, clock)) lengths.push(piece.length);
    expect(lengths).toEqual([3, 100, 100, 50]);
  });

  test('a disconnected client receives nothing more', async () => {
    const options = { ...OPTIONS, after: 3, endsAt: START + 5000, isCancelled: () => true };
    expect(await collect(watch(quiet(3), options, clock))).toEqual([]);
  });
});
