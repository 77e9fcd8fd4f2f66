import type { EpochMs, TaskArn } from './brand.ts';

/** Names one RunTask of one attempt; it is in the task's `group`, so any event is matched without a look-up. */
export type AttemptId = {
  readonly index: number;
  readonly attempt: number;
  readonly nonce: number;
};

/** Why an attempt ended, from ECS's stopCode, reasons and the main container's exit code. */
export type Ending = {
  readonly cause: EndingCause;
  /** null where no container of ours has run to an end. */
  readonly exitCode: number | null;
  /** The container whose exit code that is: the main one, or the init container that failed before it. */
  readonly container: string | null;
  /** A sentence for people: ECS's stoppedReason and the container's reason. */
  readonly reason: string;
};

export type EndingCause =
  /** the main container ended by itself with 0 */
  | 'Completed'
  /** it ended by itself with another code */
  | 'Error'
  | 'OOMKilled'
  /** somebody called StopTask */
  | 'Stopped'
  | 'Spot'
  /** host, maintenance, or the task is not to be found any more */
  | 'Infrastructure'
  /** it never ran, for want of capacity, an address or quota: that passes by itself */
  | 'Unplaced'
  /** it never ran, since its image, secret or log group cannot be had */
  | 'StartFailed';

/** Something observed about one attempt. `atMs` is ECS's time where it has one. */
export type Fact = AttemptId &
  (
    | { readonly kind: 'launched'; readonly taskArn: TaskArn; readonly at: EpochMs }
    /** RunTask said no for now: nothing runs under this nonce, and nothing will */
    | { readonly kind: 'refused'; readonly reason: string; readonly retryAt: EpochMs; readonly at: EpochMs }
    /** RunTask will never say yes: access, cluster, definition; nothing runs under this nonce */
    | { readonly kind: 'rejected'; readonly reason: string; readonly at: EpochMs }
    /** a user has deleted the attempt's Pod, or evicted it; its task, if one is known, is being stopped */
    | {
        readonly kind: 'deleted';
        readonly taskArn: TaskArn | null;
        readonly at: EpochMs;
        readonly evicted?: true | undefined;
      }
    /** the claim was withdrawn before any RunTask: nothing runs under this nonce, and nothing will */
    | { readonly kind: 'cancelled'; readonly at: EpochMs }
    /** `ip`: its private address, where ECS has told it */
    | { readonly kind: 'running'; readonly taskArn: TaskArn; readonly at: EpochMs; readonly ip?: string | undefined }
    | {
        readonly kind: 'stopped';
        readonly taskArn: TaskArn | null;
        readonly ending: Ending;
        readonly times: AttemptTimes;
        readonly at: EpochMs;
      }
  );

/** When an attempt was asked for, started and ended, by ECS's clock; null where it never got so far. */
export type AttemptTimes = {
  readonly createdAt: EpochMs | null;
  readonly startedAt: EpochMs | null;
  readonly stoppedAt: EpochMs | null;
};

export type FactKind = Fact['kind'];

/** An end comes first: it makes all else that is told of its launch past, whatever the board knew. */
const STAGE: Record<FactKind, number> = {
  stopped: 0,
  deleted: 1,
  refused: 2,
  rejected: 2,
  cancelled: 2,
  launched: 3,
  running: 4,
};

/** Orders the facts of one batch, so that what they come to does not depend on the order in which they came. */
export function inOrder(facts: readonly Fact[]): readonly Fact[] {
  return [...facts].sort(
    (a, b) =>
      a.index - b.index ||
      a.attempt - b.attempt ||
      a.nonce - b.nonce ||
      STAGE[a.kind] - STAGE[b.kind] ||
      Number(isGuess(a)) - Number(isGuess(b)),
  );
}

/** Nobody has seen it stop; who has knows better. */
const isGuess = (fact: Fact): boolean => fact.kind === 'stopped' && fact.times.stoppedAt === null;
