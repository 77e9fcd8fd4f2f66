import { expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { type Job, planningSpec } from '../../../shared/domain/manifests/job.ts';
import { planJob } from '../../../shared/domain/planner/plan-job.ts';
import { freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import { EMBEDDED_TIMING } from '../../../shared/domain/base/timing.ts';
import { aJob } from '../../support/a-job.ts';

const now = asEpochMs(1_800_000_000_000);

/** The interval after a look-up of this many running attempts. */
function pauseMsAt(running: number): number | undefined {
  const spec = aJob({ completions: running, parallelism: running });
  const job: Job = { ...spec.identity, revision: 1, spec: planningSpec(spec) };
  const fresh = freshStatus(job, now);
  const chunks = fresh.chunks.map((chunk) => ({ ...chunk, pending: 0, running: chunk.pending }));
  const status = { ...fresh, chunks, inspect: { at: now, intervalMs: 5_000 } };
  const { actions, status: next } = planJob(job, status, new Map(), [], now, EMBEDDED_TIMING);
  expect(actions.some(({ kind }) => kind === 'inspect')).toBe(true);
  return next?.inspect?.intervalMs;
}

test('all active attempts are looked up at doubled intervals, and less often the more there are', () => {
  expect(pauseMsAt(10)).toBe(10_000);
  expect(pauseMsAt(100_000)).toBe(200_000);
});
