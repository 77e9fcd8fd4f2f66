import { expect, test } from 'vitest';
import { indexed, play } from '../../shared/capabilities/simulate/test/a-simulation.ts';

// A whole simulated Job, where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

test('nothing is ever uncounted', async () => {
  const { report } = await play(indexed(20, { parallelism: 5, backoffLimitPerIndex: 1, maxFailedIndexes: 3 }), {
    attempts: [{ index: '0-19', attempt: '0', exitCode: 1 }, { index: '2,5' }, { index: '3-9', exitCode: 2 }],
    limits: { stopDelay: '5s' },
  });
  expect(report.final.failed).toBeGreaterThan(10);
  expect(report.timeline.length).toBeGreaterThan(5);
  for (const { status } of report.timeline) expect(status.uncountedTerminatedPods).toEqual({});
});
