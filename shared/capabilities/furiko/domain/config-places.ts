import type { JobUid } from '../../../domain/base/ids.ts';
import { type EpochMs, plusMs } from '../../../domain/base/time.ts';
import { withCronEvent } from '../../../domain/schedulers/scheduler-event.ts';
import { type ConfigPlace, type ConfigState, isActive, isQueued } from './config-state.ts';
import type { ConcurrencyPolicy } from './furiko-job.ts';
import type { JobConfigSpec } from './job-config.ts';

/** Jobs that wait because of their policy, as Furiko's `maxEnqueuedJobs`. */
export const QUEUE_MAX = 20;
/** All of a JobConfig: its row has to hold them. */
export const PLACES_MAX = 1_000;
/** A request that has taken a place has stored its Job by then, or is dead. */
export const PLACE_GRACE_MS = 120_000;

export type PlaceWish = Pick<ConfigPlace, 'uid' | 'name' | 'policy' | 'slot' | 'startAfter' | 'at'>;

export type TakenPlace =
  | { readonly kind: 'active' | 'queued'; readonly state: ConfigState }
  | { readonly kind: 'refused'; readonly reason: 'Forbidden' | 'QueueFull' | 'TooMany'; readonly message: string };

type Concurrency = JobConfigSpec['concurrency'];

/** How many Jobs may be active at once; a Job of its own policy may ask where its JobConfig does not. */
const maxOf = ({ maxConcurrency = 1 }: Concurrency): number => maxConcurrency;

const isDue = ({ startAfter }: Pick<ConfigPlace, 'startAfter'>, now: EpochMs): boolean =>
  startAfter === null || startAfter <= now;

/**
 * A place for a new Job (furiko.md 6): `active`, it starts at once; `queued`, it waits for its turn or its time. Who asks again with
 * the same uid gets the same answer.
 */
export function takePlace(state: ConfigState, wish: PlaceWish, concurrency: Concurrency, now: EpochMs): TakenPlace {
  const known = state.places.find(({ uid }) => uid === wish.uid);
  if (known !== undefined) return { kind: isQueued(known) ? 'queued' : 'active', state };
  if (state.places.length >= PLACES_MAX)
    return { kind: 'refused', reason: 'TooMany', message: `${count(PLACES_MAX, 'unfinished Job')} at most` };
  const stage = stageOf(state, wish, concurrency, now);
  if (typeof stage === 'object') return stage;
  const place: ConfigPlace = { ...wish, stage, isStored: false, startTime: null };
  return { kind: stage === 'queued' ? 'queued' : 'active', state: { ...state, places: [...state.places, place] } };
}

function stageOf(
  { places }: ConfigState,
  wish: PlaceWish,
  concurrency: Concurrency,
  now: EpochMs,
): 'queued' | 'starting' | Extract<TakenPlace, { kind: 'refused' }> {
  const max = maxOf(concurrency);
  const active = places.filter(isActive).length;
  const queued = places.filter((each) => isQueued(each) && each.policy === 'Enqueue');
  // Those that are about to start come first.
  const next = queued.filter((each) => isDue(each, now)).length;
  const isFree = active + next < max;
  switch (wish.policy) {
    case 'Allow':
      return isDue(wish, now) ? 'starting' : 'queued';
    case 'Forbid':
      if (!isDue(wish, now)) return 'queued';
      return isFree ? 'starting' : { kind: 'refused', reason: 'Forbidden', message: forbidden(active, max) };
    case 'Enqueue':
      if (isDue(wish, now) && isFree && next === 0) return 'starting';
      if (queued.length < QUEUE_MAX) return 'queued';
      return { kind: 'refused', reason: 'QueueFull', message: `the queue is full: ${QUEUE_MAX} Jobs wait already` };
  }
}

const forbidden = (active: number, max: number): string =>
  `concurrency policy is Forbid: ${count(active, 'Job')} active, ${max} at most`;

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

/** The state without a place; the same state if there is none. */
export function withoutPlace(state: ConfigState, uid: JobUid): ConfigState {
  const places = state.places.filter((each) => each.uid !== uid);
  return places.length === state.places.length ? state : { ...state, places };
}

/** Moves those whose turn and time have come to `starting`, in the order of their places. */
export function startNext(state: ConfigState, concurrency: Concurrency, now: EpochMs): ConfigState {
  const max = maxOf(concurrency);
  let active = state.places.filter(isActive).length;
  let isHeldBack = false;
  let lastExecutedAt = state.lastExecutedAt;
  const stageNow = (place: ConfigPlace): ConfigPlace['stage'] => {
    const { policy, isStored, stage } = place;
    if (!isQueued(place) || !isDue(place, now)) return stage;
    if (policy === 'Allow') return isStored ? 'starting' : stage;
    const mayStart = !isHeldBack && active < max;
    if (policy === 'Forbid') return isStored ? (mayStart ? 'starting' : 'rejected') : stage;
    // A place whose Job has not come yet keeps its order.
    if (mayStart && isStored) return 'starting';
    isHeldBack = true;
    return stage;
  };
  const places = state.places.map((place) => {
    const stage = stageNow(place);
    if (stage === place.stage) return place;
    if (stage === 'starting') {
      active++;
      lastExecutedAt = now;
    }
    return { ...place, stage };
  });
  return active === state.places.filter(isActive).length && places.every((each, i) => each === state.places[i])
    ? state
    : { ...state, places, lastExecutedAt };
}

/** A Job as it is now. `waiting`: stored, suspended, and never started. `over`: ended, and nothing of it runs. */
export type ConfigJob = {
  readonly kind: 'waiting' | 'live' | 'over';
  readonly name: string;
  readonly policy: ConcurrencyPolicy;
  readonly startAfter: EpochMs | null;
  readonly createdAt: EpochMs;
  readonly startTime: EpochMs | null;
};

/** Jobs of a JobConfig that were looked at; null: there is none of that uid. */
export type ConfigJobs = ReadonlyMap<JobUid, ConfigJob | null>;

/** The state after a look at its Jobs: which have come, begun, ended, or are gone, and which have no place. */
export function observePlaces(before: ConfigState, jobs: ConfigJobs, now: EpochMs): ConfigState {
  let state: ConfigState = {
    ...before,
    places: before.places.flatMap((place) => {
      const seen = jobs.get(place.uid);
      const next = seen === undefined ? place : placeNow(place, seen, now);
      return next === null ? [] : [next];
    }),
    lastExecutedAt: latestStart(before, jobs, now),
  };
  for (const [uid, seen] of jobs) {
    if (seen === null || seen.kind === 'over' || before.places.some((each) => each.uid === uid)) continue;
    const { name, policy, startAfter, createdAt: at, startTime, kind } = seen;
    const stage = kind === 'waiting' ? 'queued' : 'active';
    const place: ConfigPlace = { uid, name, policy, slot: null, startAfter, at, stage, isStored: true, startTime };
    state = { ...state, places: [...state.places, place] };
    const message = `Saw a job that had no place: ${name}`;
    state = withCronEvent(state, { type: 'Warning', reason: 'UnexpectedJob', message }, now);
  }
  return state;
}

/** null: the place is free. */
function placeNow(place: ConfigPlace, seen: ConfigJob | null, now: EpochMs): ConfigPlace | null {
  if (seen === null) {
    const isAwaited = !place.isStored && (place.slot !== null || now < plusMs(place.at, PLACE_GRACE_MS));
    return isAwaited ? place : null;
  }
  switch (seen.kind) {
    case 'over':
      return null;
    case 'waiting': {
      // It was let in, but still waits: it is resumed again.
      const stage = place.stage === 'active' ? 'starting' : place.stage;
      return place.isStored && stage === place.stage ? place : { ...place, isStored: true, stage };
    }
    case 'live': {
      const { startTime } = seen;
      const isSame = place.isStored && place.stage === 'active' && place.startTime === startTime;
      return isSame ? place : { ...place, isStored: true, stage: 'active', startTime };
    }
  }
}

/** A Job that was just let in may not know yet when it started. */
function latestStart({ lastExecutedAt, places }: ConfigState, jobs: ConfigJobs, now: EpochMs): EpochMs | null {
  let latest = lastExecutedAt;
  for (const { uid, stage } of places) {
    const seen = jobs.get(uid);
    const startTime = seen?.startTime ?? (seen?.kind === 'live' && stage !== 'active' ? now : null);
    if (startTime !== null && (latest === null || startTime > latest)) latest = startTime;
  }
  return latest;
}
