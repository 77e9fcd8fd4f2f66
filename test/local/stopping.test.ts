import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StopDeadline, stopDeadline } from '../../cli/shell/stop-deadline.ts';
import { STOP_MS, sharesOf } from '../../local/stopping/shares.ts';

describe('what is left of a stop is divided', () => {
  test.each([
    [5_000, { drainMs: 500, graceMs: 3_000, goneMs: 500 }],
    [1_000, { drainMs: 100, graceMs: 600, goneMs: 100 }],
    [0, { drainMs: 0, graceMs: 0, goneMs: 0 }],
    [-20, { drainMs: 0, graceMs: 0, goneMs: 0 }],
  ])('%s ms', (leftMs, shares) => {
    expect(sharesOf(leftMs)).toEqual(shares);
  });

  test.each([5_000, 700])('so that a fifth of %s ms is left for the store', (leftMs) => {
    const { drainMs, graceMs, goneMs } = sharesOf(leftMs);
    expect(drainMs + graceMs + goneMs).toBeCloseTo(leftMs * 0.8);
  });
});

describe('a stop', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  /** A deadline, what asks to stop, and how it has ended: with whether it was done. */
  function aDeadline() {
    const ends: boolean[] = [];
    let ask = (): void => undefined;
    const stopping = new Promise<void>((resolve) => (ask = resolve));
    const deadline: StopDeadline = stopDeadline({
      stopping,
      now: () => Date.now(),
      end: (isDone) => ends.push(isDone),
    });
    return { deadline, ends, ask: () => ask() };
  }

  test('has all of its time until somebody asks for it, and ends nothing', async () => {
    const { deadline, ends } = aDeadline();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect([deadline.leftMs(), ends]).toEqual([STOP_MS, []]);
  });

  test('ends at the deadline, counted from the request, whatever the process does until then', async () => {
    const { deadline, ends, ask } = aDeadline();
    await vi.advanceTimersByTimeAsync(60_000);
    ask();
    await vi.advanceTimersByTimeAsync(STOP_MS - 1_000);
    expect([deadline.leftMs(), ends]).toEqual([1_000, []]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([deadline.leftMs(), ends]).toEqual([0, [false]]);
  });

  test('that is done ends then what still keeps the process alive', async () => {
    const { deadline, ends, ask } = aDeadline();
    ask();
    await vi.advanceTimersByTimeAsync(10);
    deadline.done();
    await vi.advanceTimersByTimeAsync(STOP_MS);
    expect(ends).toEqual([true]);
  });
});
