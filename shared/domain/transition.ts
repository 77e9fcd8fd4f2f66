import type { EpochMs } from './brand.ts';
import { type IndexRecord, isActive } from './index-record.ts';
import { invariant, unreachable } from './invariant.ts';

/** One step of one index's attempt, as the journal keeps it; what follows from the record is not written again. */
export type Transition = { readonly index: number; readonly attempt: number } & Step;

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
  /** active → succeeded: this is the write that counts it */
  | { readonly op: 'succeeded' }
  /** active → pending: the user's program failed; an attempt is spent */
  | { readonly op: 'failed' }
  /** active → failed: the same, and this index is not tried again */
  | { readonly op: 'failedForGood' }
  /** active → pending: infrastructure took it; no attempt of the user's is spent */
  | { readonly op: 'lost'; readonly notBefore: EpochMs | null }
  /** the same, by Spot */
  | { readonly op: 'lostToSpot'; readonly notBefore: EpochMs | null }
  /** active → pending: we ended or cancelled it; nothing is counted */
  | { readonly op: 'released' };

export type TransitionOp = Step['op'];

/** The record after `t`. Trips an invariant where `t` cannot follow the record's state. */
export function applyTo(r: IndexRecord, t: Transition): IndexRecord {
  const attempt = t.op === 'claim' ? r.attempt + 1 : r.attempt;
  invariant(t.op === 'claim' ? r.state === 'pending' : isActive(r.state), `${t.op} cannot follow ${r.state}`);
  invariant(t.attempt === attempt, `${t.op} of attempt ${t.attempt} on attempt ${r.attempt}`);
  switch (t.op) {
    case 'claim':
      return { ...r, state: 'claimed', attempt, nonce: 0, stopping: false, notBefore: null };
    case 'renonce':
      return { ...r, nonce: r.nonce + 1 };
    case 'launched':
      invariant(r.state === 'claimed', `launched cannot follow ${r.state}`);
      return { ...r, state: 'launched' };
    case 'running':
      invariant(r.state !== 'running', 'running cannot follow running');
      return { ...r, state: 'running' };
    case 'stopping':
      return { ...r, stopping: true };
    case 'succeeded':
      return { ...r, state: 'succeeded', stopping: false };
    case 'failed':
      return { ...r, state: 'pending', failures: r.failures + 1, stopping: false };
    case 'failedForGood':
      return { ...r, state: 'failed', failures: r.failures + 1, stopping: false };
    case 'lost':
      return { ...r, state: 'pending', infra: r.infra + 1, stopping: false, notBefore: t.notBefore };
    case 'lostToSpot':
      return { ...r, state: 'pending', spot: r.spot + 1, stopping: false, notBefore: t.notBefore };
    case 'released':
      return { ...r, state: 'pending', stopping: false };
    default:
      return unreachable(t);
  }
}
