import { expect, test } from 'vitest';
import { tasksMax } from '../world/tasks-max.ts';
import { aManifest, play } from './a-simulation.ts';

test('restarts in the same Pod do not count for an index: why it goes on is said, after some hundred tasks', async () => {
  const manifest = aManifest(
    { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 },
    { restartPolicy: 'OnFailure' },
  );
  const { end, report } = await play(manifest, { attempts: [{ index: '*', exitCode: 1 }] });
  expect(report.attempts.length).toBeLessThan(600);
  const waitsFor = end.kind === 'endless' ? end.waitsFor : end.kind;
  expect(waitsFor).toMatch(/it still starts new ones: .*\(OnFailure\) does not count for backoffLimitPerIndex$/);
});

test.each([
  [{}, 1, 526],
  [{ backoffLimit: 2_000 }, 1, 2_520],
  [{ backoffLimit: 2_147_483_647 }, 1, 5_520],
  [{ backoffLimit: 2_147_483_647, backoffLimitPerIndex: 3 }, 100, 2_800],
  [{ backoffLimitPerIndex: 1_000_000 }, 2, 5_540],
])('%j with %i indexes is given up after %i tasks: no Job that ends starts as many', (limits, size, most) => {
  expect(tasksMax(limits, size)).toBe(most);
});
