import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../domain/manifests/annotations.ts';
import type { Report } from '../world/report.ts';
import { indexed, play } from './a-simulation.ts';

// Under a launch limit, a claim waits for its right. What waits can be taken back, and the time to start counts for it.

const startsOf = ({ attempts }: Report): readonly number[] =>
  attempts.flatMap(({ startSec }) => (startSec === null ? [] : [startSec])).sort((a, b) => a - b);
/** The longest time without a start between the first and the last. */
const longestGap = (starts: readonly number[]): number =>
  Math.max(...starts.slice(1).map((at, i) => at - (starts[i] ?? 0)));

type Fields = Readonly<Record<string, unknown>>;

const ACT_SEC = 2.2;
const RUNS = { run: '60s' };
const acting = (act: Fields) => ({ user: [{ at: ACT_SEC, ...act }], attempts: [RUNS] });
const failing = { attempts: [{ index: 0, attempt: 0, run: '2.18s', exitCode: 1 }, RUNS] };
const failFast = { maxFailedIndexes: 0, backoffLimitPerIndex: 0 };

describe('when nobody wants the rest any more, no launch is made but those of the second that has begun', () => {
  type Row = readonly [what: string, script: (count: number) => Fields, spec?: Fields];
  const rows: readonly Row[] = [
    ['it is deleted', () => acting({ delete: true })],
    ['it is suspended', () => acting({ patch: { spec: { suspend: true } } })],
    ['its parallelism is lowered', () => acting({ patch: { spec: { parallelism: 1 } } })],
    ['its indexes are cancelled', (count) => acting({ cancel: `1-${count - 1}` })],
    ['an index fails it', () => failing, failFast],
    ['its time is over', () => ({ attempts: [RUNS] }), { activeDeadlineSeconds: 2 }],
  ];
  const cases = rows.flatMap(([what, script, spec = {}]) => [
    { what, count: 400, launchesPerSecond: 20, script, spec },
    { what, count: 12, launchesPerSecond: 2, script, spec },
  ]);
  test.each(cases)('$what, $count indexes at $launchesPerSecond a second', async (row) => {
    const { count, launchesPerSecond, script, spec } = row;
    const limits = { launchesPerSecond };
    const { report } = await play(indexed(count, spec), { ...script(count), limits }, { horizonMs: 60_000 });
    const starts = startsOf(report);
    const after = starts.filter((at) => at > ACT_SEC);
    expect(starts.length - after.length).toBeGreaterThanOrEqual(2 * launchesPerSecond);
    expect(after.length).toBeLessThanOrEqual(launchesPerSecond);
    expect(Math.max(0, ...after)).toBeLessThanOrEqual(ACT_SEC + 1.15);
    // What was under way is stopped as soon as its task is known.
    for (const { startSec, endSec } of report.attempts.filter((each) => (each.startSec ?? 0) > ACT_SEC))
      expect(endSec ?? Infinity).toBeLessThanOrEqual((startSec ?? 0) + 2);
  });

  test('what is resumed starts again', async () => {
    const user = [
      { at: ACT_SEC, patch: { spec: { suspend: true } } },
      { at: 20, patch: { spec: { suspend: false } } },
    ];
    const script = { user, attempts: [{ run: '5s' }], limits: { launchesPerSecond: 20 } };
    const { report } = await play(indexed(100), script);
    expect(report.final).toMatchObject({ succeeded: 100 });
  });
});

describe('a time to start', () => {
  const timed = async (count: number, launchesPerSecond: number, timeoutSec: number, run: string) => {
    const job = indexed(count, { backoffLimitPerIndex: 0 });
    const annotations = { [ANNOTATIONS.startTimeout]: String(timeoutSec) };
    const document = { ...job, metadata: { ...job.metadata, annotations } };
    return play(document, { attempts: [{ run }], limits: { launchesPerSecond } }, { horizonMs: 600_000 });
  };

  test.each([
    [24, 2, 4, '0.2s'],
    [24, 2, 4, '30s'],
    [60, 2, 5, '0.2s'],
    [60, 2, 5, '30s'],
    [400, 20, 4, '30s'],
    [400, 20, 900, '30s'],
  ])('%i indexes at %i a second, %i s, each runs %s: nobody waits too long, and nothing stalls', async (...row) => {
    const [count, launchesPerSecond] = row;
    const { report } = await timed(...row);
    const starts = startsOf(report);
    expect(report.final).toMatchObject({ succeeded: count });
    expect(starts).toHaveLength(count);
    expect(longestGap(starts)).toBeLessThanOrEqual(1.5 / launchesPerSecond);
  });

  test('what a limit does not let start in time fails, and is never launched', async () => {
    const { report, judgements } = await timed(3, 0.1, 3, '1s');
    expect(startsOf(report)).toEqual([0.02]);
    expect(report.final).toMatchObject({ succeeded: 1, failed: 2, failedIndexes: '1,2' });
    expect(judgements.flatMap((each) => each?.why ?? [])).toEqual([{ kind: 'exited', exitCode: 0 }]);
  });
});
