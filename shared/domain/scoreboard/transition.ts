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
  /**
   * pending → claimed, a new attempt; with the time of its Pod's creation, if the Job says how long that may take to start; and
   * with that of the index's first Pod, if this is the first and its attempts have a deadline together
   */
  | { readonly op: 'claim'; readonly podCreatedSec?: number | undefined; readonly launchedSec?: number | undefined }
  /** active → active: the launch so far no longer counts, and the next RunTask needs a new token */
  | { readonly op: 'renonce' }
  /** claimed → launched: RunTask has answered with a task */
  | { readonly op: 'launched' }
  /** claimed or launched → running; with the time of the Pod's first task, if Pods have a deadline */
  | { readonly op: 'running'; readonly ranSec?: number | undefined }
  /** active → active, but the board wants it to end */
  | { readonly op: 'stopping' }
  /** active → active: a user has deleted its Pod */
  | { readonly op: 'podDeleted' }
  /** active → active: a user has evicted its Pod, which deletes it */
  | { readonly op: 'evicted' }
  /** active → active: its Pod has not started in time, and is deleted for that */
  | { readonly op: 'overdue' }
  /** active → active: its Pod's deadline has passed, and it is to end for that */
  | { readonly op: 'late' }
  /** active → active: its index's deadline has passed, and it is to end for that */
  | { readonly op: 'lateIndex' }
  /** active → active: a user gives its index up, and it is to end for that */
  | { readonly op: 'cancel' }
  /** active → active: a user wants its index to start over, and it is to end for that */
  | { readonly op: 'requeue' }
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
  | { readonly op: 'released' }
  /** unsettled → the same, held back: a user has said so */
  | { readonly op: 'hold' }
  /** unsettled → the same, no longer held back */
  | { readonly op: 'release' }
  /** pending → excluded: a user has given the index up */
  | { readonly op: 'exclude' }
  /** failed → pending: a user wants the index tried again, as if it had never failed */
  | { readonly op: 'retry' }
  /** pending → failed: the index's deadline has passed while it had no Pod */
  | { readonly op: 'expire' }
  /** An attempt that has counted, while its task still stops: its Pod is being deleted; nothing about the index changes. */
  | { readonly op: 'lingers' }
  /** An attempt that is over: its Pod no longer exists; nothing about the index changes. */
  | { readonly op: 'removed' };

export type TransitionOp = Step['op'];

/** Only what users see of a Pod changes, of whatever attempt of its index: the board need not know. */
export const isBesideBoard = (op: TransitionOp): op is 'lingers' | 'removed' => op === 'lingers' || op === 'removed';

/** The record after `t`. Throws {@link InvariantError} if `t` cannot follow the record's state. */
export function applyTo(r: IndexRecord, t: Transition): IndexRecord {
  const attempt = t.op === 'claim' ? r.attempt + 1 : r.attempt;
  // The text is built only if needed: every pass replays the journal.
  if (!follows(r.state, t.op)) invariant(false, `${t.op} cannot follow ${r.state}`);
  const isItsTurn = isBesideBoard(t.op) ? t.attempt <= attempt : t.attempt === attempt;
  if (!isItsTurn) invariant(false, `${t.op} of attempt ${t.attempt} on attempt ${r.attempt}`);
  switch (t.op) {
    case 'claim':
    case 'renonce':
    case 'launched':
    case 'running':
    case 'restart':
    case 'unstarted':
    case 'relaunch':
      return withTasks(r, t);
    case 'stopping':
    case 'podDeleted':
    case 'evicted':
    case 'overdue':
    case 'late':
    case 'lateIndex':
    case 'cancel':
    case 'requeue':
      return marked(r, t.op);
    case 'succeeded':
    case 'failed':
    case 'failedForGood':
    case 'ignored':
    case 'lost':
    case 'lostToSpot':
    case 'released':
      return afterAttempt(r, t);
    case 'hold':
    case 'release':
    case 'exclude':
    case 'expire':
    case 'retry':
      return withoutPod(r, t.op);
    case 'lingers':
    case 'removed':
      return r;
    default:
      return unreachable(t);
  }
}

/** What an attempt goes through until it ends: its Pod's tasks. */
function withTasks(r: IndexRecord, t: Extract<Step, { op: TaskOp }>): IndexRecord {
  switch (t.op) {
    case 'claim':
      return {
        ...ended(r),
        state: 'claimed',
        attempt: r.attempt + 1,
        nonce: 0,
        podCreatedSec: t.podCreatedSec ?? null,
        launchedSec: r.launchedSec ?? t.launchedSec ?? null,
        notBefore: null,
      };
    case 'renonce':
      return { ...r, nonce: r.nonce + 1 };
    case 'launched':
      invariant(r.state === 'claimed', `launched cannot follow ${r.state}`);
      return { ...r, state: 'launched' };
    case 'running':
      invariant(r.state !== 'running', 'running cannot follow running');
      return { ...r, state: 'running', unstartedSince: null, ranSec: r.ranSec ?? t.ranSec ?? null };
    case 'restart':
      return { ...goesOn(r, t), restarts: r.restarts + 1 };
    case 'unstarted': {
      const unstartedSince = soonest(r.unstartedSince, t.since); // the later one comes first if a clock was set back
      return { ...goesOn(r, t), unstartedSince };
    }
    case 'relaunch':
      return { ...r, state: 'claimed', notBefore: null };
    default:
      return unreachable(t);
  }
}

/** An attempt that is to end, and why. */
function marked(r: IndexRecord, op: Mark): IndexRecord {
  switch (op) {
    case 'stopping':
      return { ...r, stopping: true };
    case 'podDeleted':
      return { ...r, podDeleted: true };
    case 'evicted':
      return { ...r, podDeleted: true, evicted: true };
    case 'overdue':
      return { ...r, podDeleted: true, overdue: true };
    case 'late':
      return { ...r, late: 'attempt' };
    case 'lateIndex':
      return { ...r, late: 'index' };
    case 'cancel':
      // What is being deleted, or late, has ended for that reason: it counts, and then the index is given up.
      return { ...r, wish: 'cancel', held: false, stopping: r.stopping || !(r.podDeleted || r.late !== null) };
    case 'requeue':
      return { ...r, wish: 'requeue', stopping: true };
    default:
      return unreachable(op);
  }
}

/** How an attempt has ended, and whether its index has another one. */
function afterAttempt(r: IndexRecord, t: Extract<Step, { op: EndOp }>): IndexRecord {
  switch (t.op) {
    case 'succeeded':
      return settled(r, 'succeeded');
    case 'failed':
      return again({ ...r, failures: r.failures + 1 }, t.notBefore);
    case 'failedForGood':
      return settled({ ...r, failures: r.failures + 1 }, 'failed');
    case 'ignored':
      return again({ ...r, ignored: r.ignored + 1 }, t.notBefore);
    case 'lost':
      return again({ ...r, infra: r.infra + 1 }, t.notBefore);
    case 'lostToSpot':
      return again({ ...r, spot: r.spot + 1 }, t.notBefore);
    case 'released':
      return again(r, null);
    default:
      return unreachable(t);
  }
}

/** What users, or a deadline, do to an index that need not have a Pod. */
function withoutPod(r: IndexRecord, op: WithoutPod): IndexRecord {
  switch (op) {
    case 'hold':
      return { ...r, held: true };
    case 'release':
      return { ...r, held: false };
    case 'exclude':
      return settled(r, 'excluded');
    case 'expire':
      return settled(r, 'failed');
    case 'retry':
      return { ...r, state: 'pending', failures: 0, ignored: 0, infra: 0, spot: 0, notBefore: null };
    default:
      return unreachable(op);
  }
}

type TaskOp = 'claim' | 'renonce' | 'launched' | 'running' | 'restart' | 'unstarted' | 'relaunch';
type Mark = 'stopping' | 'podDeleted' | 'evicted' | 'overdue' | 'late' | 'lateIndex' | 'cancel' | 'requeue';
type EndOp = 'succeeded' | 'failed' | 'failedForGood' | 'ignored' | 'lost' | 'lostToSpot' | 'released';
type WithoutPod = 'hold' | 'release' | 'exclude' | 'expire' | 'retry';

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
  if (op === 'claim' || op === 'exclude' || op === 'expire') return state === 'pending';
  if (op === 'retry') return state === 'failed';
  if (isBesideBoard(op)) return true;
  if (op === 'hold' || op === 'release') return state === 'pending' || hasPod(state);
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

/** The index may have another attempt, unless its user has given it up. */
const again = (r: IndexRecord, notBefore: EpochMs | null): IndexRecord =>
  r.wish === 'cancel' ? settled(r, 'excluded') : { ...ended(r), state: 'pending', notBefore };

/** The index has no attempt after this one. */
const settled = (r: IndexRecord, state: 'succeeded' | 'failed' | 'excluded'): IndexRecord => ({
  ...ended(r),
  state,
  held: false,
  earlierRestarts: 0,
  launchedSec: null,
  ...(state === 'succeeded' ? {} : { notBefore: null }),
});

/** What concerns only one attempt ends with it. The restarts of earlier attempts matter while there may be a next one. */
const ended = (r: IndexRecord): IndexRecord => ({
  ...r,
  stopping: false,
  podDeleted: false,
  evicted: false,
  overdue: false,
  late: null,
  wish: null,
  restarts: 0,
  earlierRestarts: r.earlierRestarts + r.restarts,
  podCreatedSec: null,
  ranSec: null,
  unstartedSince: null,
});
