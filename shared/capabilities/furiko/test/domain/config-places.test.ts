import { describe, expect, it } from 'vitest';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../../../domain/base/time.ts';
import {
  type ConfigJob,
  PLACES_MAX,
  PLACE_GRACE_MS,
  QUEUE_MAX,
  observePlaces,
  startNext,
  takePlace,
  withoutPlace,
} from '../../domain/config-places.ts';
import { type ConfigState, FRESH_CONFIG } from '../../domain/config-state.ts';
import type { ConcurrencyPolicy } from '../../domain/furiko-job.ts';

const T0 = asEpochMs(Date.parse('2026-01-01T10:00:00Z'));
const at = (seconds: number): EpochMs => plusMs(T0, seconds * 1000);

type Concurrency = { readonly policy: ConcurrencyPolicy; readonly maxConcurrency?: number };
const ONE: Concurrency = { policy: 'Enqueue', maxConcurrency: 1 };

const wish = (uid: string, policy: ConcurrencyPolicy, startAfter: EpochMs | null = null) => ({
  uid: asJobUid(uid),
  name: `${uid}-name`,
  policy,
  slot: null,
  startAfter,
  at: T0,
});

/** Places of these Jobs, all of whose Jobs are stored. */
function stateOf(
  ...given: readonly (readonly [string, 'queued' | 'starting' | 'active', ConcurrencyPolicy?])[]
): ConfigState {
  const places = given.map(([uid, stage, policy = 'Enqueue']) => ({
    ...wish(uid, policy),
    stage,
    isStored: true,
    startTime: null,
  }));
  return { ...FRESH_CONFIG, places };
}

const shown = ({ places }: ConfigState): string => places.map(({ uid, stage }) => `${uid} ${stage}`).join(', ');

const seen = (kind: ConfigJob['kind'], wished: Partial<ConfigJob> = {}): ConfigJob => ({
  kind,
  name: 'j-name',
  policy: 'Enqueue',
  startAfter: null,
  createdAt: T0,
  startTime: null,
  ...wished,
});
const jobs = (...all: readonly (readonly [string, ConfigJob | null])[]) =>
  new Map(all.map(([uid, job]) => [asJobUid(uid), job] as const));

describe('taking a place', () => {
  it.each<[ConcurrencyPolicy, ConfigState, Concurrency, string]>([
    ['Allow', stateOf(['a', 'active'], ['b', 'active']), { policy: 'Allow' }, 'active'],
    ['Forbid', stateOf(), { policy: 'Forbid', maxConcurrency: 1 }, 'active'],
    ['Forbid', stateOf(['a', 'active']), { policy: 'Forbid', maxConcurrency: 1 }, 'refused'],
    ['Forbid', stateOf(['a', 'starting']), { policy: 'Forbid', maxConcurrency: 1 }, 'refused'],
    ['Forbid', stateOf(['a', 'active']), { policy: 'Forbid', maxConcurrency: 2 }, 'active'],
    // Who waits is about to start.
    ['Forbid', stateOf(['a', 'queued']), ONE, 'refused'],
    ['Enqueue', stateOf(), ONE, 'active'],
    ['Enqueue', stateOf(['a', 'active']), ONE, 'queued'],
    ['Enqueue', stateOf(['a', 'queued']), ONE, 'queued'],
    ['Enqueue', stateOf(['a', 'queued']), { policy: 'Enqueue', maxConcurrency: 9 }, 'queued'],
    ['Enqueue', stateOf(['a', 'active', 'Allow']), ONE, 'queued'],
    // Of its own policy, in a JobConfig that allows any number.
    ['Enqueue', stateOf(['a', 'active']), { policy: 'Allow' }, 'queued'],
    ['Enqueue', stateOf(['a', 'active']), { policy: 'Enqueue', maxConcurrency: 2 }, 'active'],
  ])('%s: beside %o, in %o: %s', (policy, state, concurrency, kind) => {
    expect(takePlace(state, wish('new', policy), concurrency, T0).kind).toBe(kind);
  });

  it.each(['Allow', 'Forbid', 'Enqueue'] as const)('%s waits for its time', (policy) => {
    expect(takePlace(FRESH_CONFIG, wish('new', policy, at(1)), ONE, T0).kind).toBe('queued');
    expect(takePlace(FRESH_CONFIG, wish('new', policy, at(1)), ONE, at(1)).kind).toBe('active');
  });

  it('gives the same uid the same place, however often it asks', () => {
    const first = takePlace(stateOf(['a', 'active']), wish('new', 'Enqueue'), ONE, T0);
    if (first.kind === 'refused') throw new Error(first.message);
    const again = takePlace(first.state, wish('new', 'Enqueue'), ONE, at(100));
    expect(again).toEqual({ kind: 'queued', state: first.state });
  });

  it('refuses the 21st that waits, but not one that waits for its time only', () => {
    let state = stateOf(['a', 'active']);
    for (let n = 0; n < QUEUE_MAX; n++) {
      const taken = takePlace(state, wish(`q${n}`, 'Enqueue'), ONE, T0);
      if (taken.kind === 'refused') throw new Error(taken.message);
      state = taken.state;
    }
    expect(takePlace(state, wish('late', 'Enqueue'), ONE, T0)).toEqual({
      kind: 'refused',
      reason: 'QueueFull',
      message: 'the queue is full: 20 Jobs wait already',
    });
    expect(takePlace(state, wish('late', 'Allow', at(5)), ONE, T0).kind).toBe('queued');
    const freed = withoutPlace(state, asJobUid('q3'));
    expect(takePlace(freed, wish('late', 'Enqueue'), ONE, T0).kind).toBe('queued');
  });

  it('refuses more than a row can hold', () => {
    const state = stateOf(...Array.from({ length: PLACES_MAX }, (_, n) => [`a${n}`, 'active'] as const));
    expect(takePlace(state, wish('new', 'Allow'), { policy: 'Allow' }, T0)).toMatchObject({ kind: 'refused' });
  });
});

describe('whose turn it is', () => {
  const TWO: Concurrency = { policy: 'Enqueue', maxConcurrency: 2 };
  const waiting = stateOf(['a', 'active'], ['b', 'queued'], ['c', 'queued']);

  it('is the oldest', () => {
    expect(shown(startNext(waiting, TWO, T0))).toBe('a active, b starting, c queued');
    expect(startNext(waiting, ONE, T0)).toBe(waiting);
  });
  it('is not that of one whose time has not come: others go on', () => {
    const places = waiting.places.map((each) => (each.uid === 'b' ? { ...each, startAfter: at(9) } : each));
    expect(shown(startNext({ ...waiting, places }, TWO, T0))).toBe('a active, b queued, c starting');
    expect(shown(startNext({ ...waiting, places }, TWO, at(9)))).toBe('a active, b starting, c queued');
  });
  it('waits for one whose Job is still to come', () => {
    const places = waiting.places.map((each) => (each.uid === 'b' ? { ...each, isStored: false } : each));
    expect(shown(startNext({ ...waiting, places }, TWO, T0))).toBe('a active, b queued, c queued');
  });
  it('is that of no Job too many, if the limit was lowered', () => {
    const many = stateOf(['a', 'active'], ['b', 'active'], ['c', 'queued']);
    expect(shown(startNext(many, ONE, T0))).toBe('a active, b active, c queued');
  });
  it('comes to a Job of policy Forbid once, when its time comes', () => {
    const forbidden = stateOf(['a', 'active'], ['b', 'queued', 'Forbid']);
    expect(shown(startNext(forbidden, TWO, T0))).toBe('a active, b starting');
    expect(shown(startNext(forbidden, ONE, T0))).toBe('a active, b rejected');
  });
  it('comes to any number of policy Allow', () => {
    const allowed = stateOf(['a', 'active'], ['b', 'queued', 'Allow'], ['c', 'queued', 'Allow']);
    expect(shown(startNext(allowed, ONE, T0))).toBe('a active, b starting, c starting');
  });
  it('says when a Job has started last', () => {
    expect(startNext(waiting, TWO, at(7)).lastExecutedAt).toBe(at(7));
  });
});

describe('what is seen of Jobs', () => {
  it('frees the places of those that have ended or are gone', () => {
    const state = stateOf(['a', 'active'], ['b', 'queued'], ['c', 'active']);
    const after = observePlaces(state, jobs(['a', seen('over')], ['b', null]), T0);
    expect(shown(after)).toBe('c active');
  });
  it('keeps a place until its Job must have come', () => {
    const taken = takePlace(FRESH_CONFIG, wish('a', 'Enqueue'), ONE, T0);
    if (taken.kind === 'refused') throw new Error(taken.message);
    const later = (ms: number) => observePlaces(taken.state, jobs(['a', null]), plusMs(T0, ms));
    expect(shown(later(PLACE_GRACE_MS - 1))).toBe('a starting');
    expect(shown(later(PLACE_GRACE_MS))).toBe('');
  });
  it('knows who has been let in only when the Job says so', () => {
    const state = stateOf(['a', 'starting']);
    expect(shown(observePlaces(state, jobs(['a', seen('waiting')]), T0))).toBe('a starting');
    expect(shown(observePlaces(state, jobs(['a', seen('live')]), T0))).toBe('a active');
    expect(shown(observePlaces(stateOf(['a', 'active']), jobs(['a', seen('waiting')]), T0))).toBe('a starting');
    expect(shown(observePlaces(stateOf(['a', 'queued']), jobs(['a', seen('live')]), T0))).toBe('a active');
  });
  it('gives one without a place the last', () => {
    const state = stateOf(['a', 'active']);
    const after = observePlaces(state, jobs(['x', seen('waiting')], ['y', seen('over')], ['z', null]), T0);
    expect(shown(after)).toBe('a active, x queued');
    expect(after.events.map(({ reason }) => reason)).toEqual(['UnexpectedJob']);
  });
  it('learns when they started', () => {
    const after = observePlaces(stateOf(['a', 'active']), jobs(['a', seen('over', { startTime: at(3) })]), at(9));
    expect(after.lastExecutedAt).toBe(at(3));
  });
});
