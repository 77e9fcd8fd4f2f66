import type { JobUid } from '../../../domain/base/ids.ts';
import type { EpochMs } from '../../../domain/base/time.ts';
import type { CronEvent } from '../../../domain/schedulers/scheduler-event.ts';
import type { ConcurrencyPolicy } from './furiko-job.ts';

/**
 * The place of a Job among those of its JobConfig. It is taken before the Job is stored, and given up when the Job has ended or is
 * gone.
 */
export type ConfigPlace = {
  readonly uid: JobUid;
  readonly name: string;
  readonly policy: ConcurrencyPolicy;
  /** The scheduler creates its Job, for this moment; null: a user does. */
  readonly slot: EpochMs | null;
  /** It does not start before; null: at once. */
  readonly startAfter: EpochMs | null;
  /** When it was taken: its Job is as old. */
  readonly at: EpochMs;
  /** `queued`: it waits. `starting`: it may start, but perhaps its Job does not know. `rejected`: it never starts. */
  readonly stage: 'queued' | 'starting' | 'active' | 'rejected';
  /** Somebody has seen its Job. */
  readonly isStored: boolean;
  /** As far as is known. */
  readonly startTime: EpochMs | null;
};

declare module '../../../domain/schedulers/scheduler-states.ts' {
  interface SchedulerStates {
    readonly JobConfig: ConfigState;
  }
}

/** What the scheduler knows of a JobConfig beyond the object that users see. */
export type ConfigState = {
  /** The newest slot that has a Job. */
  readonly lastScheduledAt: EpochMs | null;
  /** When a Job has started last. */
  readonly lastExecutedAt: EpochMs | null;
  /** Slots up to here are not looked at any more; null: none was. */
  readonly passedAt: EpochMs | null;
  /** In the order in which they were taken. */
  readonly places: readonly ConfigPlace[];
  /** The newest, oldest first. */
  readonly events: readonly CronEvent[];
};

export const FRESH_CONFIG: ConfigState = {
  lastScheduledAt: null,
  lastExecutedAt: null,
  passedAt: null,
  places: [],
  events: [],
};

/** Its Job runs, or may start at any moment. */
export const isActive = ({ stage }: ConfigPlace): boolean => stage === 'starting' || stage === 'active';
export const isQueued = ({ stage }: ConfigPlace): boolean => stage === 'queued';
/** Its Job must be looked at, whether or not somebody reports it. */
export const isUnsettled = ({ stage, isStored }: ConfigPlace): boolean =>
  !isStored || stage === 'starting' || stage === 'rejected';
