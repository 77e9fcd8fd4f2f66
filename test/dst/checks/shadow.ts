import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { type IndexState, hasPod, isActive } from '../../../shared/domain/scoreboard/index-record.ts';
import type { Transition } from '../../../shared/domain/scoreboard/transition.ts';

/** What the committed transitions so far say of one index. */
export type Shadow = {
  readonly state: IndexState;
  readonly attempt: number;
  readonly nonce: number;
  readonly stopping: boolean;
  readonly podDeleted: boolean;
  readonly evicted: boolean;
  readonly overdue: boolean;
  readonly late: 'attempt' | 'index' | null;
  readonly wish: 'cancel' | 'requeue' | null;
  readonly held: boolean;
  /** When the Pod's first task ran, and when the index's first Pod was created, if that is recorded. */
  readonly ranSec: number | null;
  readonly launchedSec: number | null;
  /** When its Pod was created, if that is recorded with its claim. */
  readonly createdSec: number | null;
  readonly failures: number;
  readonly ignored: number;
  readonly losses: number;
  readonly restarts: number;
  /** Those of the attempts before, too. */
  readonly allRestarts: number;
  readonly unstartedSince: EpochMs | null;
  readonly notBefore: EpochMs | null;
};

const FRESH: Shadow = {
  state: 'pending',
  attempt: 0,
  nonce: 0,
  stopping: false,
  podDeleted: false,
  evicted: false,
  overdue: false,
  late: null,
  wish: null,
  held: false,
  ranSec: null,
  launchedSec: null,
  createdSec: null,
  failures: 0,
  ignored: 0,
  losses: 0,
  restarts: 0,
  allRestarts: 0,
  unstartedSince: null,
  notBefore: null,
};

/** The indexes of a Job that never run in it. */
export type Unrun = { readonly inherited: ReadonlySet<number>; readonly excluded: ReadonlySet<number> };

/** A board that the watchdog keeps itself, for the board's own code is what it watches. */
export class ShadowBoard {
  /** With those that are inherited. */
  readonly succeeded: Set<number>;
  readonly unrun: Unrun;
  readonly failed = new Set<number>();
  /** Those that never run: from the start, or since a user has given them up. */
  readonly excluded: Set<number>;
  /** Attempts that count as failed. */
  failures = 0;
  /** Without a Pod, and held back. */
  held = 0;
  /** Of the Pods that there are. */
  restarts = 0;
  readonly counts = { starting: 0, running: 0, waiting: 0, stopping: 0 };
  readonly #records = new Map<number, Shadow>();
  readonly #withPod = new Set<number>();
  /** Of `#withPod`; null: it has changed since they were asked for. Checks of one commit ask several times. */
  #pods: readonly (Shadow & { readonly index: number })[] | null = null;

  constructor(unrun: Unrun) {
    this.unrun = unrun;
    this.succeeded = new Set(unrun.inherited);
    this.excluded = new Set(unrun.excluded);
  }

  at(index: number): Shadow {
    return this.#records.get(index) ?? this.#atFirst(index);
  }

  #atFirst(index: number): Shadow {
    if (this.unrun.inherited.has(index)) return { ...FRESH, state: 'succeeded' };
    return this.unrun.excluded.has(index) ? { ...FRESH, state: 'excluded' } : FRESH;
  }

  /** Takes one committed step; what it stepped from is returned. */
  step(transition: Transition): Shadow {
    const { index } = transition;
    const before = this.at(index);
    const after = stepped(before, transition);
    this.#records.set(index, after);
    this.#pods = null;
    if (hasPod(after.state)) this.#withPod.add(index);
    else this.#withPod.delete(index);
    this.#count(before, -1);
    this.#count(after, 1);
    this.restarts += after.restarts - before.restarts;
    // A retry forgets the failures of an index, not those of its Job.
    if (transition.op !== 'retry') this.failures += after.failures - before.failures;
    if (transition.op === 'retry') this.failed.delete(index);
    if (after.state === 'succeeded') this.succeeded.add(index);
    if (after.state === 'failed') this.failed.add(index);
    if (after.state === 'excluded') this.excluded.add(index);
    this.held += Number(isHeld(after)) - Number(isHeld(before));
    return before;
  }

  /** Each of these steps with the nonce that it is about, if they are taken one after the other. */
  launchesOf(steps: readonly Transition[]): readonly (Transition & { readonly nonce: number })[] {
    const shadows = new Map<number, Shadow>();
    return steps.map((step) => {
      const before = shadows.get(step.index) ?? this.at(step.index);
      const after = stepped(before, step);
      shadows.set(step.index, after);
      return { ...step, nonce: step.op === 'claim' ? after.nonce : before.nonce };
    });
  }

  /** Attempts that have a Pod now. */
  pods(): readonly (Shadow & { readonly index: number })[] {
    return (this.#pods ??= Array.from(this.#withPod, (index) => ({ index, ...this.at(index) })));
  }

  /** Whatever has been stepped and is not settled. */
  open(): IterableIterator<[number, Shadow]> {
    return this.#records.entries();
  }

  #count(shadow: Shadow, by: 1 | -1): void {
    const { state } = shadow;
    if (state === 'claimed' || state === 'launched') this.counts.starting += by;
    if (state === 'running' || state === 'waiting') this.counts[state] += by;
    if (isActive(state) && (shadow.stopping || shadow.podDeleted || shadow.late !== null)) this.counts.stopping += by;
  }
}

const isHeld = ({ state, held }: Shadow): boolean => held && state === 'pending';

/** Of an index that has no attempt any more. */
const OVER = { held: false, launchedSec: null } as const;

function stepped(r: Shadow, t: Transition): Shadow {
  const over = {
    ...r,
    stopping: false,
    podDeleted: false,
    evicted: false,
    overdue: false,
    late: null,
    wish: null,
    ranSec: null,
    createdSec: null,
    restarts: 0,
    unstartedSince: null,
    notBefore: null,
  };
  switch (t.op) {
    case 'claim':
      return {
        ...over,
        state: 'claimed',
        attempt: t.attempt,
        nonce: 0,
        createdSec: t.podCreatedSec ?? null,
        launchedSec: r.launchedSec ?? t.launchedSec ?? null,
      };
    case 'relaunch':
      return { ...r, state: 'claimed', notBefore: null };
    case 'renonce':
      return { ...r, nonce: r.nonce + 1 };
    case 'launched':
      return { ...r, state: 'launched' };
    case 'running':
      return { ...r, state: 'running', unstartedSince: null, ranSec: r.ranSec ?? t.ranSec ?? null };
    case 'stopping':
      return { ...r, stopping: true };
    case 'podDeleted':
      return { ...r, podDeleted: true };
    case 'evicted':
      return { ...r, podDeleted: true, evicted: true };
    case 'overdue':
      return { ...r, podDeleted: true, overdue: true };
    case 'restart':
      return {
        ...r,
        state: 'waiting',
        nonce: r.nonce + 1,
        restarts: r.restarts + 1,
        allRestarts: r.allRestarts + 1,
        notBefore: t.notBefore,
      };
    case 'unstarted':
      return {
        ...r,
        state: 'waiting',
        nonce: r.nonce + 1,
        unstartedSince: r.unstartedSince ?? t.since,
        notBefore: t.notBefore,
      };
    case 'late':
      return { ...r, late: 'attempt' };
    case 'lateIndex':
      return { ...r, late: 'index' };
    case 'cancel':
      return { ...r, wish: 'cancel', held: false, stopping: r.stopping || !(r.podDeleted || r.late !== null) };
    case 'requeue':
      return { ...r, wish: 'requeue', stopping: true };
    case 'hold':
      return { ...r, held: true };
    case 'release':
      return { ...r, held: false };
    case 'succeeded':
      return { ...over, ...OVER, state: 'succeeded' };
    case 'failedForGood':
      return { ...over, ...OVER, state: 'failed', failures: r.failures + 1 };
    case 'expire':
      return { ...over, ...OVER, state: 'failed' };
    case 'exclude':
      return { ...over, ...OVER, state: 'excluded' };
    case 'retry':
      return { ...over, state: 'pending', failures: 0, ignored: 0, losses: 0 };
    case 'failed':
    case 'ignored':
    case 'lost':
    case 'lostToSpot':
    case 'released': {
      const counts = {
        failures: r.failures + Number(t.op === 'failed'),
        ignored: r.ignored + Number(t.op === 'ignored'),
        losses: r.losses + Number(t.op === 'lost' || t.op === 'lostToSpot'),
      };
      if (r.wish === 'cancel') return { ...over, ...OVER, ...counts, state: 'excluded' };
      return { ...over, ...counts, state: 'pending', notBefore: t.op === 'released' ? null : t.notBefore };
    }
    case 'lingers':
    case 'removed':
      return r;
    default:
      return t satisfies never;
  }
}
