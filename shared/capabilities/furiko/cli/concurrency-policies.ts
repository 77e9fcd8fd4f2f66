import type { ConcurrencyPolicy } from '../domain/furiko-job.ts';

/** What happens to a new Job of a JobConfig of which as many run as may. */
export const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Enqueue'] as const satisfies readonly ConcurrencyPolicy[];
