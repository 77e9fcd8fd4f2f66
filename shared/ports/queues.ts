import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid, TaskArn } from '../domain/base/ids.ts';
import type { AttemptId, Fact } from '../domain/base/fact.ts';
import type { LaunchTraits } from '../domain/scoreboard/launch-row.ts';

/**
 * Three queues. A message may be lost, late, duplicated, or out of order: it is a hint, and the table is the truth. A call
 * that throws may have sent some, all, or none.
 */
export type Queues = {
  /** "Check this Job", after `delaySec` (0..900). */
  wake(wakeUps: readonly WakeUp[]): Promise<void>;
  /** "Look at this object that makes Jobs", in the same queue. */
  wakeCrons(wakeUps: readonly CronWakeUp[]): Promise<void>;
  /** Observations, grouped by Job. */
  facts(messages: readonly FactMessage[], delaySec: number): Promise<void>;
  /** What a commit requests from ECS. Fair by Job. */
  dispatch(messages: readonly DispatchMessage[], delaySec: number): Promise<void>;
};

export type WakeUp = {
  readonly uid: JobUid;
  readonly delaySec: number;
  /** Look all active attempts up, too. */
  readonly inspect?: boolean;
};

export type CronWakeUp = {
  /** The object's uid. */
  readonly cron: string;
  readonly delaySec: number;
  /** Jobs of its that have begun or ended; omitted: none in particular */
  readonly jobs?: readonly JobUid[];
};

export type FactMessage = { readonly uid: JobUid; readonly facts: readonly Fact[] };

/** What capabilities request, by `kind`, each in a field of its own, which it declares here (`declare module`). */
export interface CapabilityOrders {}
export type CapabilityOrder = CapabilityOrders[keyof CapabilityOrders];

/** What is requested from ECS, and of what capabilities have, for one Job, or for all. */
export type DispatchMessage =
  | {
      readonly kind: 'pack';
      readonly uid: JobUid;
      readonly launch: readonly AttemptId[];
      /** claims to cancel, or launched attempts to stop */
      readonly stop: readonly AttemptId[];
      /** of the launches, by index */
      readonly traits?: ReadonlyMap<number, LaunchTraits> | undefined;
      /** this Job's unanswered claims that are older than these; omitted if there are none */
      readonly ahead?: number | undefined;
      /** when a dispatcher first deferred a part of it; omitted if none has */
      readonly putOffAt?: EpochMs | undefined;
      /** the stops are for a user who deleted the Pods */
      readonly podDeleted?: true | undefined;
      /** Muster is searching for the tasks that it names, and has not found any before here; omitted: from the start */
      readonly lookFrom?: LookFrom | undefined;
    }
  /** a live task that is not a current attempt; `podDeleted`: a user has deleted its Pod */
  | {
      readonly kind: 'stopTask';
      readonly uid: JobUid;
      readonly taskArn: TaskArn;
      readonly podDeleted?: true | undefined;
      /** how often it was deferred; omitted: never */
      readonly turn?: number | undefined;
    }
  /** check the active attempts from this index on */
  | { readonly kind: 'inspect'; readonly uid: JobUid; readonly from: number }
  | CapabilityOrder
  /**
   * compare all live tasks with their Jobs, from this page of ECS's list on; `turn`: how often ECS was too busy for this
   * page
   */
  | { readonly kind: 'sweepTasks'; readonly after: string | null; readonly turn?: number | undefined }
  /** look for unused task definitions, from this page of the families with this prefix on; `turn`: as for `sweepTasks` */
  | {
      readonly kind: 'sweepDefinitions';
      readonly prefix: string;
      readonly after: string | null;
      readonly turn?: number | undefined;
    }
  /**
   * deregister these families' definitions from before `before`, unless an open Job uses them. `after`: the Jobs up to there
   * do not; omitted: no Job does
   */
  | {
      readonly kind: 'retireDefinitions';
      readonly families: readonly string[];
      readonly before: EpochMs;
      readonly after?: string | null | undefined;
      readonly turn?: number | undefined;
    };

/** A page of ECS's lists: the Job's live tasks (`family` null), or the stopped tasks of a family. */
export type LookFrom = {
  /** when the search began */
  readonly startedAt: EpochMs;
  readonly family: string | null;
  readonly after: string | null;
};
