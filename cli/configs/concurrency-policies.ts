import type { ConcurrencyPolicy } from '../../shared/capabilities/furiko/domain/furiko-job.ts';

/** What happens to a new Job of a JobConfig of which as many run as may. */
export const CONCURRENCY_POLICIES: readonly ConcurrencyPolicy[] = ['Allow', 'Forbid', 'Enqueue'];
