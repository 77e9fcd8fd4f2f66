import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseDurationMs } from '../../../cli/text/duration.ts';
import { openView } from '../../../cli/follow/job-view.ts';
import { LiveScreen } from '../../../cli/follow/live-screen.ts';
import type { JobProgress } from '../../../cli/render/progress.ts';
import { aShell } from '../a-shell.ts';

const aProgress = (succeeded: number, wish: Partial<JobProgress> = {}): JobProgress => ({
  namespace: 'default',
  name: 'frames',
  phase: 'running',
  message: '',
  total: 3,
  counts: {
    succeeded,
    running: 0,
    starting: 0,
    stopping: 0,
    retrying: 0,
    failed: 0,
    waiting: 3 - succeeded,
    inherited: 0,
    excluded: 0,
    held: 0,
    cancelled: 0,
    failedAttempts: 0,
  },
  board: new Uint8Array(3),
  named: [],
  startedAtMs: 0,
  endedAtMs: null,
  rate: null,
  waits: null,
  failure: null,
  dependencies: { after: [], afterIndexes: [] },
  lost: null,
  ...wish,
});

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const aView = (wish: { terminal?: { columns: number; rows: number }; env?: Record<string, string> } = {}) => {
  const hand = aShell({ cwd: '/', now: () => Date.now(), ...wish });
  return { ...hand, view: openView(hand.shell.out, hand.shell) };
};

describe('without a terminal', () => {
  test('the longer it lasts, the rarer are its lines; a failed index and the last line come all the same', () => {
    const { view, out } = aView();
    const hours = 10;
    for (let sec = 0; sec < hours * 3_600; sec++) {
      view.show(aProgress(sec, { total: 100_000 }));
      vi.advanceTimersByTime(1_000);
    }
    const lines = () => out().split('\n').slice(0, -1);
    expect(lines().length).toBeGreaterThan(300);
    expect(lines().length).toBeLessThan(500);
    const { counts } = aProgress(40_000);
    view.show(aProgress(40_000, { total: 100_000, counts: { ...counts, failed: 1 } }));
    vi.advanceTimersByTime(1_000);
    expect(lines().at(-1)).toContain('40000/100000 succeeded, 1 failed');
    view.show(aProgress(40_001, { total: 100_000, counts: { ...counts, succeeded: 40_001, failed: 1 } }));
    view.close();
    expect(lines().at(-1)).toContain('40001/100000 succeeded, 1 failed');
  });

  test('a line on each change of counts, at most one a second, and the last one always', () => {
    const { view, out } = aView();
    view.show(aProgress(0));
    view.show(aProgress(0, { rate: { perSec: 1, asOfMs: 0 } })); // nothing new in words
    vi.advanceTimersByTime(400);
    view.show(aProgress(1));
    view.show(aProgress(2));
    expect(out()).toBe('frames running 0s: 0/3 succeeded, 3 waiting\n');
    vi.advanceTimersByTime(600);
    expect(out().split('\n').slice(1)).toEqual(['frames running 1s: 2/3 succeeded, 1 waiting', '']);
    vi.advanceTimersByTime(60_000);
    view.show(aProgress(2));
    expect(out().split('\n')).toHaveLength(3);
    view.show(aProgress(3));
    view.show(aProgress(3, { phase: 'complete', endedAtMs: 61_000 }));
    view.close();
    expect(out().split('\n').slice(-3)).toEqual([
      'frames running 61s: 3/3 succeeded',
      'frames complete 61s: 3/3 succeeded',
      '',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the first failure is shown once, with the end of its log', () => {
    const { view, out } = aView();
    const failure = { text: 'index 0, attempt 1 failed: exit code 1', log: ['KeyError: 7'] };
    view.show(aProgress(0));
    view.show(aProgress(0, { failure }));
    view.show(aProgress(0, { failure: { ...failure, log: ['another'] } }));
    view.close();
    expect(out().split('\n').slice(1)).toEqual(['frames index 0, attempt 1 failed: exit code 1', '  KeyError: 7', '']);
  });

  test('TERM=dumb and pipes look alike: not one escape code', () => {
    const { view, out } = aView({ env: { FORCE_COLOR: '1' } });
    view.show(aProgress(1));
    view.close();
    expect(out()).not.toContain('\u001B');
  });
});

describe('on a terminal', () => {
  const terminal = () => ({ columns: 60, rows: 20 });

  test('at most ten pictures a second, each over the one before; the cursor is given back', () => {
    const { view, out, listeners } = aView({ terminal: terminal() });
    for (let ms = 0; ms < 1000; ms += 10) {
      view.show(aProgress(ms % 3));
      vi.advanceTimersByTime(10);
    }
    const pictures = out().split('\u001B[?2026h').length - 1;
    expect(pictures).toBeGreaterThan(5);
    expect(pictures).toBeLessThanOrEqual(11);
    view.close();
    expect(out().startsWith('\u001B[?2026h\u001B[?25l\u001B[?7l')).toBe(true);
    expect(out().endsWith('\u001B[?7h\u001B[?25h')).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners()).toBe(0);
  });

  test('time goes on while nothing happens', () => {
    const { view, out } = aView({ terminal: terminal() });
    view.show(aProgress(1));
    vi.advanceTimersByTime(5000);
    expect(out()).toContain('  5s');
    view.close();
  });

  test('NO_COLOR takes the colours, a plain locale the shapes', () => {
    const drawn = (env: Record<string, string>): string => {
      const { view, out } = aView({ terminal: terminal(), env });
      view.show(aProgress(1));
      view.close();
      return out();
    };
    expect(drawn({})).toContain('\u001B[32m');
    expect(drawn({ NO_COLOR: '1' })).not.toContain('\u001B[32m');
    expect(drawn({ NO_COLOR: '' })).toContain('\u001B[32m');
    expect(drawn({})).toContain('·');
    expect(drawn({ LANG: 'de_DE.UTF-8' })).toContain('·');
    expect(drawn({ LANG: 'de_DE.UTF-8', LC_ALL: 'C' })).not.toContain('·');
  });

  test('a new size is a new picture', () => {
    const { view, out, resize } = aView({ terminal: terminal() });
    view.show(aProgress(1));
    vi.advanceTimersByTime(200);
    const before = out().length;
    resize(30, 20);
    expect(out().length).toBeGreaterThan(before);
    view.close();
  });
});

describe('the screen', () => {
  const aScreen = (columns: number) => {
    const size = { columns, rows: 10 };
    const hand = aShell({ cwd: '/', terminal: size });
    return { ...hand, size, screen: new LiveScreen(hand.shell.out, hand.shell.out.terminal!) };
  };

  test('goes up as many lines as it has drawn, and clears what is left over', () => {
    const { screen, out } = aScreen(20);
    screen.draw(['a', 'b', 'c']);
    const first = out().length;
    screen.draw(['d', 'e']);
    expect(out().slice(first)).toBe('\u001B[?2026h\u001B[3Fd\u001B[K\ne\u001B[K\n\u001B[J\u001B[?2026l');
  });

  test('shows what others wrote, and its own colours', () => {
    const { screen, out } = aScreen(20);
    screen.draw(['\u001B[31ma\u001B[39m\u001B]0;b\u0007']);
    expect(out()).toContain('\u001B[31ma\u001B[39m\\u001b]0;b\\u0007\u001B[K');
  });

  test('draws nothing twice', () => {
    const { screen, out } = aScreen(20);
    screen.draw(['a']);
    const first = out();
    screen.draw(['a']);
    expect(out()).toBe(first);
  });

  test('knows that a narrower terminal has broken its lines, colours not counted', () => {
    const { screen, out, size } = aScreen(20);
    screen.draw(['\u001B[32m12345678901234567\u001B[39m', 'b']);
    const first = out().length;
    size.columns = 5;
    screen.draw(['x']);
    expect(out().slice(first)).toContain('\u001B[5F'); // 4 + 1
  });

  test('that has drawn nothing gives nothing back', () => {
    const { screen, out } = aScreen(20);
    screen.close();
    expect(out()).toBe('');
  });
});

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['250ms', 250],
    ['30', 30_000],
    ['0', null],
    ['', null],
    ['5', 5000],
    ['-5s', null],
    ['5 s', null],
    ['5d', null],
    ['s', null],
    ['1000h', null],
  ])('%s is %s ms', (text, expected) => {
    expect(parseDurationMs(text)).toBe(expected);
  });
});
