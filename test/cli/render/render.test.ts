import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAge, formatDuration } from '../../../cli/text/age.ts';
import { INDEX_STATES, type IndexState, codeOf, layoutGrid, renderGrid } from '../../../cli/render/grid.ts';
import { themeOf, paintLine } from '../../../cli/render/theme.ts';
import { addSample, paceOf, type Sample } from '../../../cli/render/pace.ts';
import {
  type JobProgress,
  etaMs,
  failureText,
  progressKey,
  progressLine,
  renderProgress,
} from '../../../cli/render/progress.ts';
import { renderTable } from '../../../cli/text/table.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

describe('age', () => {
  test.each([
    // Kubernetes' rounding
    [0, '0s'],
    [999, '0s'],
    [119 * S, '119s'],
    [2 * M, '2m'],
    [2 * M + 3 * S, '2m3s'],
    [10 * M - 1, '9m59s'],
    [10 * M + 59 * S, '10m'],
    [3 * H - 1, '179m'],
    [3 * H, '3h'],
    [3 * H + 5 * M, '3h5m'],
    [8 * H - 1, '7h59m'],
    [47 * H + 59 * M, '47h'],
    [2 * D, '2d'],
    [5 * D, '5d'],
    [5 * D + 7 * H, '5d7h'],
    [8 * D + 7 * H, '8d'],
    [729 * D, '729d'],
    [730 * D, '2y'],
    [800 * D, '2y70d'],
    [9 * 365 * D + 40 * D, '9y'],
    // clocks that differ
    [-1999, '0s'],
    [-2 * S, '<invalid>'],
    [Number.NaN, '<invalid>'],
  ])('%i ms is %s', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });

  test('what never came has no age', () => {
    expect(formatAge(null, 5)).toBe('<unknown>');
    expect(formatAge(1000, 4000)).toBe('3s');
  });
});

const LETTERS: Readonly<Record<string, IndexState>> = {
  '.': 'waiting',
  s: 'starting',
  r: 'running',
  x: 'stopping',
  '!': 'retrying',
  F: 'failed',
  S: 'succeeded',
  I: 'inherited',
  _: 'excluded',
};
/** A board from letters. */
const strip = (letters: string): Uint8Array => Uint8Array.from(letters, (letter) => codeOf(LETTERS[letter]!));

const PLAIN = themeOf(false, false);

describe('grid', () => {
  test.each([
    // size, columns, rows → indexes a cell, cells a row, columns a cell
    [1, 80, 20, '1 1 2', 'one'],
    [5, 80, 20, '1 5 2', 'one row'],
    [10, 80, 20, '1 10 2', 'one row still'],
    [64, 100, 22, '1 16 2', 'four rows of sixteen'],
    [64, 20, 22, '1 8 2', 'narrow: eight rows of eight'],
    [64, 20, 5, '1 16 1', 'narrow and low: without gaps'],
    [100, 100, 22, '1 20 2', 'five rows of twenty'],
    [200, 100, 22, '1 25 2', 'eight rows of twenty-five'],
    [1000, 100, 22, '1 50 1', 'gaps would need too many rows'],
    [20_000, 100, 22, '20 50 1', 'round numbers: a thousand indexes a row'],
    [1_000_000, 100, 22, '1000 50 1', 'a million'],
    [1_000_000, 10, 1, '500000 2 1', 'a million in ten characters'],
  ])('%i indexes in %i × %i: %s (%s)', (size, columns, rows, expected) => {
    const { perCell, perRow, cellWidth, cells } = layoutGrid(size, columns, rows);
    expect(`${perCell} ${perRow} ${cellWidth}`).toBe(expected);
    expect(cells).toBe(Math.ceil(size / perCell));
    expect(Math.ceil(cells / perRow)).toBeLessThanOrEqual(rows);
  });

  const drawn = (letters: string, columns: number, rows: number, theme = PLAIN): readonly string[] => {
    const board = strip(letters);
    return renderGrid(board, layoutGrid(board.length, columns, rows), theme).map((line) =>
      paintLine(line, columns, theme),
    );
  };

  test('every state has a letter, and a shape of its own', () => {
    expect(drawn('.srx!FSI_', 80, 10)).toEqual(['0  . s r x ! F S I _']);
    expect(drawn('.srx!FSI_', 80, 10, themeOf(false, true))).toEqual(['0  · ▫ □ ◊ ! × ■ ▪ –']);
    for (const shapes of [true, false]) {
      const { glyphs } = themeOf(false, shapes);
      const shown = [...INDEX_STATES.map((state) => glyphs[state]), ...glyphs.shares];
      expect(new Set(shown).size).toBe(shown.length);
      expect(shown.every((glyph) => glyph.length === 1)).toBe(true);
    }
  });

  test('rows begin with the number of their first index', () => {
    expect(drawn('S'.repeat(25) + 'r'.repeat(4) + '.'.repeat(11), 30, 10)).toMatchInlineSnapshot(`
      [
        " 0  S S S S S S S S S S",
        "10  S S S S S S S S S S",
        "20  S S S S S r r r r .",
        "30  . . . . . . . . . .",
      ]
    `);
  });

  test.each([
    ['SSSSSSSSSS', 'S', 'all of them'],
    ['SSSSSSSSS.', '*', 'most'],
    ['SSSSS.....', '+', 'half'],
    ['S.........', '-', 'a few'],
    ['..........', '.', 'none'],
    ['.....s....', 's', 'one is starting'],
    ['....rs....', 'r', 'one is running'],
    ['SSSSrSSSSS', '*', 'one is running, most are done'],
    ['SSSSSSSSS!', '!', 'trouble is never hidden'],
    ['!F', 'F', 'and the worst is shown'],
    ['SSSSIIII__', 'S', 'all that had to succeed, here or before'],
    ['IIII______', 'I', 'before: all that had to succeed'],
    ['__________', '_', 'nothing that has to'],
    ['SI..______', '+', 'half of what has to'],
    ['____..____', '.', 'none of what has to'],
  ])('a cell for %s is %s: %s', (letters, expected) => {
    const layout = { perCell: 10, cells: 1, perRow: 1, cellWidth: 1, labelWidth: 1 } as const;
    expect(renderGrid(strip(letters), layout, PLAIN)[0]?.[1]?.text).toBe(expected);
  });

  test('neighbours of one colour share its codes; without colour there are none', () => {
    const colourful = drawn('SSSSrr..', 80, 10, themeOf(true, false))[0]!;
    expect(colourful.split('\u001B[32m')).toHaveLength(2);
    expect(drawn('SSSSrr..', 80, 10)[0]).not.toContain('\u001B');
  });
});

const aProgress = (wish: Partial<JobProgress> = {}): JobProgress => ({
  namespace: 'default',
  name: 'frames',
  phase: 'running',
  message: '',
  total: 12,
  counts: {
    succeeded: 5,
    running: 2,
    starting: 1,
    stopping: 0,
    retrying: 1,
    failed: 0,
    waiting: 3,
    inherited: 0,
    excluded: 0,
    held: 0,
    cancelled: 0,
    failedAttempts: 1,
  },
  named: [],
  board: strip('SSSSS!rrs...'),
  startedAtMs: 0,
  endedAtMs: null,
  rate: { perSec: 0.5, asOfMs: 10_000 },
  waits: null,
  failure: null,
  dependencies: { after: [], afterIndexes: [] },
  lost: null,
  ...wish,
});

const NOTHING_LEFT = {
  succeeded: 0,
  running: 0,
  starting: 0,
  stopping: 0,
  retrying: 0,
  failed: 0,
  waiting: 0,
  inherited: 0,
  excluded: 0,
  held: 0,
  cancelled: 0,
  failedAttempts: 0,
};

describe('progress', () => {
  const FRAME = { columns: 60, rows: 24 };

  test('why something waits is said, and a line is worth it only when the reason changes', () => {
    const waits = { text: '4 wait: launch rate 20/s, about 41 s', causes: 'launchRate' };
    const progress = aProgress({ waits });
    expect(renderProgress(progress, FRAME, 12_000, PLAIN).at(-1)).toBe(waits.text);
    expect(progressLine(progress, 12_000)).toContain(`3 waiting`);
    expect(progressLine(progress, 12_000).endsWith(` (${waits.text})`)).toBe(true);
    const later = aProgress({ waits: { ...waits, text: '4 wait: launch rate 20/s, about 36 s' } });
    expect(progressKey(later)).toBe(progressKey(progress));
    expect(progressKey(aProgress({ waits: { ...waits, causes: 'quota' } }))).not.toBe(progressKey(progress));
  });

  test('a picture: head, grid, bar, legend', () => {
    expect(renderProgress(aProgress(), FRAME, 12_000, PLAIN).join('\n')).toMatchInlineSnapshot(`
      "frames  default                                running  12s

       0  S S S S S ! r r s . . .

      ============------------------  5/12  41%   0.5/s   ETA 12s

      S 5 succeeded   r 2 running   s 1 starting
      ! 1 to be retried   . 3 waiting   1 attempt failed"
    `);
  });

  test('the end', () => {
    const counts = { ...NOTHING_LEFT, succeeded: 12 };
    const over = aProgress({ phase: 'complete', counts, board: strip('S'.repeat(12)), endedAtMs: 30_000 });
    expect(renderProgress(over, FRAME, 99_000, themeOf(false, true)).join('\n')).toMatchInlineSnapshot(`
      "frames  default                               complete  30s

       0  ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■

      ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  12/12  100%

      ■ 12 succeeded"
    `);
  });

  test('a rerun: what was inherited, and what is left out', () => {
    const counts = { ...NOTHING_LEFT, succeeded: 5, inherited: 4, running: 1, excluded: 4 };
    const again = aProgress({ counts, total: 6, board: strip('IIIISr____'), rate: null });
    expect(renderProgress(again, { columns: 76, rows: 24 }, 12_000, PLAIN).slice(2)).toMatchInlineSnapshot(`
      [
        "0  I I I I S r _ _ _ _",
        "",
        "==================================================----------  5/6  83%",
        "",
        "S 1 succeeded   I 4 inherited   r 1 running   _ 4 excluded",
      ]
    `);
    expect(progressLine(again, 12_000)).toBe('frames running 12s: 5/6 succeeded, 4 inherited, 1 running, 4 excluded');
  });

  test('a work queue has neither grid nor bar', () => {
    const queue = aProgress({ total: null, board: null, rate: null });
    expect(renderProgress(queue, FRAME, 12_000, PLAIN)).toEqual([
      'frames  default                                running  12s',
      '',
      '5 succeeded',
      '',
      'S 5 succeeded   r 2 running   s 1 starting',
      '! 1 to be retried   . 3 waiting   1 attempt failed',
    ]);
  });

  test('the legend explains every sign on the screen, whatever the grid shows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...INDEX_STATES), { minLength: 1, maxLength: 7 }),
        fc.constantFrom(1, 12, 300, 4_000),
        fc.constantFrom(themeOf(false, true), PLAIN),
        fc.constantFrom<JobProgress['phase']>('running', 'complete', 'failed'),
        (pattern, times, theme, phase) => {
          const states = Array.from({ length: times }, () => pattern).flat();
          const board = Uint8Array.from(states, codeOf);
          const counts = { ...NOTHING_LEFT };
          for (const state of states) counts[state]++;
          counts.succeeded += counts.inherited;
          const lines = renderProgress(
            aProgress({ board, counts, phase, total: states.length, rate: null }),
            { columns: 80, rows: 24 },
            0,
            theme,
          );
          const [grid, , legend] = lines.slice(2).join('\n').split('\n\n');
          const signs = new Set(
            grid!
              .replaceAll(/^ *\d+ {2}/gm, '')
              .split('')
              .filter((sign) => !/\s/.test(sign)),
          );
          const explained = new Set(legend!.split(/\s+/));
          for (const sign of signs) expect(explained, lines.join('\n')).toContain(sign);
        },
      ),
    );
  });

  test('a first failure is shown below, with the end of its log', () => {
    const failure = { text: 'index 3, attempt 1 failed: exit code 1', log: ['Traceback:', 'KeyError: \u001B[2J7'] };
    const lines = renderProgress(aProgress({ failure }), FRAME, 0, PLAIN);
    expect(lines.slice(-3)).toEqual(['index 3, attempt 1 failed: exit code 1', '  Traceback:', '  KeyError:  [2J7']);
    expect(failureText(aProgress({ failure }))[0]).toBe('frames index 3, attempt 1 failed: exit code 1');
    expect(failureText(aProgress())).toEqual([]);
  });

  test('what is lost, and why it fails, is said on one line that commands no terminal', () => {
    const shown = renderProgress(aProgress({ message: 'a\n\u001B[2Jb', lost: 'gone' }), FRAME, 0, PLAIN);
    expect(shown.slice(-2)).toEqual(['a [2Jb', 'gone']);
  });

  test.each([
    [20, 6],
    [30, 10],
    [60, 24],
    [100, 30],
    [400, 100],
  ])('nothing is wider or higher than %i × %i', (columns, rows) => {
    for (const size of [1, 64, 1000, 100_000]) {
      const board = new Uint8Array(size);
      const lines = renderProgress(
        aProgress({ board, total: size, name: 'n'.repeat(63) }),
        { columns, rows },
        0,
        PLAIN,
      );
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
      expect(lines.length).toBeLessThan(rows);
    }
  });

  test.each<[Partial<JobProgress>, number, string]>([
    [
      {},
      12_000,
      'frames running 12s: 5/12 succeeded, 2 running, 1 starting, 1 to be retried, 3 waiting, 1 attempt failed, 0.5/s, ETA 12s',
    ],
    [
      { startedAtMs: null, phase: 'waiting', rate: null },
      0,
      'frames waiting: 5/12 succeeded, 2 running, 1 starting, 1 to be retried, 3 waiting, 1 attempt failed',
    ],
    [
      { total: null, rate: null },
      0,
      'frames running 0s: 5 succeeded, 2 running, 1 starting, 1 to be retried, 3 waiting, 1 attempt failed',
    ],
    [
      { rate: { perSec: 250.4, asOfMs: 0 } },
      0,
      'frames running 0s: 5/12 succeeded, 2 running, 1 starting, 1 to be retried, 3 waiting, 1 attempt failed, 250/s, ETA 1s',
    ],
  ])('in words: %j', (wish, now, expected) => {
    expect(progressLine(aProgress(wish), now)).toBe(expected);
  });

  test('only what can be read in words is worth another line', () => {
    const key = progressKey(aProgress());
    expect(progressKey(aProgress({ board: null, rate: null }))).toBe(key);
    expect(progressKey(aProgress({ phase: 'suspended' }))).not.toBe(key);
    expect(progressKey(aProgress({ lost: 'gone' }))).not.toBe(key);
    expect(progressKey(aProgress({ counts: { ...aProgress().counts, waiting: 2 } }))).not.toBe(key);
  });

  test.each<[Partial<JobProgress>, number, number | null, string]>([
    [{}, 10_000, 14_000, 'seven left at one in two seconds'],
    [{}, 12_000, 12_000, 'time passes'],
    [{}, 99_000, 1000, 'later than expected: any moment now'],
    [{ rate: null }, 0, null, 'no pace yet'],
    [{ total: null }, 0, null, 'no end in sight'],
    [{ phase: 'suspended' }, 0, null, 'nothing moves'],
  ])('ETA %j at %i: %s (%s)', (wish, now, expected) => {
    expect(etaMs(aProgress(wish), now)).toBe(expected);
  });
});

describe('pace', () => {
  const sampled = (...samples: readonly (readonly [number, number])[]): readonly Sample[] =>
    samples.reduce<readonly Sample[]>((all, [atMs, succeeded]) => addSample(all, { atMs, succeeded }), []);

  test.each<[(readonly [number, number])[], number | null, string]>([
    [[[0, 0]], null, 'one look tells nothing'],
    [
      [
        [0, 0],
        [100, 5],
      ],
      null,
      'two at once neither',
    ],
    [
      [
        [0, 3],
        [2000, 3],
      ],
      null,
      'nothing has succeeded',
    ],
    [
      [
        [0, 3],
        [2000, 13],
      ],
      5,
      'ten in two seconds',
    ],
    [
      [
        [0, 0],
        [30_000, 300],
        [60_000, 330],
      ],
      1,
      'of late it is slower',
    ],
    [
      [
        [0, 0],
        [100_000, 0],
        [101_000, 10],
      ],
      10 / 101,
      'the sample before the window counts',
    ],
    [
      [
        [0, 0],
        [1000, 4],
        [1000, 6],
      ],
      6,
      'the last word of a moment counts',
    ],
  ])('%j: %s (%s)', (samples, expected) => {
    expect(paceOf(sampled(...samples))?.perSec ?? null).toBe(expected);
  });

  test('what is kept is bounded by the window', () => {
    let samples: readonly Sample[] = [];
    for (let atMs = 0; atMs < 1_000_000; atMs += 1000) samples = addSample(samples, { atMs, succeeded: atMs });
    expect(samples.length).toBeLessThanOrEqual(32);
  });
});

describe('table', () => {
  test('columns as kubectl sets them, no blanks at the end, one row a line', () => {
    expect(
      renderTable(
        ['NAME', 'AGE'],
        [
          ['a', '5s'],
          ['longer', ''],
          ['b\nc', '1d'],
        ],
      ),
    ).toBe('NAME     AGE\na        5s\nlonger\nb c      1d\n');
  });
});
