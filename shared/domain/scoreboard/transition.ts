import { type EpochMs, soonest } from '../base/time.ts';
import type { AttemptTimes } from '../base/fact.ts';
import { type IndexRecord, type IndexState, hasPod, isActive } from './index-record.ts';
import { invariant, unreachable } from '../base/invariant.ts';

/** One step of one index's attempt, as the journal stores it; it omits what follows from the record. */
export type Transition = { readonly index: number; readonly attempt: number } & Step;

/** `gone`: the attempt's Pod was being deleted when it ended, so users no longer see it. */
type End = { readonly gone?: true | undefined };

/**
 * For a Pod that continues in another task: when its first was created (in seconds, as users see it), if the record does not
 * know that yet.
 */
type GoesOn = { readonly notBefore: EpochMs | null; readonly podCreatedSec?: number | undefined };

export type Step =
  /** pending → claimed, a new attempt */
  | { readonly op: 'claim' }
  /** active → active: the launch so far no longer counts, and the next RunTask needs a new token */
  | { readonly op: 'renonce' }
  /** claimed → launched: RunTask has answered with a task */
  | { readonly op: 'launched' }
  /** claimed or launched → running */
  | { readonly op: 'running' }
  /** active → active, but the board wants it to end */
  | { readonly op: 'stopping' }
  /** active → active: a user has deleted its Pod */
  | { readonly op: 'podDeleted' }
  /** active → active: a user has evicted its Pod, which deletes it */
  | { readonly op: 'evicted' }
  /** active → waiting: the same Pod, with its containers restarted in a new task (restartPolicy OnFailure) */
  | ({ readonly op: 'restart' } & GoesOn)
  /** active → waiting: the same Pod, whose task did not start; `since`: null if the cause passes by itself */
  | ({ readonly op: 'unstarted'; readonly since: EpochMs | null } & GoesOn)
  /** waiting → claimed: the same attempt, under a new nonce */
  | { readonly op: 'relaunch' }
  /** active → succeeded: this write counts it */
  | ({ readonly op: 'succeeded' } & End)
  /** active or waiting → pending: the user's program failed; one attempt is used up */
  | ({ readonly op: 'failed'; readonly notBefore: EpochMs | null } & End)
  /** active or waiting → failed: the same, and this index is not retried */
  | ({ readonly op: 'failedForGood' } & End)
  /** active or waiting → pending: it failed, and podFailurePolicy says that it does not count */
  | ({ readonly op: 'ignored'; readonly notBefore: EpochMs | null } & End)
  /** active → pending: infrastructure took it; none of the user's attempts is used up */
  | ({ readonly op: 'lost'; readonly notBefore: EpochMs | null } & End)
  /** the same, by Spot */
  | ({ readonly op: 'lostToSpot'; readonly notBefore: EpochMs | null } & End)
  /** active or waiting → pending: we ended or cancelled it; nothing is counted, and its Pod is gone */
  | { readonly op: 'released' };

export type TransitionOp = Step['op'];

/** The record after `t`. Throws {@link InvariantError} if `t` cannot follow the record's state. */
export function applyTo(r: IndexRecord, t: Transition): IndexRecord {
  const attempt = t.op === 'claim' ? r.attempt + 1 : r.attempt;
  // The text is built only if needed: every pass replays the journal.
  if (!follows(r.state, t.op)) invariant(false, `${t.op} cannot follow ${r.state}`);
  if (t.attempt !== attempt) invariant(false, `${t.op} of attempt ${t.attempt} on attempt ${r.attempt}`);
  switch (t.op) {
    case 'claim':
      return { ...ended(r), state: 'claimed', attempt, nonce: 0, notBefore: null };
    case 'renonce':
      return { ...r, nonce: r.nonce + 1 };
    case 'launched':
      invariant(r.state === 'claimed', `launched cannot follow ${r.state}`);
      return { ...r, state: 'launched' };
    case 'running':
      invariant(r.state !== 'running', 'running cannot follow running');
      return { ...r, state: 'running', unstartedSince: null };
    case 'stopping':
      return { ...r, stopping: true };
    case 'podDeleted':
      return { ...r, podDeleted: true };
    case 'evicted':
      return { ...r, podDeleted: true, evicted: true };
    case 'restart':
      return { ...goesOn(r, t), restarts: r.restarts + 1 };
    case 'unstarted': {
      const unstartedSince = soonest(r.unstartedSince, t.since); // the later one comes first if a clock was set back
      return { ...goesOn(r, t), unstartedSince };
    }
    case 'relaunch':
      return { ...r, state: 'claimed', notBefore: null };
    case 'succeeded':
      return { ...ended(r), state: 'succeeded', earlierRestarts: 0 };
    case 'failed':
      return { ...ended(r), state: 'pending', failures: r.failures + 1, notBefore: t.notBefore };
    case 'failedForGood':
      return { ...ended(r), state: 'failed', failures: r.failures + 1, earlierRestarts: 0 };
    case 'ignored':
      return { ...ended(r), state: 'pending', ignored: r.ignored + 1, notBefore: t.notBefore };
    case 'lost':
      return { ...ended(r), state: 'pending', infra: r.infra + 1, notBefore: t.notBefore };
    case 'lostToSpot':
      return { ...ended(r), state: 'pending', spot: r.spot + 1, notBefore: t.notBefore };
    case 'released':
      return { ...ended(r), state: 'pending', notBefore: null };
    default:
      return unreachable(t);
  }
}

/**
 * What a continuing Pod records about its first task, once, because a Pod is created once. `createdAt`: of the task that has
 * ended.
 */
export const firstTask = (
  { podCreatedSec }: IndexRecord,
  { createdAt }: AttemptTimes,
): { readonly podCreatedSec?: number } =>
  podCreatedSec === null && createdAt !== null ? { podCreatedSec: Math.floor(createdAt / 1000) } : {};

/** Between two tasks there is a Pod, but no task that could succeed or be lost. */
const ENDS_WAITING: readonly TransitionOp[] = ['failed', 'failedForGood', 'ignored', 'released'];

function follows(state: IndexState, op: TransitionOp): boolean {
  if (op === 'claim') return state === 'pending';
  if (op === 'relaunch') return state === 'waiting';
  return ENDS_WAITING.includes(op) ? hasPod(state) : isActive(state);
}

const goesOn = (r: IndexRecord, { notBefore, podCreatedSec }: GoesOn): IndexRecord => ({
  ...r,
  state: 'waiting',
  nonce: r.nonce + 1,
  podCreatedSec: r.podCreatedSec ?? podCreatedSec ?? null,
  notBefore,
});

/** What concerns only one attempt ends with it. The restarts of earlier attempts matter while there may be a next one. */
const ended = (r: IndexRecord): IndexRecord => ({
  ...r,
  stopping: false,
  podDeleted: false,
  evicted: false,
  restarts: 0,
  earlierRestarts: r.earlierRestarts + r.restarts,
  podCreatedSec: null,
  unstartedSince: null,
});
