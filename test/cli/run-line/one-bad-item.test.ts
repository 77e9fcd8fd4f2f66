import { describe, expect, test } from 'vitest';
import { aFolder } from './typed-line.ts';
import { isThere } from '../../support/kinds-there.ts';

// The defaults of a list. What they come to is a test of `muster simulate`: many-items.test.ts.

const RUN = 'run agg --image x';

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
    // More than a manifest holds: a WorkList carries them.
    ...(isThere('WorkList')
      ? ([['--array 1-30000 -- agg', { completions: 30_000, maxFailedIndexes: 10_000 }]] as [string, object][])
      : []),
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
