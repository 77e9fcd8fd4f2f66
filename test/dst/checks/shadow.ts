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
  /** Attempts that count as failed. */
  failures = 0;
  /** Of the Pods that there are. */
  restarts = 0;
  readonly counts = { starting: 0, running: 0, waiting: 0, stopping: 0 };
  readonly #records = new Map<number, Shadow>();
  readonly #withPod = new Set<number>();

  constructor(unrun: Unrun) {
    this.unrun = unrun;
    this.succeeded = new Set(unrun.inherited);
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
    if (hasPod(after.state)) this.#withPod.add(index);
    else this.#withPod.delete(index);
    this.#count(before, -1);
    this.#count(after, 1);
    this.restarts += after.restarts - before.restarts;
    this.failures += after.failures - before.failures;
    if (after.state === 'succeeded') this.succeeded.add(index);
    if (after.state === 'failed') this.failed.add(index);
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
    return [...this.#withPod].map((index) => ({ index, ...this.at(index) }));
  }

  #count(shadow: Shadow, by: 1 | -1): void {
    const { state } = shadow;
    if (state === 'claimed' || state === 'launched') this.counts.starting += by;
    if (state === 'running' || state === 'waiting') this.counts[state] += by;
    if (isActive(state) && (shadow.stopping || shadow.podDeleted)) this.counts.stopping += by;
  }
}

function stepped(r: Shadow, t: Transition): Shadow {
  const over = {
    ...r,
    stopping: false,
    podDeleted: false,
    evicted: false,
    restarts: 0,
    unstartedSince: null,
    notBefore: null,
  };
  switch (t.op) {
    case 'claim':
      return { ...over, state: 'claimed', attempt: t.attempt, nonce: 0 };
    case 'relaunch':
      return { ...r, state: 'claimed', notBefore: null };
    case 'renonce':
      return { ...r, nonce: r.nonce + 1 };
    case 'launched':
      return { ...r, state: 'launched' };
    case 'running':
      return { ...r, state: 'running', unstartedSince: null };
    case 'stopping':
      return { ...r, stopping: true };
    case 'podDeleted':
      return { ...r, podDeleted: true };
    case 'evicted':
      return { ...r, podDeleted: true, evicted: true };
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
    case 'succeeded':
      return { ...over, state: 'succeeded' };
    case 'failed':
      return { ...over, state: 'pending', failures: r.failures + 1, notBefore: t.notBefore };
    case 'failedForGood':
      return { ...over, state: 'failed', failures: r.failures + 1 };
    case 'ignored':
      return { ...over, state: 'pending', ignored: r.ignored + 1, notBefore: t.notBefore };
    case 'lost':
    case 'lostToSpot':
      return { ...over, state: 'pending', losses: r.losses + 1, notBefore: t.notBefore };
    case 'released':
      return { ...over, state: 'pending' };
    default:
      return t satisfies never;
  }
}
