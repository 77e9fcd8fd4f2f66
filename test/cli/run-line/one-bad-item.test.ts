import { describe, expect, test } from 'vitest';
import { type Files, aFolder } from './typed-line.ts';

// What the default of a list comes to: a bad item leaves the others alone, and a list that is bad as a whole ends soon.

const RUN = 'run agg --image x';
const FILES_200 = Array.from({ length: 200 }, (_, i) => `f${i}`).join(' ');

const NEVER = { template: { spec: { restartPolicy: 'Never' } } };

describe('how often, and how many may fail', () => {
  test.each<[string, object]>([
    ['-- agg ::: a b', { backoffLimitPerIndex: 1, ...NEVER }],
    ['--array 1-21 -- agg', { backoffLimitPerIndex: 1, maxFailedIndexes: 11, ...NEVER }],
    ['--array 1-21 --retries 3 -- agg', { backoffLimitPerIndex: 3, maxFailedIndexes: 11, ...NEVER }],
    ['--array 1-21 --restart Never -- agg', { backoffLimitPerIndex: 1, maxFailedIndexes: 11, ...NEVER }],
    ['--array 1-21 --max-failed 21 -- agg', { backoffLimitPerIndex: 1, maxFailedIndexes: 21, ...NEVER }],
    ['--array 1-21 --max-failed 0 -- agg', { backoffLimitPerIndex: 1, maxFailedIndexes: 0, ...NEVER }],
    ['--array 1-42 --batch 2 -- agg', { completions: 21, maxFailedIndexes: 11 }],
    ['--array 1-30000 -- agg', { completions: 30_000, maxFailedIndexes: 10_000 }],
    ['--completions 30 --retries 1 --max-failed 3 -- agg', { backoffLimitPerIndex: 1, maxFailedIndexes: 3, ...NEVER }],
  ])('%s', async (line, spec) => {
    expect((await aFolder({}).job(`${RUN} ${line}`)).job.spec).toMatchObject(spec);
  });

  test.each<[string, object]>([
    ['--array 1-20 -- agg', { backoffLimitPerIndex: 1 }],
    ['--completions 30 --retries 1 -- agg', { backoffLimitPerIndex: 1 }],
  ])('%s: all may fail', async (line, spec) => {
    const { job } = await aFolder({}).job(`${RUN} ${line}`);
    expect(job.spec).toMatchObject(spec);
    expect(job.spec).not.toHaveProperty('maxFailedIndexes');
  });

  test.each(['--array 1-21 --restart OnFailure -- agg', '--completions 30 -- agg'])('%s: as before', async (line) => {
    const { job } = await aFolder({}).job(`${RUN} ${line}`);
    expect(job.spec).toMatchObject({ template: { spec: { restartPolicy: 'OnFailure' } } });
    expect(job.spec).not.toHaveProperty('backoffLimitPerIndex');
  });

  test.each([
    ['--completions 30 --max-failed 3 -- agg', '--max-failed needs a list, or --retries'],
    ['--max-failed 3 -- agg ::: a b', '--max-failed 3: there are 2 indexes'],
    ['--restart OnFailure --max-failed 1 -- agg ::: a b', '--restart OnFailure none is: leave one out'],
  ])('%s is refused', async (line, message) => {
    const { code, err } = await aFolder({}).type(`${RUN} ${line}`);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

/** The end of a Job that a line makes, with these fates. */
async function ended(line: string, fates: string) {
  const made = await aFolder({}).type(`${RUN} --dry-run=client -o yaml ${line}`);
  const files: Files = { 'job.yaml': made.out, 'fates.yaml': fates };
  const { code, out } = await aFolder(files).type('simulate -f job.yaml --script fates.yaml -o json');
  expect(code).toBe(1); // the Job fails
  return JSON.parse(out) as { final: Record<string, unknown>; attempts: readonly unknown[] };
}

describe('200 items', () => {
  test('3 of them bad: the other 197 succeed, and each bad one is tried twice', async () => {
    const { final, attempts } = await ended(
      `-P 8 -- agg {} ::: ${FILES_200}`,
      'attempts: [{index: "2,50,120", run: 1s, exitCode: 1}]',
    );
    expect(final).toMatchObject({
      succeeded: 197,
      failed: 6,
      failedIndexes: '2,50,120',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Failed', reason: 'FailedIndexes' }),
      ]) as unknown,
    });
    expect(attempts).toHaveLength(203);
  });

  test('all of them bad: it costs hardly more attempts than there are items', async () => {
    const { final, attempts } = await ended(`-P 8 -- agg {} ::: ${FILES_200}`, 'attempts: [{run: 1s, exitCode: 1}]');
    expect(final).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Failed', reason: 'MaxFailedIndexesExceeded' }),
      ]) as unknown,
    });
    expect(attempts.length).toBeLessThan(230);
  });
});
