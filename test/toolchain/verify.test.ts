import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HAS_PROC, statOf } from '../../local/process-table.ts';
import { runStage } from '../verify/run-stage.ts';
import { GATE, VERIFY } from '../verify/stages.ts';
import { type StageResult, type Summary, countsOf, resultOf, resumed, tableOf } from '../verify/summary.ts';

const HERE = { commit: 'abc', isDirty: false, startedAt: 'later', node: 'v20', cores: 2 };
const aResult = (name: string, wish: Partial<StageResult> = {}): StageResult => ({
  name,
  outcome: 'passed',
  passed: 2,
  failed: 0,
  skipped: 0,
  sec: 3,
  reds: [],
  ...wish,
});
const before: Summary = { ...HERE, startedAt: 'before', stages: [aResult('e2e'), aResult('pages')] };

describe('what is counted', () => {
  const report = (tests: { status: string; fullName: string; failureMessages?: string[] }[], status = 'passed') => ({
    numPassedTests: tests.filter((each) => each.status === 'passed').length,
    numFailedTests: tests.filter((each) => each.status === 'failed').length,
    numPendingTests: 0,
    testResults: [{ name: 'a.test.ts', status, assertionResults: tests }],
  });

  test('tests, and the first line of what each failed one says', () => {
    const counts = countsOf(
      report([
        { status: 'passed', fullName: 'one' },
        { status: 'failed', fullName: 'two', failureMessages: ['Error: no\n    at x'] },
      ]),
    );
    expect(counts).toEqual({ passed: 1, failed: 1, skipped: 0, reds: ['two: Error: no'] });
    expect(resultOf('e2e', 1, counts, 2.6)).toMatchObject({ outcome: 'failed', passed: 1, failed: 1, sec: 3 });
  });

  test('a file that does not load is one failure, though none of its tests failed', () => {
    const counts = countsOf(report([], 'failed'));
    expect(resultOf('e2e', 1, counts, 1)).toMatchObject({ failed: 1, reds: ['a.test.ts: the file failed'] });
  });

  test('a stage without tests is one', () => {
    expect(resultOf('synth', 0, null, 1)).toEqual(aResult('synth', { passed: 1, sec: 1 }));
    expect(resultOf('synth', null, null, 1)).toMatchObject({
      passed: 0,
      failed: 1,
      reds: ['synth ended with a signal'],
    });
  });
});

describe('what ran before', () => {
  test('counts on the same commit, until it runs again', () => {
    expect(resumed(before, HERE, ['pages'])).toEqual({ ...before, stages: [aResult('e2e')] });
  });

  test.each<[string, Summary | null, Partial<Summary>]>([
    ['there is none', null, {}],
    ['it ran on another commit', before, { commit: 'def' }],
    ['something was changed then', { ...before, isDirty: true }, {}],
    ['something is changed now', before, { isDirty: true }],
  ])('is forgotten where %s', (_, earlier, wish) => {
    expect(resumed(earlier, { ...HERE, ...wish }, ['pages'])).toEqual({ ...HERE, ...wish, stages: [] });
  });
});

test('the table has every stage, what failed, and sums in a line of their own', () => {
  const red = aResult('pages', { outcome: 'failed', failed: 1, skipped: 4, reds: ['two: Error: no'] });
  expect(tableOf({ ...HERE, stages: [aResult('e2e'), red] }, ['e2e', 'aws', 'pages']).split('\n')).toEqual([
    '',
    'e2e        passed      3 s   2 passed, 0 failed',
    'aws        did not run',
    'pages      failed      3 s   2 passed, 1 failed, 4 skipped',
    'red: pages: two: Error: no',
    'commit abc: 6 s',
    '4 passed, 1 failed',
  ]);
});

test('no two stages share a name', () => {
  for (const stages of [GATE, VERIFY]) expect(new Set(stages.map(({ name }) => name)).size).toBe(stages.length);
});

describe('a stage', () => {
  const run = async (script: string, signal = new AbortController().signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-stages-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => written.mockRestore());
    const stage = { name: 'it', shows: '', command: ['sh', '-c', script] };
    const result = await runStage(stage, { folder, env: { WORD: 'hello' }, limitSec: 600, signal, leaveWithinMs: 0 });
    return { result, log: readFileSync(join(folder, 'it.log'), 'utf8') };
  };

  test('passes or fails as its command does, and leaves a log', async () => {
    expect(await run('echo $WORD; echo again >&2')).toMatchObject({
      result: { outcome: 'passed', passed: 1 },
      log: expect.stringContaining('hello\n') as string,
    });
    expect((await run('exit 3')).result).toMatchObject({ outcome: 'failed', failed: 1, reds: ['it ended with 3'] });
  });

  test.runIf(HAS_PROC)('fails if it leaves a process running, which is ended', async () => {
    const { result, log } = await run('cd $TMPDIR; sleep 600 >/dev/null 2>&1 & echo $!');
    expect(result).toMatchObject({ outcome: 'failed', reds: [expect.stringMatching(/^left running: \d+ /)] });
    // Nobody may have waited for it yet.
    await expect.poll(() => statOf(Number(log))?.state ?? 'Z').toBe('Z');
  });

  test('ends, with all that it started, when it is interrupted', async () => {
    const over = new AbortController();
    const ended = run('sleep 600', over.signal);
    over.abort();
    expect((await ended).result).toMatchObject({ outcome: 'failed', reds: ['it ended with a signal'] });
  });
});
