import type { ItemOf } from '../../domain/base/shown-index.ts';
import type { FailureSnapshot } from '../../domain/failures/failures.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import type { StoredSpec } from '../job-store.ts';

export type JobFailures = FailureSnapshot & {
  readonly spec: StoredSpec;
  readonly status: Status;
  /** What the first indexes of each group work on, and its example. */
  readonly itemOf: ItemOf;
};

/**
 * What has failed in a Job and why, with the last lines of a few logs; null if it does not exist. Bounded, however large the Job.
 * Throws what the store throws.
 */
export type ReadFailures = (namespace: string, name: string) => Promise<JobFailures | null>;
