import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchClock } from '../../local/clock-watch.ts';
import { wallTimers } from '../../local/ecs/timers.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** What the watch reports about a clock that is set by these steps, one a second. */
function told(stepsMs: readonly number[]): readonly number[] {
  let elapsedMs = 0;
  let offsetMs = 1_800_000_000_000;
  const steps: number[] = [];
  const end = watchClock({
    onSetBack: (byMs) => steps.push(byMs),
    now: () => elapsedMs + offsetMs,
    elapsedMs: () => elapsedMs,
  });
  for (const stepMs of stepsMs) {
    elapsedMs += 1_000;
    offsetMs += stepMs;
    vi.advanceTimersByTime(1_000);
  }
  end();
  offsetMs -= 3_600_000;
  vi.advanceTimersByTime(10_000);
  return steps;
}

test('a clock that is set back is reported once, with how far', () => {
  expect(told([0, 0, -3_600_000, 0, 0, -1_000])).toEqual([3_600_000, 1_000]);
});

test('one that is set forward, or that a time daemon slews, is not', () => {
  expect(told([0, 3_600_000, -999, 500, -500])).toEqual([]);
});

test('alarms of the embedded ECS ring in their time though the clock is set back', () => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const rung: string[] = [];
  const timers = wallTimers();
  timers.after(5_000, () => rung.push('stop'));
  vi.advanceTimersByTime(1_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(3_999);
  expect(rung).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(rung).toEqual(['stop']);
  timers.close();
});
