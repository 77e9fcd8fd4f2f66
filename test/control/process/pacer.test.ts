import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/runtime/memory-store.ts';
import { callAtPace, slowDown } from '../../../shared/control/process/call-at-pace.ts';
import { createPacer } from '../../../shared/control/process/pacer.ts';
import { type EpochMs, asEpochMs } from '../../../shared/domain/base/time.ts';
import type { Limits } from '../../../shared/ports/limits.ts';

const START = asEpochMs(1_800_000_000_000);

/** Dispatchers on one clock, which jumps from one awaited moment to the next. */
class Dispatchers {
  now: EpochMs = START;
  writes = 0;
  lost = 0;
  /** How late a sleeping dispatcher wakes up. */
  late: () => number = () => 0;
  readonly calls: { readonly who: string; readonly atMs: number }[] = [];
  #asked = 0;
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  readonly #limits: Limits;

  constructor() {
    const real = createMemoryStore({ now: () => asEpochMs(0) }).limits;
    this.#limits = {
      read: async (name) => real.read(name),
      commit: async (name, version, state) => {
        const committed = await real.commit(name, version, state);
        if (committed.kind === 'committed') this.writes++;
        else this.lost++;
        return committed;
      },
    };
  }

  /** A separate process. */
  process() {
    const clock = {
      now: () => this.now,
      sleep: (ms: number) =>
        new Promise<void>((wake) => this.#sleepers.push({ at: this.now + ms + this.late(), wake })),
    };
    return { clock, pacer: createPacer({ limits: this.#limits, clock }) };
  }

  /**
   * Calls `count` times as one pack does; calls without room are retried after a second or more, until all were made.
   */
  async pack(
    who: string,
    count: number,
    ratePerSec: number,
    deps = this.process(),
    ahead = 0,
    namespace = 'default',
  ): Promise<void> {
    const items = Array.from({ length: count }, (_, i) => i);
    const pace = { name: 'launch', ratePerSec, namespace, ahead } as const;
    const call = async (): Promise<void> => void this.calls.push({ who, atMs: this.now - START });
    for (let left: readonly number[] = items; left.length > 0; ) {
      left = await callAtPace(left, pace, deps, call);
      if (left.length > 0) await deps.clock.sleep(1_000 + ((this.#asked++ * 137) % 400));
    }
  }

  async until<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = work.finally(() => (done = true));
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      if (done) break;
      this.#sleepers.sort((a, b) => b.at - a.at);
      const next = this.#sleepers.pop();
      if (next === undefined) continue;
      this.now = asEpochMs(Math.max(this.now, next.at));
      next.wake();
    }
    return end;
  }

  /** The packs of `jobs` Jobs of one namespace, each with more to launch than it may, for `lastsMs`. */
  async namespace(name: string, { jobs, packs, size, ahead, lastsMs }: Load): Promise<void> {
    const deps = this.process();
    const line = async (n: number): Promise<void> => {
      await deps.clock.sleep((n * 37) % 1_000);
      while (this.now - START < lastsMs) await this.pack(name, size, 20, deps, ahead, name);
    };
    await Promise.all(Array.from({ length: jobs * packs }, async (_, n) => line(n)));
  }
}

type Load = {
  readonly jobs: number;
  readonly packs: number;
  readonly size: number;
  readonly ahead: number;
  readonly lastsMs: number;
};

describe('three dispatchers', () => {
  test('keep to the rate in every second, and use nearly all of it', async () => {
    const all = new Dispatchers();
    const packs = Array.from({ length: 3 }, () => all.process()).flatMap((deps) =>
      Array.from({ length: 10 }, async () => all.pack('large', 10, 20, deps, 70)),
    );
    await all.until(Promise.all(packs));
    expect(all.calls).toHaveLength(300);
    expect(mostInAnySecond(all.calls)).toBeLessThanOrEqual(20);
    const middle = all.calls.filter(({ atMs }) => atMs >= 2_000 && atMs < 12_000);
    expect(middle.length).toBeGreaterThanOrEqual(0.95 * 20 * 10);
  });

  test('ask for other moments if they wake up late, and no second exceeds the rate', async () => {
    const all = new Dispatchers();
    let n = 0;
    all.late = () => [0, 30, 38, 39, 200, 5][n++ % 6]!;
    const packs = Array.from({ length: 3 }, () => all.process()).flatMap((deps) =>
      Array.from({ length: 5 }, async () => all.pack('large', 10, 20, deps, 70)),
    );
    await all.until(Promise.all(packs));
    expect(all.calls).toHaveLength(150);
    expect(mostInAnySecond(all.calls)).toBeLessThanOrEqual(20);
  });
});

test('a process writes the row once for all its calls', async () => {
  const all = new Dispatchers();
  const deps = all.process();
  await all.until(Promise.all(Array.from({ length: 8 }, async () => all.pack('many', 10, 1_000, deps))));
  // The first did not know about the others.
  expect({ calls: all.calls.length, writes: all.writes }).toEqual({ calls: 80, writes: 2 });
});

test('the three claims of a small Job are launched within two and a half seconds, however many claims a large Job has', async () => {
  const all = new Dispatchers();
  const deps = all.process();
  const large = Array.from({ length: 60 }, async (_, i) => {
    await deps.clock.sleep(i * 40);
    await all.pack('large', 10, 20, all.process(), 70);
  });
  const small = async (): Promise<void> => {
    for (let i = 0; i < 12; i++) {
      await deps.clock.sleep(730);
      const since = all.now - START;
      await all.pack('small', 3, 20, deps, 0);
      expect(all.now - START - since).toBeLessThanOrEqual(2_400);
    }
  };
  await all.until(Promise.all([...large, small()]));
  expect(all.calls.filter(({ who }) => who === 'small')).toHaveLength(36);
});

describe('namespaces that launch at the same time', () => {
  const lastsMs = 20_000;
  /** Its packs look two seconds ahead, apart from its first. */
  const large = { jobs: 1, packs: 8, size: 10, ahead: 70, lastsMs };
  const manyLarge = { ...large, jobs: 10 };
  const manyTiny = { jobs: 80, packs: 1, size: 1, ahead: 0, lastsMs };
  const inMiddle = ({ atMs }: { readonly atMs: number }): boolean => atMs >= 4_000 && atMs < 19_000;

  type Row = readonly [what: string, loads: readonly Load[], ofEach: number];
  test.each<Row>([
    ['a namespace with one large Job, and one with ten', [large, manyLarge], 1 / 2],
    ['a namespace with one large Job, and one with very many tiny ones', [large, manyTiny], 1 / 2],
    ['three namespaces', [large, manyLarge, manyTiny], 1 / 3],
  ])('%s: each gets its share, and none of the rate is lost', async (_, loads, ofEach) => {
    const all = new Dispatchers();
    await all.until(Promise.all(loads.map(async (load, i) => all.namespace(`team-${i}`, load))));
    const middle = all.calls.filter(inMiddle);
    const shares = loads.map((_load, i) => middle.filter(({ who }) => who === `team-${i}`).length / middle.length);
    for (const share of shares) expect(share).toBeGreaterThanOrEqual(0.8 * ofEach);
    expect(middle.length).toBeGreaterThanOrEqual(0.95 * 20 * 15);
    expect(mostInAnySecond(all.calls)).toBeLessThanOrEqual(20);
  });

  test('a namespace that launches little waits little, however much two others launch', async () => {
    const all = new Dispatchers();
    const deps = all.process();
    const small = async (): Promise<void> => {
      for (let i = 0; i < 6; i++) {
        await deps.clock.sleep(2_730);
        const since = all.now - START;
        await all.pack('small', 3, 20, deps, 0, 'small');
        expect(all.now - START - since).toBeLessThanOrEqual(2_400);
      }
    };
    await all.until(Promise.all([all.namespace('a', manyLarge), all.namespace('b', large), small()]));
    const middle = all.calls.filter(inMiddle);
    const [a, b] = ['a', 'b'].map((name) => middle.filter(({ who }) => who === name).length);
    expect(Math.min(a!, b!)).toBeGreaterThanOrEqual(0.8 * Math.max(a!, b!));
  });
});

test('a throttle is recorded once, whichever call meets it, and only with a rate', async () => {
  const all = new Dispatchers();
  const [one, other] = [all.process(), all.process()];
  const pace = { name: 'launch', ratePerSec: 20 } as const;
  await all.until(Promise.all([slowDown(pace, one), slowDown(pace, other), slowDown(pace, one)]));
  expect(all.writes).toBe(1);
  await slowDown({ name: 'stop', ratePerSec: null }, one);
  expect(all.writes).toBe(1);
  const from = all.calls.length;
  await all.until(all.pack('after', 11, 20, one));
  const spread = all.calls.at(-1)!.atMs - all.calls[from]!.atMs;
  expect(spread).toBeGreaterThanOrEqual(1_000); // 0.5 s at the full rate
});

function mostInAnySecond(calls: readonly { readonly atMs: number }[]): number {
  const moments = calls.map(({ atMs }) => atMs).sort((a, b) => a - b);
  return Math.max(...moments.map((from) => moments.filter((each) => each >= from && each < from + 1_000).length));
}
