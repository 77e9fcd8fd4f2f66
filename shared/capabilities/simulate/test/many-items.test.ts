import { describe, expect, test } from 'vitest';
import { type Files, aFolder } from '../../../../test/cli/run-line/typed-line.ts';

// What the default of a list comes to: a bad item leaves the others alone, and a list that is bad as a whole ends soon.

const RUN = 'run agg --image x';
const FILES_200 = Array.from({ length: 200 }, (_, i) => `f${i}`).join(' ');

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
