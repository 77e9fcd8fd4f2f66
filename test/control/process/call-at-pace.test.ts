import { describe, expect, test } from 'vitest';
import { callAtPace, callPrepared } from '../../../shared/control/process/call-at-pace.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { type EpochMs, asEpochMs } from '../../../shared/domain/base/time.ts';

const START = asEpochMs(1_800_000_000_000);
const PACE = { name: 'launch', ratePerSec: 2 } as const;

/** Rights at these moments, in milliseconds from the start, a list for each time that somebody leases; time jumps between sleeps. */
class Ground {
  now: EpochMs = START;
  /** What happened, each with its moment. */
  readonly log: string[] = [];
  /** How late sleepers wake up, each in turn. */
  late: readonly number[] = [];
  readonly #leases: readonly (readonly number[])[];
  #leased = 0;
  readonly #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  constructor(...leases: readonly (readonly number[])[]) {
    this.#leases = leases;
  }

  readonly deps: Pick<Deps, 'pacer' | 'clock'> = {
    clock: {
      now: () => this.now,
      sleep: (ms) =>
        new Promise((wake) => {
          const [late = 0, ...others] = this.late;
          this.late = others;
          this.#sleepers.push({ at: this.now + ms + late, wake });
        }),
    },
    pacer: {
      lease: async (_name, wanted) =>
        (this.#leases[this.#leased++] ?? []).slice(0, wanted).map((ms) => asEpochMs(START + ms)),
      throttled: async () => undefined,
    },
  };

  say(what: string): void {
    this.log.push(`${this.now - START} ${what}`);
  }

  async until<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = work.finally(() => (done = true));
    end.catch(() => undefined);
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#sleepers.sort((a, b) => b.at - a.at);
      const next = done ? undefined : this.#sleepers.pop();
      if (next === undefined) continue;
      this.now = asEpochMs(Math.max(this.now, next.at));
      next.wake();
    }
    return end;
  }

  /** Items that are letters; what `prepare` makes of them are capitals. */
  async calls(
    items: string,
    prepares: (items: readonly string[]) => readonly string[] = (some) => some,
    undoes = false,
  ) {
    return this.until(
      callPrepared(items.split(''), PACE, this.deps, {
        prepare: async (some) => {
          this.say(`prepare ${some.join('')}`);
          return new Map(prepares(some).map((item) => [item, item.toUpperCase()]));
        },
        call: async (made) => this.say(made),
        ...(undoes ? { undo: async (some) => this.say(`undo ${some.join('')}`) } : {}),
      }),
    );
  }
}

describe('what is called is prepared right before', () => {
  test('together with what comes within a second, 150 ms before the first', async () => {
    const ground = new Ground([500, 1_000, 1_499, 1_500, 4_000]);
    expect(await ground.calls('abcde')).toEqual([]);
    expect(ground.log).toEqual([
      '350 prepare abc',
      '500 A',
      '1000 B',
      '1350 prepare d',
      '1499 C',
      '1500 D',
      '3850 prepare e',
      '4000 E',
    ]);
  });

  test('what gets no right is not prepared, and is given back', async () => {
    const ground = new Ground([500]);
    expect(await ground.calls('abc')).toEqual(['b', 'c']);
    expect(ground.log).toEqual(['350 prepare a', '500 A']);
  });

  test('what is not wanted any more is neither called nor given back', async () => {
    const ground = new Ground([500, 1_000, 1_100]);
    expect(await ground.calls('abc', (some) => some.filter((item) => item !== 'b'))).toEqual([]);
    expect(ground.log).toEqual(['350 prepare abc', '500 A', '1100 C']);
  });

  test('what misses its moment leases another, and is not prepared again', async () => {
    const ground = new Ground([500], [2_000]);
    ground.late = [0, 60];
    expect(await ground.calls('a')).toEqual([]);
    expect(ground.log).toEqual(['350 prepare a', '2000 A']);
  });

  test('or, where it can be taken back, is taken back and prepared again', async () => {
    const ground = new Ground([500], [1_000]);
    ground.late = [0, 60];
    expect(await ground.calls('a', (some) => some, true)).toEqual([]);
    expect(ground.log).toEqual(['350 prepare a', '560 undo a', '850 prepare a', '1000 A']);
  });

  test('what has to wait longer than a second is taken back at once, because its caller may have prepared it', async () => {
    const ground = new Ground([1_001, 1_500]);
    await ground.calls('ab', (some) => some, true);
    expect(ground.log).toEqual(['0 undo ab', '851 prepare ab', '1001 A', '1500 B']);
    const soon = new Ground([1_000]);
    await soon.calls('a', (some) => some, true);
    expect(soon.log).toEqual(['850 prepare a', '1000 A']);
  });

  test('what misses three moments is given back', async () => {
    const ground = new Ground([500], [2_000], [3_000]);
    ground.late = [0, 60, 0, 60, 0, 60];
    expect(await ground.calls('a')).toEqual(['a']);
    expect(ground.log).toEqual(['350 prepare a']);
  });

  test('without a limit, everything at once', async () => {
    const ground = new Ground();
    const made: string[] = [];
    const left = await callPrepared(['a', 'b'], { name: 'launch', ratePerSec: null }, ground.deps, {
      prepare: async (some) => new Map(some.map((item) => [item, item.toUpperCase()])),
      call: async (each) => void made.push(each),
    });
    expect({ left, made, now: ground.now }).toEqual({ left: [], made: ['A', 'B'], now: START });
  });
});

describe('an error ends the others neither before nor behind it', () => {
  test('of a call', async () => {
    const ground = new Ground([100, 200, 3_000]);
    const work = callAtPace(['a', 'b', 'c'], PACE, ground.deps, async (item) => {
      if (item === 'a') throw new Error('no table');
      ground.say(item);
    });
    await expect(ground.until(work)).rejects.toThrow('no table');
    expect(ground.log).toEqual(['200 b', '3000 c']);
  });

  test('while some are prepared', async () => {
    const ground = new Ground([100, 3_000]);
    const work = ground.calls('ab', (some) => {
      if (some.includes('a')) throw new Error('no table');
      return some;
    });
    await expect(work).rejects.toThrow('no table');
    expect(ground.log).toEqual(['0 prepare a', '2850 prepare b', '3000 B']);
  });
});
