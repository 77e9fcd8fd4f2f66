import type { EpochMs } from './time.ts';
import { CLOCKS_APART_MAX_MS } from './timing.ts';
import type { TaskArn } from './ids.ts';

/** Names one RunTask of one attempt. It is in the task's `group`, so any event is matched without a lookup. */
export type AttemptId = {
  readonly index: number;
  readonly attempt: number;
  readonly nonce: number;
};

/** Why an attempt ended, from ECS's stopCode, its reasons, and the main container's exit code. */
export type Ending = {
  readonly cause: EndingCause;
  /** null if no container of ours has exited. */
  readonly exitCode: number | null;
  /** The container that the exit code belongs to: the main one, or the init container that failed before it. */
  readonly container: string | null;
  /** A sentence for people: ECS's stoppedReason and the container's reason. */
  readonly reason: string;
  /** Muster stopped it because a user had deleted its Pod. */
  readonly podDeleted?: true | undefined;
};

export type EndingCause =
  /** the main container exited with 0 */
  | 'Completed'
  /** it exited with another code */
  | 'Error'
  | 'OOMKilled'
  /** something called StopTask */
  | 'Stopped'
  | 'Spot'
  /** host, maintenance, or ECS no longer knows the task */
  | 'Infrastructure'
  /** it never ran, for lack of capacity, an address, quota, a right, or a registry: not the Job's fault (domain/task/refusal.ts) */
  | 'Unplaced'
  /** it never ran, because of what its Job names: an image, a secret, a parameter */
  | 'StartFailed';

/** Something observed about one attempt. `atMs` is ECS's time if ECS reported one. */
export type Fact = AttemptId &
  (
    | { readonly kind: 'launched'; readonly taskArn: TaskArn; readonly at: EpochMs }
    /** RunTask refused for now: nothing runs under this nonce, and nothing will */
    | { readonly kind: 'refused'; readonly reason: string; readonly retryAt: EpochMs; readonly at: EpochMs }
    /** RunTask will always refuse: access, cluster, definition; nothing runs under this nonce */
    | { readonly kind: 'rejected'; readonly reason: string; readonly at: EpochMs }
    /** a user has deleted or evicted the attempt's Pod; its task, if one is known, is being stopped */
    | {
        readonly kind: 'deleted';
        readonly taskArn: TaskArn | null;
        /** when that task was launched; omitted by earlier versions of Muster */
        readonly launchedAt?: EpochMs | undefined;
        readonly at: EpochMs;
        readonly evicted?: true | undefined;
        /** Muster has, because it had not started in time; no message says so */
        readonly overdue?: true | undefined;
      }
    /** the claim was withdrawn before any RunTask: nothing runs under this nonce, and nothing will */
    | { readonly kind: 'cancelled'; readonly at: EpochMs }
    /** `ip`: its private address, if ECS reported one */
    | { readonly kind: 'running'; readonly taskArn: TaskArn; readonly at: EpochMs; readonly ip?: string | undefined }
    | {
        readonly kind: 'stopped';
        readonly taskArn: TaskArn | null;
        readonly ending: Ending;
        readonly times: AttemptTimes;
        readonly at: EpochMs;
      }
  );

/** When an attempt was requested, started, and ended, by ECS's clock; null if it never got that far. */
export type AttemptTimes = {
  readonly createdAt: EpochMs | null;
  readonly startedAt: EpochMs | null;
  readonly stoppedAt: EpochMs | null;
};

/**
 * A fact with times that can be at `now`: one that is further ahead than well-kept clocks differ is taken for now, because what
 * has happened has happened by now. So a wait that begins at an end is never much longer than it should be.
 */
export function byNow(fact: Fact, now: EpochMs): Fact {
  const passed = (at: EpochMs): EpochMs => (at > now + CLOCKS_APART_MAX_MS ? now : at);
  const known = (at: EpochMs | null): EpochMs | null => (at === null ? null : passed(at));
  const at = passed(fact.at);
  if (fact.kind !== 'stopped') return at === fact.at ? fact : { ...fact, at };
  const { createdAt, startedAt, stoppedAt } = fact.times;
  return {
    ...fact,
    at,
    times: { createdAt: known(createdAt), startedAt: known(startedAt), stoppedAt: known(stoppedAt) },
  };
}

export type FactKind = Fact['kind'];
export type FactOf<K extends FactKind> = Extract<Fact, { readonly kind: K }>;

/** Both name the same RunTask. */
export const isSameAttempt = (a: AttemptId, b: AttemptId): boolean =>
  a.index === b.index && a.attempt === b.attempt && a.nonce === b.nonce;

/** An end comes first: it makes every other fact about its launch obsolete, whatever the board knew. */
const STAGE: Record<FactKind, number> = {
  stopped: 0,
  deleted: 1,
  refused: 2,
  rejected: 2,
  cancelled: 2,
  launched: 3,
  running: 4,
};

/** Orders the facts of one batch, so that their result does not depend on the order in which they arrived. */
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

/** Nobody saw it stop, so an observed end is better. */
const isGuess = (fact: Fact): boolean => fact.kind === 'stopped' && fact.times.stoppedAt === null;
