import type { JobUid, TaskArn } from '../domain/brand.ts';
import type { AttemptId } from '../domain/fact.ts';
import type { ContainerOverride } from '../domain/launch-overrides.ts';
import type { Capacity, LaunchTemplate, TaskDefinition, TaskView } from '../domain/task.ts';

/**
 * ECS as far as we need it. Every method is safe to repeat. `later` means: throttled or short of something, nothing was
 * done, try again; the reason is for people.
 */
export type Tasks = {
  /** Registers the definition unless its family exists, and freezes what a Job's launches have in common. */
  prepare(
    definition: TaskDefinition,
  ): Promise<{ readonly kind: 'ready'; readonly template: LaunchTemplate } | Later | Refused | Fatal>;
  /**
   * Starts one task for one (attempt, nonce). Repeated within 45 minutes it answers with the same task.
   * A call that throws has an unknown outcome. `refused`: nothing was started, and this nonce must not be used again.
   */
  run(launch: Launch): Promise<{ readonly kind: 'launched'; readonly taskArn: TaskArn } | Refused | Later | Fatal>;
  /** Asks a task to stop; only a request. A task that is gone already is `asked`, too. */
  stop(taskArn: TaskArn, reason: string): Promise<{ readonly kind: 'asked' } | Later>;
  /** At most 100. `missing`: ECS does not know it (any more, or yet). */
  describe(
    taskArns: readonly TaskArn[],
  ): Promise<
    { readonly kind: 'described'; readonly tasks: readonly TaskView[]; readonly missing: readonly TaskArn[] } | Later
  >;
  /** Tasks that run or start, of one Job or (null) of all, a page at a time. */
  listLive(page: {
    readonly job: JobUid | null;
    readonly after: string | null;
  }): Promise<{ readonly kind: 'listed'; readonly taskArns: readonly TaskArn[]; readonly next: string | null } | Later>;
};

export type Launch = {
  readonly job: { readonly uid: JobUid; readonly namespace: string; readonly name: string };
  readonly id: AttemptId;
  readonly template: LaunchTemplate;
  /** Set in every container of the template, by name. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  /** What single containers get beyond that. */
  readonly overrides?: readonly ContainerOverride[];
  /** Left out: what the template's placement says. */
  readonly capacity?: Capacity;
};

export type Later = { readonly kind: 'later'; readonly reason: string };
/** `misconfigured`: the installation is at fault (a right, a role, a network), which says nothing about the Job. */
export type Refused = { readonly kind: 'refused'; readonly reason: string; readonly misconfigured?: true };
/** What the Job itself asks for cannot be had, however often it is asked for. */
export type Fatal = { readonly kind: 'fatal'; readonly reason: string };
