import type { JobUid } from '../../../domain/base/ids.ts';
import { type EpochMs, asEpochMs, asTime, later, plusMs, soonest } from '../../../domain/base/time.ts';
import { type CronEvent, withCronEvent } from '../../../domain/schedulers/scheduler-event.ts';
import type { ClaimOutcome } from '../../../domain/schedulers/claim-outcome.ts';
import { type ConfigJobs, observePlaces, startNext, takePlace, withoutPlace } from './config-places.ts';
import { DOWNTIME_MAX_MS, configSlots, dueSlots } from './config-slots.ts';
import { type ConfigPlace, type ConfigState, isQueued, isUnsettled } from './config-state.ts';
import type { JobConfigSpec } from './job-config.ts';
import { scheduledJobName } from './scheduled-job.ts';

/** A JobConfig as its users see it. */
export type ConfigView = {
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly isDeleted: boolean;
  readonly spec: Pick<JobConfigSpec, 'concurrency' | 'schedule'>;
};

export type ConfigInput = {
  readonly config: ConfigView;
  readonly state: ConfigState;
  /** Jobs that were looked at: at least those of unsettled places, and those that were reported. */
  readonly jobs: ConfigJobs;
  /** What came of the slots' Jobs that the state wants to be created. */
  readonly outcomes: ReadonlyMap<JobUid, ClaimOutcome>;
  readonly now: EpochMs;
  /** The uid of a slot's Job. */
  readonly uidOf: (slot: EpochMs) => JobUid;
};

/** What follows once the state is committed; each may be repeated. */
export type ConfigPlan = {
  readonly state: ConfigState;
  /** When to look again; null: nothing is to come. */
  readonly alarmAt: EpochMs | null;
  /** Slots whose Job is to be created. */
  readonly create: readonly ConfigPlace[];
  /** Jobs that may start now. */
  readonly start: readonly ConfigPlace[];
  /** Jobs that never start. */
  readonly reject: readonly ConfigPlace[];
};

/** What is unsettled is looked at again, and so is a queue. */
const LOOK_SOON_MS = 60_000;
/** The end of a Job is reported; if the report is lost, somebody looks. */
const LOOK_EVERY_MS = 600_000;

/**
 * One look at a JobConfig (furiko.md 6): what has become of its Jobs, which of those that wait may start, and which slots get a Job.
 * A plan is committed first; then Jobs are created and started. A scheduler that dies in between leaves places that say so.
 */
export function planConfig(input: ConfigInput): ConfigPlan {
  const { config, jobs, now } = input;
  const seen = observePlaces(settle(input), jobs, now);
  const { state, nextAt } = config.isDeleted
    ? { state: seen, nextAt: null }
    : takeSlots(startNext(seen, config.spec.concurrency, now), input);
  const { places } = state;
  return {
    state,
    alarmAt: soonest(nextAt, lookAt(places, now)),
    create: config.isDeleted ? [] : places.filter(isToBeCreated),
    start: config.isDeleted ? [] : places.filter(({ stage, isStored }) => stage === 'starting' && isStored),
    reject: places.filter(({ stage }) => stage === 'rejected'),
  };
}

/** The scheduler owes it a Job. */
export const isToBeCreated = ({ slot, isStored }: ConfigPlace): boolean => slot !== null && !isStored;

function lookAt(places: readonly ConfigPlace[], now: EpochMs): EpochMs | null {
  const times = places.map((place): EpochMs => {
    if (isUnsettled(place)) return plusMs(now, LOOK_SOON_MS);
    if (!isQueued(place)) return plusMs(now, LOOK_EVERY_MS);
    return place.startAfter !== null && place.startAfter > now ? place.startAfter : plusMs(now, LOOK_SOON_MS);
  });
  return times.reduce<EpochMs | null>(soonest, null);
}

/** What came of the Jobs that were to be created. */
function settle({ state: before, outcomes, now }: ConfigInput): ConfigState {
  let state = before;
  for (const { uid, name, slot } of before.places.filter(isToBeCreated)) {
    const outcome = outcomes.get(uid);
    if (outcome === undefined || slot === null) continue;
    if (outcome.kind === 'created') {
      const places = state.places.map((each) => (each.uid === uid ? { ...each, isStored: true } : each));
      const lastScheduledAt = later(slot, state.lastScheduledAt ?? slot);
      state = withCronEvent(
        { ...state, places, lastScheduledAt },
        normal('SuccessfulCreate', `Created job ${name}`),
        now,
      );
    } else {
      const event = warning('FailedCreate', `Error creating job ${name}: ${outcome.message}`);
      state = withCronEvent(withoutPlace(state, uid), event, now);
    }
  }
  return state;
}

type Scheduled = { readonly state: ConfigState; readonly nextAt: EpochMs | null };

/** What the schedule asks for now: each slot that is due takes a place, or is skipped and said so. */
function takeSlots(before: ConfigState, { config, now, uidOf }: ConfigInput): Scheduled {
  const slots = configSlots(config, config.spec.schedule);
  if (slots.kind === 'none') return { state: before, nextAt: null };
  if (slots.kind === 'bad')
    return { state: said(before, warning('InvalidSchedule', slots.message), now), nextAt: null };
  const since = Math.max(slots.from, before.passedAt ?? config.createdAt, before.lastScheduledAt ?? 0);
  const { due, skipped, tooLate, next } = dueSlots(slots.next, asEpochMs(since), now);
  let state = before;
  if (tooLate) state = withCronEvent(state, TOO_LATE, now);
  if (skipped > 0) state = withCronEvent(state, tooMany(skipped), now);
  for (const slot of due) state = withSlot(state, slot, uidOf(slot), config, now);
  const newest = due.at(-1);
  // Those that are skipped lie between those that are made up for and the newest.
  if (newest !== undefined) state = { ...state, passedAt: skipped > 0 ? later(newest, now) : newest };
  else if (tooLate) state = { ...state, passedAt: plusMs(now, -DOWNTIME_MAX_MS) };
  return { state, nextAt: next };
}

function withSlot(state: ConfigState, slot: EpochMs, uid: JobUid, config: ConfigView, now: EpochMs): ConfigState {
  const { concurrency } = config.spec;
  const name = scheduledJobName(config.name, slot);
  const wish = { uid, name, policy: concurrency.policy, slot, startAfter: null, at: now };
  const taken = takePlace(state, wish, concurrency, now);
  if (taken.kind !== 'refused') return taken.state;
  return withCronEvent(state, warning('SkippedSchedule', `Skipped ${asTime(slot)}: ${taken.message}`), now);
}

type Said = Pick<CronEvent, 'type' | 'reason' | 'message'>;
const normal = (reason: string, message: string): Said => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): Said => ({ type: 'Warning', reason, message });

const TOO_LATE = warning(
  'MissSchedule',
  `Missed scheduled times more than ${DOWNTIME_MAX_MS / 1000} s ago: they are not made up for`,
);
const tooMany = (skipped: number): Said =>
  warning('TooManyMissedTimes', `too many missed start times: the ${skipped} after the first are not made up for`);

/** What stays true is said once. */
const said = (state: ConfigState, event: Said, at: EpochMs): ConfigState =>
  state.events.at(-1)?.message === event.message ? state : withCronEvent(state, event, at);
