import type { EpochMs } from '../../../domain/base/time.ts';
import type { WithEvents } from '../../../domain/schedulers/scheduler-event.ts';
import type { JobUid } from '../../../domain/base/ids.ts';

/** How a Job that a CronJob owns has ended. */
export type CronJobEnd = {
  readonly kind: 'complete' | 'failed';
  readonly startAt: EpochMs | null;
  readonly at: EpochMs;
};

/** A Job that a CronJob owns. */
export type CronChild = {
  readonly uid: JobUid;
  readonly name: string;
  /** It is in `status.active` until it ends. False: somebody else has created it. */
  readonly isListed: boolean;
  /** null: it has not ended, as far as is known. */
  readonly end: CronJobEnd | null;
};

/** A Job that is to be created for a slot. Its name and its uid are those of the slot, so it is created once. */
export type CronClaim = {
  readonly slot: EpochMs;
  readonly name: string;
  readonly uid: JobUid;
  readonly at: EpochMs;
  /** With `Replace`: what is deleted before. */
  readonly replaces: readonly JobUid[];
};

/** A slot whose Job was refused; it is tried again. */
export type CronRetry = { readonly slot: EpochMs; readonly at: EpochMs; readonly tries: number };

/** What the scheduler knows of a CronJob beyond the object that users see. */
export type CronState = WithEvents & {
  /** The newest slot that has a Job. */
  readonly lastScheduleAt: EpochMs | null;
  readonly lastSuccessAt: EpochMs | null;
  /** Slots up to here are not looked at any more; null: all up to `lastScheduleAt`. */
  readonly passedAt: EpochMs | null;
  readonly claim: CronClaim | null;
  readonly retry: CronRetry | null;
  readonly jobs: readonly CronChild[];
};

export const FRESH_CRON: CronState = {
  lastScheduleAt: null,
  lastSuccessAt: null,
  passedAt: null,
  claim: null,
  retry: null,
  jobs: [],
  events: [],
};

declare module '../../../domain/schedulers/scheduler-states.ts' {
  interface SchedulerStates {
    readonly CronJob: CronState;
  }
}
