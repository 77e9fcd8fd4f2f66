import { expect, test } from 'vitest';
import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { createGate } from '../../../shared/kube/feed/gate.ts';
import { type NumberedFeed, type Wait, createTail } from '../../../shared/kube/feed/feed-tail.ts';
import { START } from '../a-world.ts';

type Row = { readonly number: number; readonly about: string };

const POLL_MS = 1000;
/** Runs everything until it waits for time to pass. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A feed of one process, in a time that is moved by hand, which counts its reads. */
function aTail() {
  let now: EpochMs = START;
  let sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  const rows: Row[] = [];
  const counted = { reads: 0, sleeps: 0 };
  let isDown = false;
  let firstKept = 1;
  let ring = (): void => undefined;
  const feed: NumberedFeed<Row> = {
    head: async () => rows.length,
    async read(after, limit) {
      counted.reads++;
      if (isDown) throw new Error('throttled');
      return after + 1 < firstKept ? { kind: 'expired' } : { kind: 'rows', rows: rows.slice(after, after + limit) };
    },
    numberOf: ({ number }) => number,
    sizeOf: () => 1,
  };
  const clock = {
    now: () => now,
    sleep: (ms: number) =>
      new Promise<void>((wake) => {
        counted.sleeps++;
        sleepers.push({ at: now + ms, wake });
      }),
  };
  const subscribe = (told: () => void): void => {
    ring = told;
  };
  const tail = createTail(feed, { clock, pollMs: POLL_MS, gate: createGate(10), onAppend: subscribe });
  const append = (about: string, count = 1): void => {
    for (let i = 0; i < count; i++) rows.push({ number: rows.length + 1, about });
  };
  const pass = async (ms: number): Promise<void> => {
    await settle();
    for (const end = now + ms; now < end; ) {
      const next = Math.min(end, ...sleepers.map(({ at }) => at));
      now = plusMs(now, next - now);
      const due = sleepers.filter(({ at }) => at <= now);
      sleepers = sleepers.filter(({ at }) => at > now);
      for (const { wake } of due) wake();
      await settle();
    }
  };
  /** Waits as a watch does; its result can be read. */
  const wait = (after: number, wish: Partial<Wait<Row>> = {}) => {
    const seen: { at: number | null; error: string | null } = { at: null, error: null };
    const whole = { until: START + 3_600_000, isCancelled: () => false, concerns: () => true, ...wish };
    tail.awaitRow(after, whole).then(
      ({ at }) => {
        seen.at = at;
      },
      (error: unknown) => {
        seen.error = String(error);
      },
    );
    return seen;
  };
  const set = (change: { readonly isDown?: boolean; readonly firstKept?: number }): void => {
    isDown = change.isDown ?? isDown;
    firstKept = change.firstKept ?? firstKept;
  };
  return { tail, counted, append, pass, wait, set, ring: () => ring() };
}

test('a thousand waiting watches cost as much as one', async () => {
  const { wait, pass, counted, append } = aTail();
  const all = Array.from({ length: 1000 }, () => wait(0));
  await pass(10 * POLL_MS);
  expect(counted).toEqual({ reads: 10, sleeps: 11 });
  append('a');
  await pass(POLL_MS);
  expect(new Set(all.map(({ at }) => at))).toEqual(new Set([0]));
  expect(counted.reads).toBe(11);
});

test('without a waiting watch, nothing is read', async () => {
  const { wait, pass, counted, append } = aTail();
  await pass(10 * POLL_MS);
  expect(counted.reads).toBe(0);
  wait(0);
  append('a');
  await pass(POLL_MS);
  await pass(10 * POLL_MS);
  expect(counted.reads).toBe(1);
});

test('what this process appends is seen at once, what others append at the next poll', async () => {
  const { wait, pass, append, ring } = aTail();
  const first = wait(0);
  await pass(10);
  append('a');
  await pass(0);
  expect(first.at).toBeNull();
  ring();
  await pass(0);
  expect(first.at).toBe(0);
  const second = wait(1);
  append('b');
  await pass(POLL_MS);
  expect(second.at).toBe(1);
});

test('many rings during a read cause one more read', async () => {
  const { wait, pass, append, ring, counted } = aTail();
  wait(0, { concerns: () => false });
  await pass(10);
  for (let i = 0; i < 50; i++) {
    append('a');
    ring();
  }
  await pass(0);
  expect(counted.reads).toBeLessThanOrEqual(2);
  expect(counted.sleeps).toBe(1); // the wait in progress continues
});

test('irrelevant rows wake no watch, and are skipped', async () => {
  const { wait, pass, append, tail } = aTail();
  const patient = wait(0, { concerns: ({ about }) => about === 'mine' });
  append('other', 150);
  await pass(POLL_MS);
  expect(patient.at).toBeNull();
  append('mine');
  await pass(POLL_MS);
  expect(patient.at).toBe(150);
  const page = await tail.read(150, 100);
  expect(page).toEqual({ kind: 'rows', rows: [{ number: 151, about: 'mine' }] });
});

test('kept rows are not read again; a watch that is further behind reads for itself', async () => {
  const { wait, pass, append, tail, counted } = aTail();
  wait(0, { concerns: () => false });
  append('a', 2500);
  await pass(POLL_MS);
  const { reads } = counted;
  expect((await tail.read(2450, 100)).kind).toBe('rows');
  expect(counted.reads).toBe(reads);
  expect(wait(2450).at).toBeNull();
  const late = wait(100); // 2000 rows are kept
  await pass(0);
  expect(late.at).toBe(100);
  expect(await tail.read(100, 1)).toEqual({ kind: 'rows', rows: [{ number: 101, about: 'a' }] });
  expect(counted.reads).toBe(reads + 1);
});

test('rows are held for a minute only', async () => {
  const { wait, pass, append, tail, counted } = aTail();
  wait(0, { concerns: () => false });
  append('a', 10);
  await pass(POLL_MS);
  await tail.read(5, 100);
  expect(counted.reads).toBe(1);
  await pass(100 * POLL_MS);
  const { reads } = counted;
  await tail.read(5, 100);
  expect(counted.reads).toBe(reads + 1);
});

test('a watch is released when its time has come, and when its client has disconnected', async () => {
  const { wait, pass, counted } = aTail();
  let hasGone = false;
  const [timely, gone] = [wait(7, { until: START + 2500 }), wait(7, { isCancelled: () => hasGone })];
  await pass(2499);
  expect([timely.at, gone.at]).toEqual([null, null]);
  await pass(1);
  expect([timely.at, gone.at]).toEqual([7, null]);
  hasGone = true;
  await pass(POLL_MS);
  expect(gone.at).toBe(7);
  const { reads } = counted;
  await pass(10 * POLL_MS);
  expect(counted.reads).toBe(reads);
});

test('a store that cannot be read for a moment is read again, three times', async () => {
  const { wait, pass, append, set } = aTail();
  const first = wait(0);
  append('a');
  set({ isDown: true });
  await pass(2 * POLL_MS);
  set({ isDown: false });
  await pass(POLL_MS);
  expect(first).toEqual({ at: 0, error: null });
  const second = wait(1);
  set({ isDown: true });
  await pass(3 * POLL_MS);
  expect(second).toEqual({ at: null, error: 'Error: throttled' });
});

test('rows that expired before the reader saw them: waiting watches find out for themselves', async () => {
  const { wait, pass, append, tail, set } = aTail();
  const waiting = wait(0);
  append('a', 10);
  set({ firstKept: 9 });
  await pass(POLL_MS);
  expect(waiting.at).toBe(0);
  expect(await tail.read(0, 100)).toEqual({ kind: 'expired' });
  const next = wait(10);
  append('b');
  await pass(POLL_MS);
  expect(next.at).toBe(10);
});

test('a watch that has seen more than the reader waits for what comes after', async () => {
  const { wait, pass, append } = aTail();
  const [behind, ahead] = [wait(0), wait(2)];
  append('a', 2);
  await pass(POLL_MS);
  expect([behind.at, ahead.at]).toEqual([0, null]);
  append('b');
  await pass(POLL_MS);
  expect(ahead.at).toBe(2);
});
