import { describe, expect, test } from 'vitest';
import { type IndexState, codeOf } from '../../../cli/render/grid.ts';
import { dependenciesOf } from '../../../shared/domain/manifests/job-graph.ts';
import { renderJobs } from '../../../cli/render/job-lines.ts';
import type { Counts, JobProgress } from '../../../cli/render/progress.ts';
import { themeOf } from '../../../cli/render/theme.ts';

const STATES: Readonly<Record<string, IndexState>> = {
  S: 'succeeded',
  r: 'running',
  s: 'starting',
  F: 'failed',
  '.': 'waiting',
};

/** A Job whose indexes are letters, and that waits for what `after` and `indexes` say. */
function aJob(name: string, letters: string, wish: Partial<JobProgress> & { after?: string; indexes?: string } = {}) {
  const { after, indexes, ...more } = wish;
  const count = (letter: string): number => letters.split(letter).length - 1;
  const counts: Counts = {
    succeeded: count('S'),
    running: count('r'),
    starting: count('s'),
    failed: count('F'),
    waiting: count('.'),
    failedAttempts: count('F'),
    stopping: 0,
    retrying: 0,
    inherited: 0,
    excluded: 0,
    held: 0,
    cancelled: 0,
  };
  const progress: JobProgress = {
    namespace: 'default',
    name,
    phase: 'running',
    message: '',
    total: letters.length,
    counts,
    board: Uint8Array.from(letters.split('').map((letter) => codeOf(STATES[letter]!))),
    named: [],
    startedAtMs: 0,
    endedAtMs: null,
    rate: null,
    waits: null,
    failure: null,
    dependencies: dependenciesOf({
      ...(after === undefined ? {} : { 'muster.run/after': after }),
      ...(indexes === undefined ? {} : { 'muster.run/after-indexes': indexes }),
    }),
    lost: null,
    ...more,
  };
  return progress;
}

const drawn = (jobs: readonly JobProgress[], frame = { columns: 80, rows: 24 }): readonly string[] =>
  renderJobs(jobs, frame, 75_000, themeOf(false, true));

const HELD = { phase: 'held', startedAtMs: null } as const;

test('a line each, in the order in which they wait', () => {
  const jobs = [
    aJob('report', '.', { ...HELD, after: 'prepare, fetch:finished' }),
    aJob('prepare', 'S', { phase: 'complete', endedAtMs: 4_000 }),
    aJob('reduce', `SS${'.'.repeat(8)}`, { indexes: 'map/2' }),
    aJob('fetch', 'SSSsss......', { failure: { text: 'index 3, attempt 1 failed: exit code 1', log: [] } }),
    aJob('map', 'SSSSSrr'.padEnd(20, '.'), { after: 'prepare' }),
  ];
  expect(drawn(jobs)).toEqual([
    'prepare  complete   4s  ■              1/1',
    'fetch    running   75s  ■■■▫▫▫······  3/12  index 3, attempt 1 failed: exit co…',
    'report   held           ·              0/1  after fetch:finished',
    'map      running   75s  ■■■□□·······  5/20  2 running',
    'reduce   running   75s  ■■········    2/10  index by index after map/2',
  ]);
});

test('why something waits comes from the server, where it says so', () => {
  const waits = { text: '7 indexes wait for job map', causes: '' };
  expect(drawn([aJob('reduce', 'Sr..', { indexes: 'map', waits })])[0]).toContain(`1/4  1 running, ${waits.text}`);
});

test.each([
  ['complete', 'complete', ''],
  ['complete', 'failed', 'after up'],
  ['failed', 'complete', 'after up:failed'],
  ['failed', 'failed', ''],
  ['finished', 'complete', ''],
  ['finished', 'failed', ''],
  ['finished', 'running', 'after up:finished'],
] as const)('waits for %s, and the Job is %s: %j', (condition, phase, expected) => {
  const lines = drawn([aJob('up', 'S', { phase }), aJob('down', '.', { ...HELD, after: `up:${condition}` })]);
  expect(lines[1]?.split('0/1')[1]?.trim() ?? '').toBe(expected);
});

describe('more Jobs than lines', () => {
  const chain = (done: number): readonly JobProgress[] =>
    Array.from({ length: 30 }, (_, i) => {
      const name = `${'x'.repeat(61)}${String(i).padStart(2, '0')}`;
      const after = i === 0 ? {} : { after: `${'x'.repeat(61)}${String(i - 1).padStart(2, '0')}` };
      if (i < done) return aJob(name, 'SSSS', { phase: 'complete', endedAtMs: 4_000, ...after });
      return i === done ? aJob(name, 'SSr.', after) : aJob(name, '....', { ...HELD, ...after });
    });

  test.each([
    [0, undefined, '18 more below: 18 held'],
    [12, '11 more above: 11 complete', '7 more below: 7 held'],
    [30, '18 more above: 18 complete', undefined],
  ])('%i are over', (done, above, below) => {
    const lines = drawn(chain(done), { columns: 80, rows: 15 });
    expect(lines.length).toBeLessThanOrEqual(14);
    expect(lines.filter((line) => line.includes(' more '))).toEqual(
      [above, below].filter((each) => each !== undefined),
    );
    for (const line of lines) expect(line.length).toBeLessThan(80);
  });
});

test('the first that is not over stands below the last one that is', () => {
  const over = Array.from({ length: 20 }, (_, i) => aJob(`over-${i}`, 'S', { phase: 'complete' }));
  const lines = drawn([...over, aJob('next', 'r'), aJob('then', '.', HELD)], { columns: 80, rows: 7 });
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['18', 'over-18', 'over-19', 'next', 'then']);
});

test('a narrow terminal keeps the figures and gives up cells', () => {
  const [line] = drawn([aJob('map', 'SSSSSrr'.padEnd(200, '.'))], { columns: 34, rows: 5 });
  expect(line).toBe('map  running  75s  ░······  5/200');
});

test('Jobs of several namespaces stay in the order given', () => {
  const jobs = [aJob('b', '.', { ...HELD, after: 'a', namespace: 'one' }), aJob('a', 'S', { namespace: 'two' })];
  expect(drawn(jobs).map((line) => line[0])).toEqual(['b', 'a']);
});

test('colours, and letters where the terminal has no shapes', () => {
  const jobs = [aJob('map', 'SSrF')];
  expect(renderJobs(jobs, { columns: 80, rows: 5 }, 0, themeOf(false, false))[0]).toContain('SSrF');
  expect(renderJobs(jobs, { columns: 80, rows: 5 }, 0, themeOf(true, true))[0]).toContain('\u001B[32m■■\u001B[39m');
});
