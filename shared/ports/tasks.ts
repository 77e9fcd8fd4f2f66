import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid, TaskArn } from '../domain/base/ids.ts';
import type { AttemptId } from '../domain/base/fact.ts';
import type { LaunchedTask } from '../domain/scoreboard/launch-row.ts';
import type { ContainerOverride } from '../domain/task/launch-overrides.ts';
import type { Capacity, LaunchTemplate, PodRequests, TaskDefinition, TaskSize, TaskView } from '../domain/task/task.ts';

/**
 * The part of ECS that we need. Every method is safe to repeat. `later`: ECS throttled the call or lacked something,
 * nothing was done, try again; the reason is for people.
 */
export type Tasks = {
  /** Registers the definition unless its family exists, and freezes what a Job's launches have in common. */
  prepare(
    definition: TaskDefinition,
  ): Promise<{ readonly kind: 'ready'; readonly template: LaunchTemplate } | Later | Refused | Fatal>;
  /**
   * Starts one task for one (attempt, nonce). Repeated within 45 minutes, it returns the same task. A call that throws has
   * an unknown outcome. `refused`: nothing was started, and this nonce must not be used again.
   */
  run(launch: Launch): Promise<({ readonly kind: 'launched' } & LaunchedTask) | Refused | Later | Fatal>;
  /** Asks a task to stop; only a request. A task that is already gone also gives `asked`. */
  stop(taskArn: TaskArn, reason: string): Promise<{ readonly kind: 'asked' } | Later>;
  /** At most 100. `missing`: unknown to ECS (any more, or yet). */
  describe(
    taskArns: readonly TaskArn[],
  ): Promise<
    { readonly kind: 'described'; readonly tasks: readonly TaskView[]; readonly missing: readonly TaskArn[] } | Later
  >;
  /** Running or starting tasks, of one Job or (null) of all, one page at a time. */
  listLive(page: { readonly job: JobUid | null; readonly after: string | null }): Promise<TaskPage | Later>;
  /**
   * Tasks of one family of definitions, for any Job, that have stopped within the last hour or are about to stop: they are
   * not live. One page at a time.
   */
  listStopped(page: { readonly family: string; readonly after: string | null }): Promise<TaskPage | Later>;
  /**
   * Families of definitions with this prefix whose newest active definition this installation registered before `before`. One
   * page of forty at a time.
   */
  listOldFamilies(page: {
    readonly prefix: string;
    readonly before: EpochMs;
    readonly after: string | null;
  }): Promise<{ readonly kind: 'listed'; readonly families: readonly string[]; readonly next: string | null } | Later>;
  /**
   * Deregisters the family's newest active definition, if this installation registered it before `before`, and no task of the
   * family runs; otherwise `kept`. Tasks continue, and a later {@link Tasks.prepare} registers the family anew.
   */
  deregister(old: {
    readonly family: string;
    readonly before: EpochMs;
  }): Promise<{ readonly kind: 'deregistered' | 'kept' } | Later>;
};

/** At most 100. */
type TaskPage = { readonly kind: 'listed'; readonly taskArns: readonly TaskArn[]; readonly next: string | null };

export type Launch = {
  readonly job: { readonly uid: JobUid; readonly namespace: string; readonly name: string };
  readonly id: AttemptId;
  readonly template: LaunchTemplate;
  /** Set in every container of the template, by name. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** What single containers get in addition. */
  readonly overrides?: readonly ContainerOverride[];
  /** Omitted: that of the task definition. */
  readonly size?: TaskSize;
  /** What its Pod requests, which the size is rounded up from. */
  readonly requests?: PodRequests;
  /** Omitted: the template's placement. */
  readonly capacity?: Capacity;
};

export type Later = { readonly kind: 'later'; readonly reason: string };
/**
 * `misconfigured`: the installation is at fault (a permission, a role, a network), not the Job; `deregistered`: it has only given
 * up the definition, which the Job's next template registers anew.
 */
export type Refused = {
  readonly kind: 'refused';
  readonly reason: string;
  readonly misconfigured?: true;
  readonly deregistered?: true;
};
/** The Job requests something that cannot be granted, however often it is requested. */
export type Fatal = { readonly kind: 'fatal'; readonly reason: string };
