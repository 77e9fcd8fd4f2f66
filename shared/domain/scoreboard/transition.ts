import { type EpochMs, soonest } from '../base/time.ts';
import type { AttemptTimes } from '../base/fact.ts';
import { type IndexRecord, type IndexState, type PodState, hasPod, isActive } from './index-record.ts';
import { invariant } from '../base/invariant.ts';

/** What a step may say beside its name. */
export type StepValues = {
  /** Until when the index, or a Pod that continues in another task, waits; null: it does not. */
  readonly notBefore: EpochMs | null;
  /** null: the cause passes by itself */
  readonly since: EpochMs | null;
  /** When the Pod's first task was created (in seconds, as users see it), if the record does not know that yet. */
  readonly podCreatedSec: number;
  readonly launchedSec: number;
  readonly ranSec: number;
  /** The attempt's Pod was being deleted when it ended, so users no longer see it. */
  readonly gone: true;
};
export type StepField = keyof StepValues;

type StepRow = {
  /** The states of an index that it may follow. */
  readonly from: (state: IndexState) => boolean;
  /**
   * What users then see of the attempt's Pod. `pending`: it has ended, which its record says, and its index may have another;
   * `ending`: as before, but it is being deleted; `gone`: it no longer exists; null: nothing changes.
   */
  readonly shows: PodState | 'pending' | 'stopping' | 'ending' | 'gone' | null;
  /**
   * What is stored of it, under a code for each set of fields; codes from 32 on take another byte. Codes are part of the stored
   * format: new steps get new ones, old ones are never used again.
   */
  readonly forms: Readonly<Record<number, readonly StepField[]>>;
};

const isPending = (state: IndexState): boolean => state === 'pending';
/** Without a Pod, or with one: it is not settled. */
const isUnsettled = (state: IndexState): boolean => isPending(state) || hasPod(state);

/** The steps of an index, a row each. What a step does to the record is in `EFFECTS`. */
export const STEPS = {
  /**
   * pending → claimed, a new attempt; with the time of its Pod's creation, if the Job says how long that may take to start; and
   * with that of the index's first Pod, if this is the first and its attempts have a deadline together
   */
  claim: {
    from: isPending,
    shows: 'claimed',
    forms: { 0: [], 27: ['podCreatedSec'], 32: ['launchedSec'], 33: ['podCreatedSec', 'launchedSec'] },
  },
  /** active → active: the launch so far no longer counts, and the next RunTask needs a new token */
  renonce: { from: isActive, shows: null, forms: { 1: [] } },
  /** claimed → launched: RunTask has answered with a task */
  launched: { from: isActive, shows: 'launched', forms: { 2: [] } },
  /** claimed or launched → running; with the time of the Pod's first task, if Pods have a deadline */
  running: { from: isActive, shows: 'running', forms: { 3: [], 34: ['ranSec'] } },
  /** active → active, but the board wants it to end */
  stopping: { from: isActive, shows: 'ending', forms: { 4: [] } },
  /** active → active: a user has deleted its Pod */
  podDeleted: { from: isActive, shows: 'ending', forms: { 11: [] } },
  /** active → active: a user has evicted its Pod, which deletes it */
  evicted: { from: isActive, shows: 'ending', forms: { 24: [] } },
  /** active → active: its Pod has not started in time, and is deleted for that */
  overdue: { from: isActive, shows: 'ending', forms: { 28: [] } },
  /** active → active: its Pod's deadline has passed, and it is to end for that */
  late: { from: isActive, shows: null, forms: { 35: [] } },
  /** active → active: its index's deadline has passed, and it is to end for that */
  lateIndex: { from: isActive, shows: null, forms: { 36: [] } },
  /** active → active: a user gives its index up, and it is to end for that */
  cancel: { from: isActive, shows: 'ending', forms: { 37: [] } },
  /** active → active: a user wants its index to start over, and it is to end for that */
  requeue: { from: isActive, shows: 'ending', forms: { 38: [] } },
  /** active → waiting: the same Pod, with its containers restarted in a new task (restartPolicy OnFailure) */
  restart: { from: isActive, shows: 'waiting', forms: { 12: ['notBefore'], 25: ['notBefore', 'podCreatedSec'] } },
  /** active → waiting: the same Pod, whose task did not start */
  unstarted: {
    from: isActive,
    shows: 'waiting',
    forms: { 13: ['notBefore', 'since'], 26: ['notBefore', 'since', 'podCreatedSec'] },
  },
  /** waiting → claimed: the same attempt, under a new nonce */
  relaunch: { from: (state) => state === 'waiting', shows: 'claimed', forms: { 14: [] } },
  /** active → succeeded: this write counts it */
  succeeded: { from: isActive, shows: 'succeeded', forms: { 5: [], 17: ['gone'] } },
  /** active or waiting → pending: the user's program failed; one attempt is used up */
  failed: {
    from: hasPod,
    shows: 'pending',
    forms: { 6: [], 16: ['notBefore'], 18: ['gone'], 19: ['notBefore', 'gone'] },
  },
  /** active or waiting → failed: the same, and this index is not retried */
  failedForGood: { from: hasPod, shows: 'failed', forms: { 7: [], 20: ['gone'] } },
  /** active or waiting → pending: it failed, and podFailurePolicy says that it does not count */
  ignored: { from: hasPod, shows: 'pending', forms: { 15: ['notBefore'], 21: ['notBefore', 'gone'] } },
  /** active → pending: infrastructure took it; none of the user's attempts is used up */
  lost: { from: isActive, shows: 'pending', forms: { 8: ['notBefore'], 22: ['notBefore', 'gone'] } },
  /** the same, by Spot */
  lostToSpot: { from: isActive, shows: 'pending', forms: { 9: ['notBefore'], 23: ['notBefore', 'gone'] } },
  /** active or waiting → pending: we ended or cancelled it; nothing is counted, and its Pod is gone */
  released: { from: hasPod, shows: 'gone', forms: { 10: [] } },
  /** unsettled → the same, held back: a user has said so */
  hold: { from: isUnsettled, shows: null, forms: { 39: [] } },
  /** unsettled → the same, no longer held back */
  release: { from: isUnsettled, shows: null, forms: { 40: [] } },
  /** pending → excluded: a user has given the index up */
  exclude: { from: isPending, shows: null, forms: { 41: [] } },
  /** failed → pending: a user wants the index tried again, as if it had never failed */
  retry: { from: (state) => state === 'failed', shows: null, forms: { 42: [] } },
  /** pending → failed: the index's deadline has passed while it had no Pod */
  expire: { from: isPending, shows: null, forms: { 43: [] } },
  /** An attempt that has counted, while its task still stops: its Pod is being deleted; nothing about the index changes. */
  lingers: { from: () => true, shows: 'stopping', forms: { 44: [] } },
  /** An attempt that is over: its Pod no longer exists; nothing about the index changes. */
  removed: { from: () => true, shows: 'gone', forms: { 45: [] } },
} as const satisfies Readonly<Record<string, StepRow>>;

export type TransitionOp = keyof typeof STEPS;

type FieldsOf<O extends TransitionOp> = FieldIn<(typeof STEPS)[O]['forms']>;
type FieldIn<Forms> = {
  [C in keyof Forms]: Forms[C] extends readonly (infer F extends StepField)[] ? F : never;
}[keyof Forms];
type OrNull = { [F in StepField]: null extends StepValues[F] ? F : never }[StepField];

/** A step by its name. What may be null is always there; all else may be missing. */
export type StepOf<O extends TransitionOp> = O extends TransitionOp
  ? { readonly op: O } & Pick<StepValues, Extract<FieldsOf<O>, OrNull>> & {
        readonly [F in Exclude<FieldsOf<O>, OrNull>]?: StepValues[F] | undefined;
      }
  : never;
export type Step = StepOf<TransitionOp>;

/** One step of one index's attempt, as the journal stores it; it omits what follows from the record. */
export type Transition = { readonly index: number; readonly attempt: number } & Step;

/** Only what users see of a Pod changes, of whatever attempt of its index: the board need not know. */
export const isBesideBoard = (op: TransitionOp): op is 'lingers' | 'removed' => op === 'lingers' || op === 'removed';

/** The record after `t`. Throws {@link InvariantError} if `t` cannot follow the record's state. */
export function applyTo(r: IndexRecord, t: Transition): IndexRecord {
  const attempt = t.op === 'claim' ? r.attempt + 1 : r.attempt;
  // The text is built only if needed: every pass replays the journal.
  if (!STEPS[t.op].from(r.state)) invariant(false, `${t.op} cannot follow ${r.state}`);
  const isItsTurn = isBesideBoard(t.op) ? t.attempt <= attempt : t.attempt === attempt;
  if (!isItsTurn) invariant(false, `${t.op} of attempt ${t.attempt} on attempt ${r.attempt}`);
  const effect = EFFECTS[t.op] as (r: IndexRecord, step: Step) => IndexRecord;
  return effect(r, t);
}

/** What a step makes of the record. */
const EFFECTS: { readonly [O in TransitionOp]: (r: IndexRecord, step: StepOf<O>) => IndexRecord } = {
  claim: (r, { podCreatedSec, launchedSec }) => ({
    ...ended(r),
    state: 'claimed',
    attempt: r.attempt + 1,
    nonce: 0,
    podCreatedSec: podCreatedSec ?? null,
    launchedSec: r.launchedSec ?? launchedSec ?? null,
    notBefore: null,
  }),
  renonce: (r) => ({ ...r, nonce: r.nonce + 1 }),
  launched(r) {
    invariant(r.state === 'claimed', `launched cannot follow ${r.state}`);
    return { ...r, state: 'launched' };
  },
  running(r, { ranSec }) {
    invariant(r.state !== 'running', 'running cannot follow running');
    return { ...r, state: 'running', unstartedSince: null, ranSec: r.ranSec ?? ranSec ?? null };
  },
  restart: (r, step) => ({ ...goesOn(r, step), restarts: r.restarts + 1 }),
  // The later one comes first if a clock was set back.
  unstarted: (r, step) => ({ ...goesOn(r, step), unstartedSince: soonest(r.unstartedSince, step.since) }),
  relaunch: (r) => ({ ...r, state: 'claimed', notBefore: null }),

  stopping: (r) => ({ ...r, stopping: true }),
  podDeleted: (r) => ({ ...r, podDeleted: true }),
  evicted: (r) => ({ ...r, podDeleted: true, evicted: true }),
  overdue: (r) => ({ ...r, podDeleted: true, overdue: true }),
  late: (r) => ({ ...r, late: 'attempt' }),
  lateIndex: (r) => ({ ...r, late: 'index' }),
  // What is being deleted, or late, has ended for that reason: it counts, and then the index is given up.
  cancel: (r) => ({ ...r, wish: 'cancel', held: false, stopping: r.stopping || !(r.podDeleted || r.late !== null) }),
  requeue: (r) => ({ ...r, wish: 'requeue', stopping: true }),

  succeeded: (r) => settled(r, 'succeeded'),
  failed: (r, { notBefore }) => again({ ...r, failures: r.failures + 1 }, notBefore),
  failedForGood: (r) => settled({ ...r, failures: r.failures + 1 }, 'failed'),
  ignored: (r, { notBefore }) => again({ ...r, ignored: r.ignored + 1 }, notBefore),
  lost: (r, { notBefore }) => again({ ...r, infra: r.infra + 1 }, notBefore),
  lostToSpot: (r, { notBefore }) => again({ ...r, spot: r.spot + 1 }, notBefore),
  released: (r) => again(r, null),

  hold: (r) => ({ ...r, held: true }),
  release: (r) => ({ ...r, held: false }),
  exclude: (r) => settled(r, 'excluded'),
  expire: (r) => settled(r, 'failed'),
  retry: (r) => ({ ...r, state: 'pending', failures: 0, ignored: 0, infra: 0, spot: 0, notBefore: null }),

  lingers: (r) => r,
  removed: (r) => r,
};

/**
 * What a continuing Pod records about its first task, once, because a Pod is created once. `createdAt`: of the task that has
 * ended.
 */
export const firstTask = (
  { podCreatedSec }: IndexRecord,
  { createdAt }: AttemptTimes,
): { readonly podCreatedSec?: number } =>
  podCreatedSec === null && createdAt !== null ? { podCreatedSec: Math.floor(createdAt / 1000) } : {};

/** Its Pod continues in another task. */
const goesOn = (r: IndexRecord, { notBefore, podCreatedSec }: StepOf<'restart' | 'unstarted'>): IndexRecord => ({
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
