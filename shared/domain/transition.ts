import { type EpochMs, soonest } from './brand.ts';
import { type IndexRecord, type IndexState, hasPod, isActive } from './index-record.ts';
import { invariant, unreachable } from './invariant.ts';

/** One step of one index's attempt, as the journal keeps it; what follows from the record is not written again. */
export type Transition = { readonly index: number; readonly attempt: number } & Step;

/** `gone`: the attempt's Pod was being deleted when it ended, so users see no Pod of it any more. */
type End = { readonly gone?: true | undefined };

export type Step =
  /** pending → claimed, a new attempt */
  | { readonly op: 'claim' }
  /** active → active: nothing of the launch so far counts any more; the next RunTask needs a new token */
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
  /** active → waiting: the same Pod, whose containers start again in a new task (restartPolicy OnFailure) */
  | { readonly op: 'restart'; readonly notBefore: EpochMs | null }
  /** active → waiting: the same Pod, whose task did not start; `since`: null where that passes by itself */
  | { readonly op: 'unstarted'; readonly notBefore: EpochMs | null; readonly since: EpochMs | null }
  /** waiting → claimed: the same attempt, under a nonce of its own */
  | { readonly op: 'relaunch' }
  /** active → succeeded: this is the write that counts it */
  | ({ readonly op: 'succeeded' } & End)
  /** active or waiting → pending: the user's program failed; an attempt is spent */
  | ({ readonly op: 'failed'; readonly notBefore: EpochMs | null } & End)
  /** active or waiting → failed: the same, and this index is not tried again */
  | ({ readonly op: 'failedForGood' } & End)
  /** active or waiting → pending: it failed, and podFailurePolicy says that this does not count */
  | ({ readonly op: 'ignored'; readonly notBefore: EpochMs | null } & End)
  /** active → pending: infrastructure took it; no attempt of the user's is spent */
  | ({ readonly op: 'lost'; readonly notBefore: EpochMs | null } & End)
  /** the same, by Spot */
  | ({ readonly op: 'lostToSpot'; readonly notBefore: EpochMs | null } & End)
  /** active or waiting → pending: we ended or cancelled it; nothing is counted, and its Pod is gone */
  | { readonly op: 'released' };

export type TransitionOp = Step['op'];

/** The record after `t`. Trips an invariant where `t` cannot follow the record's state. */
export function applyTo(r: IndexRecord, t: Transition): IndexRecord {
  const attempt = t.op === 'claim' ? r.attempt + 1 : r.attempt;
  // The sentence is made only where it is needed: every pass replays the journal.
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
      return { ...r, state: 'waiting', nonce: r.nonce + 1, restarts: r.restarts + 1, notBefore: t.notBefore };
    case 'unstarted': {
      const unstartedSince = soonest(r.unstartedSince, t.since); // the later one is first where a clock was set back
      return { ...r, state: 'waiting', nonce: r.nonce + 1, unstartedSince, notBefore: t.notBefore };
    }
    case 'relaunch':
      return { ...r, state: 'claimed', notBefore: null };
    case 'succeeded':
      return { ...ended(r), state: 'succeeded' };
    case 'failed':
      return { ...ended(r), state: 'pending', failures: r.failures + 1, notBefore: t.notBefore };
    case 'failedForGood':
      return { ...ended(r), state: 'failed', failures: r.failures + 1 };
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

/** Between two tasks there is a Pod, but nothing that could succeed or be lost. */
const ENDS_WAITING: readonly TransitionOp[] = ['failed', 'failedForGood', 'ignored', 'released'];

function follows(state: IndexState, op: TransitionOp): boolean {
  if (op === 'claim') return state === 'pending';
  if (op === 'relaunch') return state === 'waiting';
  return ENDS_WAITING.includes(op) ? hasPod(state) : isActive(state);
}

/** What is said of one attempt only is over with it. */
const ended = (r: IndexRecord): IndexRecord => ({
  ...r,
  stopping: false,
  podDeleted: false,
  evicted: false,
  restarts: 0,
  unstartedSince: null,
});
