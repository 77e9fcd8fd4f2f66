import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/runtime/memory-store.ts';
import { createPublisher } from '../../../shared/control/process/publisher.ts';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import { extendJournal } from '../../../shared/domain/scoreboard/journal.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import { podKey, podsOfChunk } from '../../../shared/domain/scoreboard/published-pods.ts';
import type { Transition } from '../../../shared/domain/scoreboard/transition.ts';
import type { Feed } from '../../../shared/ports/feed.ts';
import { dice } from '../../support/arbitrary-board.ts';
import { draws } from '../../verify/draws.ts';
import { T0, aNewJob } from '../../contract/store-under-test.ts';

const clock = { now: () => T0, sleep: async () => undefined };
const aFeed = () => createMemoryStore({ now: () => T0 }).feed;
const { spec, status: fresh } = aNewJob();
const job = spec.identity;
/** The status after a commit of these transitions. */
const committed = (status: Status, ...transitions: readonly Transition[]): Status => ({
  ...status,
  version: status.version + 1,
  journal: extendJournal(status.journal, transitions),
});
const claim = (index: number, attempt = 1): Transition => ({ op: 'claim', index, attempt });
const versionsIn = async (feed: Feed) => {
  const read = await feed.read(0, 100);
  return read.kind === 'rows' ? read.rows.map(({ entries }) => entries.map(({ version }) => version)) : [];
};

describe('concurrent publishers', () => {
  test('if two versions wait for one row, the newer is published, whichever came first', async () => {
    for (const order of ['up', 'down']) {
      const feed = aFeed();
      const publisher = createPublisher({ feed, clock });
      const second = committed(fresh, claim(0));
      const third = committed(second, claim(1));
      const first = publisher.publish(job, fresh); // the others wait for its row
      const waiting = order === 'up' ? [second, third] : [third, second];
      await Promise.all([first, ...waiting.map(async (status) => publisher.publish(job, status))]);
      expect(await versionsIn(feed)).toEqual([[1], [3]]);
    }
  });

  test('a publisher that lost a race publishes at once what the other did not know', async () => {
    const feed = aFeed();
    await createPublisher({ feed, clock }).publish(job, fresh);
    const second = committed(fresh, claim(0));
    const third = committed(second, claim(1));
    let isFirst = true;
    const outrunning: Feed = {
      ...feed,
      async append(entries, at) {
        if (isFirst) await createPublisher({ feed, clock }).publish(job, second);
        isFirst = false;
        return feed.append(entries, at);
      },
    };
    await createPublisher({ feed: outrunning, clock }).publish(job, third);
    expect(await versionsIn(feed)).toEqual([[1], [2], [3]]);
    const read = await feed.read(2, 1);
    expect(read.kind === 'rows' && read.rows[0]?.entries[0]?.pods).toEqual([
      { index: 1, attempt: 1, state: 'claimed', isNew: true },
    ]);
  });

  test('a Job without changes is published once', async () => {
    const feed = aFeed();
    await createPublisher({ feed, clock }).publish(job, fresh);
    await createPublisher({ feed, clock }).publish(job, fresh);
    expect(await versionsIn(feed)).toEqual([[1]]);
  });
});

describe('what a publisher remembers of the feed', () => {
  /** A feed, a publisher whose reads of marks and appended rows are counted, and the Job in its first version. */
  async function aWatchedFeed() {
    const feed = aFeed();
    const calls: string[] = [];
    const watched: Feed = {
      ...feed,
      readMark: async (uid) => {
        calls.push('read');
        return feed.readMark(uid);
      },
      append: async (entries, at) => {
        const appended = await feed.append(entries, at);
        calls.push(appended.kind);
        return appended;
      },
    };
    await createPublisher({ feed, clock }).publish(job, fresh);
    return { feed, calls, publisher: createPublisher({ feed: watched, clock }) };
  }
  test('is nothing, of a Job that is new: it is not asked', async () => {
    const { calls, publisher } = await aWatchedFeed();
    const { spec: other, status } = aNewJob({ uid: 'uid-9', name: 'other' });
    await publisher.publish(other.identity, status);
    expect(calls).toEqual(['appended']);
  });

  test('is read where another process was faster with a new Job', async () => {
    const { feed, calls, publisher } = await aWatchedFeed();
    await publisher.publish(job, fresh);
    expect(calls).toEqual(['outrun', 'read']);
    expect(await versionsIn(feed)).toEqual([[1]]);
  });

  const since = (status: Status) => ({ version: status.version, seq: status.journal.nextSeq, at: T0 });
  const second = committed(fresh, claim(0));
  const third = committed(second, claim(1));
  const fourth = committed(third, claim(2));

  test('is not read again, whether or not the caller knows the same', async () => {
    const { calls, publisher } = await aWatchedFeed();
    await publisher.publish(job, second);
    expect(calls.splice(0)).toEqual(['read', 'appended']);
    await publisher.publish(job, third);
    expect(calls.splice(0)).toEqual(['appended']);
    await publisher.publish(job, fourth, since(third));
    expect(calls).toEqual(['appended']);
  });

  test('is read if the caller knows of a later version', async () => {
    const { feed, calls, publisher } = await aWatchedFeed();
    await publisher.publish(job, second);
    await createPublisher({ feed, clock }).publish(job, third);
    calls.splice(0);
    await publisher.publish(job, fourth, since(third));
    expect(calls).toEqual(['read', 'appended']);
  });
});

test.each([
  ['a change and the pass after it', [1, null], 1],
  ['a pass and a change', [null, 1], 1],
  ['two changes', [1, 2], 1],
  ['two changes, the later one first', [2, 1], 1],
])('one row for %s has the spec that the first change replaced', async (_, replaced, revision) => {
  const feed = aFeed();
  const publisher = createPublisher({ feed, clock });
  const first = publisher.publish(job, fresh); // the others wait for its row
  const rest = replaced.map(async (before, nth) =>
    publisher.publish(
      job,
      { ...fresh, version: 2 + nth, revision: 3 },
      undefined,
      before === null ? undefined : { ...spec, revision: before },
    ),
  );
  await Promise.all([first, ...rest]);
  const read = await feed.read(1, 1);
  expect(read.kind === 'rows' && read.rows[0]?.entries).toMatchObject([{ version: 3, specBefore: { revision } }]);
});

describe('what is stored about published Pods', () => {
  const CHUNKS = 3;

  /** By the chunks' own rows, the tail's and the mark's: every existing Pod, with the number of its row. */
  async function kept(feed: Feed): Promise<ReadonlyMap<string, number>> {
    const mark = await feed.readMark(job.uid);
    const pods = new Map<string, number>();
    if (mark?.published === null || mark === null) throw new Error('nothing is kept');
    for (let no = 0; no < CHUNKS; no++) {
      const parts =
        mark.published.through === 0 ? new Map<never, never>() : await feed.readPublished(job.uid, ['tail', no]);
      const [tail = null, chunk = null] = [parts.get('tail' as never), parts.get(no as never)];
      for (const pod of podsOfChunk(mark.published, tail, chunk, no))
        if (pod.state !== 'gone') pods.set(podKey(pod), pod.number);
    }
    return pods;
  }

  // Rows of 400 fill the mark at once, and 8,000 the tail.
  test.each([1, 2, 3].slice(0, draws(3)))(
    'is every Pod in the version that last published it, even if processes die (%i)',
    async (seed) => {
      const random = dice(seed);
      const feed = aFeed();
      const truth = new Map<string, number>();
      let [status, row, dead] = [fresh, 1, 0];
      await createPublisher({ feed, clock }).publish(job, status);
      for (let step = 0; step < 40; step++) {
        const indexes = new Set(Array.from({ length: 400 }, () => random(CHUNKS * CHUNK_INDEXES)));
        const transitions = [...indexes].map((index): Transition => {
          if (!truth.has(`${index}/1`)) return claim(index);
          return random(3) === 0 ? { op: 'released', index, attempt: 1 } : { op: 'running', index, attempt: 1 };
        });
        status = committed(status, ...transitions);
        let calls = random(6);
        const dying = async <T>(call: Promise<T>): Promise<T> => {
          const answer = await call;
          if (calls-- === 0) throw new Error('died');
          return answer;
        };
        const mortal: Feed = {
          ...feed,
          readMark: async (uid) => dying(feed.readMark(uid)),
          writePublished: async (uid, parts) => dying(feed.writePublished(uid, parts)),
        };
        await createPublisher({ feed: mortal, clock })
          .publish(job, status)
          .catch(() => dead++);
        // A process that died may have stored parts that the mark does not know: what is stored is the same.
        const untold = (await feed.head()) === row ? await kept(feed) : truth;
        expect(untold).toEqual(truth);
        await createPublisher({ feed, clock }).publish(job, status);
        row++;
        expect(await feed.head()).toBe(row);
        for (const { op, index } of transitions)
          if (op === 'released') truth.delete(`${index}/1`);
          else truth.set(`${index}/1`, row);
        const found = await kept(feed);
        expect(found.size).toBe(truth.size);
        expect([...found].filter(([key, number]) => truth.get(key) !== number)).toEqual([]);
      }
      expect(dead).toBeGreaterThan(3);
      expect((await feed.readPublished(job.uid, [0])).has(0)).toBe(true); // the tail was full once
    },
  );

  test('a mark of an earlier version without stored Pods: all Pods are as old as the mark', async () => {
    const feed = aFeed();
    const { uid, namespace, name } = job;
    const entry = { uid, namespace, name, type: 'ADDED', after: 0, version: 1, seq: 0, pods: [] } as const;
    await feed.append([entry], T0);
    expect((await feed.readMark(uid))?.published).toBeNull();
    await createPublisher({ feed, clock }).publish(job, committed(fresh, claim(4)));
    expect((await feed.readMark(uid))?.published).toEqual({
      base: 1,
      through: 0,
      ending: null,
      recent: [{ index: 4, attempt: 1, state: 'claimed', number: 2 }],
    });
  });
});
