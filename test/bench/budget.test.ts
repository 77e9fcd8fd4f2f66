import { describe, expect, test } from 'vitest';
import { type Peaked, type Results, budgetOf } from './budget.ts';
import { quantile } from './quantiles.ts';
import { rateOf } from './rates.ts';
import { ratiosOf } from './ratios.ts';
import { render } from './report.ts';
import type { JobFigures } from './scenarios/jobs.ts';

const aRun = (indexes: number, each: number, shuffled = true): Peaked<JobFigures> => ({
  indexes,
  shuffled,
  hottest: [
    { level: 'item', kind: 'JOB#* STATUS', peak: { key: 'JOB#1 STATUS', units: 40, endedAtMs: 0 } },
    { level: 'partition', kind: 'TASK#*', peak: { key: 'TASK#1#000', units: 1_200, endedAtMs: 0 } },
  ],
  seconds: 10,
  cpuMs: 4 * indexes,
  engineCpuMs: indexes,
  writeUnits: each * indexes,
  refusedUnits: 0,
  readUnits: 0.5 * indexes,
  requests: { 'SQS.ReceiveMessage': 2 * indexes, 'DynamoDB.GetItem': indexes },
  messageBytes: 100,
  invocations: { reconcile: 1 },
  peakRssMb: 500,
});
const find = (results: Results, what: string) => budgetOf(results).filter((row) => row.what === what);

describe('the budget, line by line', () => {
  test('a figure is ok up to its limit, and over beyond it', () => {
    const [within] = find({ jobs: [aRun(10, 3.5, false)] }, 'write units an index');
    const [over] = find({ jobs: [aRun(10, 3.6, false)] }, 'write units an index');
    expect([within?.ok, over?.ok]).toEqual([true, false]);
    expect(over).toMatchObject({ figure: 3.6, limit: 3.5, on: '10' });
  });

  test('flat is the largest over 1,000, both shuffled', () => {
    expect(find({ jobs: [aRun(1_000, 2), aRun(100_000, 2.5)] }, 'flat: write units')).toMatchObject([
      { figure: 1.25, limit: 1.2, ok: false, on: '100,000, shuffled over 1,000, shuffled' },
    ]);
    expect(find({ jobs: [aRun(1_000, 2, false), aRun(100_000, 2)] }, 'flat: write units')).toEqual([]);
  });

  test('CPU is flat if the largest takes at most 1.2 times what 10,000 take, both shuffled', () => {
    const dearer = { ...aRun(100_000, 2), cpuMs: 500_000 };
    expect(find({ jobs: [aRun(10_000, 2), dearer], wiring: 'inProcess' }, 'flat: CPU')).toMatchObject([
      { figure: 1.25, limit: 1.2, ok: false, on: '100,000, shuffled over 10,000, shuffled' },
    ]);
    expect(find({ jobs: [aRun(10_000, 2, false), dearer] }, 'flat: CPU')).toEqual([]);
  });

  test('the hottest item and the hottest partition have a line each', () => {
    const rows = budgetOf({ jobs: [aRun(100_000, 2)] }).filter(({ what }) => what.includes('any second'));
    expect(rows).toMatchObject([
      { figure: 40, ok: true, on: 'JOB#* STATUS' },
      { figure: 1_200, ok: false, on: 'TASK#*' },
    ]);
  });

  test('a list costs what its Job takes more than the same Job without one', () => {
    const lists = { itemBytes: 50, without: aRun(10_000, 2), listed: aRun(10_000, 2.25) };
    expect(find({ lists }, 'a list: write units an index more')).toMatchObject([
      { figure: 0.25, limit: 0.1, ok: false },
    ]);
    expect(find({ lists }, 'a list: read units an index more')).toMatchObject([{ figure: 0, ok: true }]);
    expect(find({ lists, wiring: 'inProcess' }, 'a list: read units an index more')).toEqual([]);
  });

  test('early counting costs what its Job takes more than the same Job as usual', () => {
    const early = { usual: aRun(1_000, 2), early: { ...aRun(1_000, 2), requests: { 'SQS.ReceiveMessage': 3_600 } } };
    expect(find({ early }, 'early counting: SQS requests an index more')).toMatchObject([{ figure: 1.6, ok: false }]);
    expect(find({ early }, 'early counting: write units an index more')).toMatchObject([{ figure: 0, ok: true }]);
    expect(find({ early }, 'early counting: control plane, a million indexes')).toMatchObject([{ limit: 5 }]);
    // 1.6 requests more, of which pace takes back what is said of it in prices.test.ts
    const [cost] = find({ early }, 'early counting: a million indexes more');
    expect(cost?.figure).toBeCloseTo(
      0.4 * (1.6 - (2 * 2 * (1 / 6 - 1 / 10) + 2 / 6 - 2 * 3 * (1 / 9 - 1 / 10) - 3 / 9)),
    );
    expect(find({ early, wiring: 'inProcess' }, 'early counting: SQS requests an index more')).toEqual([]);
  });

  test('in one process times have limits of their own, and nothing is counted', () => {
    const rows = budgetOf({ wiring: 'inProcess', jobs: [aRun(100_000, 2)] });
    expect(rows.map(({ what, limit }) => [what, limit])).toEqual([
      ['a Job of 100,000', 90],
      ['a Job of 100,000: memory, all processes', 500],
    ]);
  });

  test('what was not measured has no line, but what is computed has', () => {
    expect(budgetOf({}).map(({ what }) => what)).toEqual(['idle, a month']);
  });

  test('a launch limit is kept from below and from above', () => {
    const rate = { ratePerSec: 20, calls: 400, sustainedShare: 0.94, worstSecond: 21 };
    expect(budgetOf({ limiter: [rate] }).map(({ ok }) => ok)).toEqual([true, false, false]);
  });
});

describe('rates', () => {
  const span = { ratePerSec: 2, startAtMs: 0, lastsMs: 3_000 };

  test('the worst second is any second', () => {
    expect(rateOf([0, 900, 950, 1_400, 1_899], span).worstSecond).toBe(4);
    expect(rateOf([0, 1_000, 2_000], span).worstSecond).toBe(1);
  });

  test('what is sustained leaves out the first second', () => {
    expect(rateOf([0, 100, 1_000, 1_500, 2_000, 2_500], span).sustainedShare).toBe(1);
  });
});

test('quantiles are by rank', () => {
  expect([quantile([3, 1, 2], 0.5), quantile([1, 2, 3, 4], 0.99), quantile([7], 0)]).toEqual([2, 4, 7]);
});

test('ratios pair what was measured alike, and leave open what the other has not', () => {
  const here = budgetOf({ jobs: [aRun(10, 3, false), aRun(100, 3, false)] });
  const there = budgetOf({ jobs: [aRun(10, 2, false)] });
  const writes = ratiosOf(here, there).filter(({ what }) => what === 'write units an index');
  expect(writes).toMatchObject([
    { on: '10', here: 3, there: 2, ratio: 1.5 },
    { on: '100', here: 3, there: null, ratio: null },
  ]);
});

test('the report says what it was measured on and which lines are over', () => {
  const calibration = { clientCpuMs: 0.26, engineCpuMs: 0.2, perSec: 3_600 };
  const machine = { node: '20.20.2', cores: 2, loadAtStart: 0.5, engine: 'dynoxide', commit: 'abc', calibration };
  const early = { usual: aRun(1_000, 2), early: aRun(1_000, 2) };
  const text = render(machine, { jobs: [aRun(10, 4, false)], early }, null);
  expect(text).toContain('node 20.20.2, 2 cores, load 0.5 at the start, dynoxide, abc');
  expect(text).toContain('a conditional UpdateItem takes 0.26 ms of CPU');
  expect(text).toMatch(/write units an index +│ 4 +│ at most 3\.50 +│ over/);
  expect(text).toContain('Fargate');
  expect(text).toContain('A million indexes with earlyCounting, by 1,000, shuffled');
  const inProcess = render(machine, { wiring: 'inProcess', jobs: [aRun(10, 4, false)] }, null);
  expect(inProcess).toContain('CPU ms an index');
  expect(inProcess).not.toMatch(/units|Fargate|SQS/);
});
