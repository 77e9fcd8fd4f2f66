import type { EpochMs, JobUid, TaskArn } from '../domain/brand.ts';
import type { AttemptId, Fact } from '../domain/fact.ts';
import type { LaunchTraits } from '../domain/launch-row.ts';

/**
 * Three queues. A message may be lost, late, doubled or out of order: it is a hint, the table is the truth.
 * A call that throws may have sent some, all or none.
 */
export type Queues = {
  /** "Look at this Job", after `delaySec` (0..900). */
  wake(wakeUps: readonly WakeUp[]): Promise<void>;
  /** What was observed, grouped by Job. */
  facts(messages: readonly FactMessage[], delaySec: number): Promise<void>;
  /** What a commit asks of ECS. Fair by Job. */
  dispatch(messages: readonly DispatchMessage[], delaySec: number): Promise<void>;
};

export type WakeUp = {
  readonly uid: JobUid;
  readonly delaySec: number /** look all active attempts up, too */;
  readonly inspect?: boolean;
};

export type FactMessage = { readonly uid: JobUid; readonly facts: readonly Fact[] };

/** What is asked of ECS and Cloud Map for one Job, or for all. */
export type DispatchMessage =
  | {
      readonly kind: 'pack';
      readonly uid: JobUid;
      readonly launch: readonly AttemptId[];
      /** claims to be cancelled, or launched attempts to be stopped */
      readonly stop: readonly AttemptId[];
      /** of what is to be launched, by index */
      readonly traits?: ReadonlyMap<number, LaunchTraits> | undefined;
      /** claims of this Job that are unanswered and older than these; left out: none */
      readonly ahead?: number | undefined;
      /** when a dispatcher first had to put some of it off; left out: none has */
      readonly putOffAt?: EpochMs | undefined;
      /** the stops are for a user who deleted the Pods */
      readonly podDeleted?: true | undefined;
    }
  /** a live task that is no current attempt's; `podDeleted`: a user has deleted the Pod that it was */
  | {
      readonly kind: 'stopTask';
      readonly uid: JobUid;
      readonly taskArn: TaskArn;
      readonly podDeleted?: true | undefined;
      /** how often it has been put off; left out: never */
      readonly turn?: number | undefined;
    }
  /** look up the active attempts from this index on */
  | { readonly kind: 'inspect'; readonly uid: JobUid; readonly from: number }
  /** bring the DNS names of the indexes of one launch row up to date; `turn`: it has been sent again so often */
  | {
      readonly kind: 'hosts';
      readonly uid: JobUid;
      readonly row: number;
      readonly seen: readonly SeenTask[];
      readonly turn?: number | undefined;
    }
  /** the Job is over: remove its DNS names, and give back what it has reserved */
  | { readonly kind: 'closeHosts'; readonly uid: JobUid }
  /** show all live tasks to their Jobs, from this page of ECS's on; `turn`: ECS had no time for this page so often */
  | { readonly kind: 'sweepTasks'; readonly after: string | null; readonly turn?: number | undefined };

/** A task that was seen running, and its private address. */
export type SeenTask = AttemptId & { readonly taskArn: TaskArn; readonly ip: string };
