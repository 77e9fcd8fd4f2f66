import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import type { ClaimOutcome } from '../../../domain/schedulers/claim-outcome.ts';
import type { NextSlot } from '../../../domain/schedulers/next-slot.ts';
import { type CronEvent, withCronEvent } from '../../../domain/schedulers/scheduler-event.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { CronJobSpec } from './cron-manifest.ts';
import type { CronSchedule } from './cron-schedule.ts';
import { CATCH_UPS } from '../annotations/schedule-annotations.ts';
import type { CronRules } from './cron-rules.ts';
import type { CronClaim, CronState } from './cron-state.ts';
import { dueSlot } from './due-slot.ts';
import { slotName } from './job-of-slot.ts';
import { type ObservedJobs, activeJobs, observe, outdated } from './owned-jobs.ts';
import { type Slots, countedFrom, slotsOf } from './slots.ts';

/** A CronJob as its users see it. */
export type CronView = {
  readonly name: string;
  readonly createdAt: EpochMs;
  readonly isDeleted: boolean;
  readonly spec: Omit<CronJobSpec, 'jobTemplate'>;
  readonly rules: CronRules;
  /** What its status says, which somebody else may have written. */
  readonly lastScheduleAt: EpochMs | null;
};

export type CronInput = {
  readonly cron: CronView;
  readonly state: CronState;
  /** Every Job that the state lists, and those that were reported; a null value: it is gone. */
  readonly jobs: ObservedJobs;
  /** null: the claim, if there is one, was not tried in this pass. */
  readonly outcome: ClaimOutcome | null;
  readonly now: EpochMs;
  /** A slot's own delay, see {@link CronRules.jitterSec}. */
  readonly jitterMs: (slot: EpochMs) => number;
  /** The uid of a slot's Job. */
  readonly uidOf: (slot: EpochMs) => JobUid;
};

export type CronPlan = {
  readonly state: CronState;
  /** When to look again; null: nothing is to come. */
  readonly alarmAt: EpochMs | null;
  /** To be deleted: more than the history limits keep. */
  readonly prune: readonly JobUid[];
};

/** A claim that nobody has carried out is tried again. */
const CLAIM_AGAIN_MS = 60_000;
/** The end of a Job is reported; if the report is lost, somebody looks. */
const LOOK_EVERY_MS = 600_000;

/**
 * One look at a CronJob (kubernetes-job.md 8.3), in its order: what has become of its Jobs, which of them are deleted, and whether
 * one is to be created. A plan with a claim is committed first; then the Job is created; then another plan says what came of it.
 */
export function planCron(input: CronInput): CronPlan {
  const { cron, jobs, now } = input;
  const seen = observe(input.state, jobs, now);
  const prune = outdated(seen, cron.spec);
  const kept = { ...seen, jobs: seen.jobs.filter(({ uid }) => !prune.includes(uid)) };
  const settled = settle(kept, input);
  if (settled.claim !== null)
    return { state: settled, alarmAt: plusMs(later(settled.claim.at, now), CLAIM_AGAIN_MS), prune };
  const { state, nextAt } = schedule(settled, input);
  if (state.claim !== null) return { state, alarmAt: plusMs(now, CLAIM_AGAIN_MS), prune };
  const lookAt = state.jobs.some(({ end }) => end === null) ? plusMs(now, LOOK_EVERY_MS) : null;
  return { state, alarmAt: earliest(nextAt, lookAt), prune };
}

const later = (a: EpochMs, b: EpochMs): EpochMs => (a > b ? a : b);
const earliest = (a: EpochMs | null, b: EpochMs | null): EpochMs | null =>
  a === null ? b : b === null ? a : a < b ? a : b;

const RETRY_FIRST_MS = 10_000;
const RETRY_MAX_MS = 600_000;

/** What came of the claim. */
function settle(state: CronState, { outcome, now }: CronInput): CronState {
  const { claim } = state;
  if (claim === null || outcome === null) return state;
  const { slot, name, uid } = claim;
  const lastScheduleAt = later(slot, state.lastScheduleAt ?? slot);
  switch (outcome.kind) {
    case 'created': {
      const job = { uid, name, isListed: true, end: null };
      const jobs = [...state.jobs.filter((each) => each.uid !== uid), job];
      const created = { ...state, claim: null, retry: null, lastScheduleAt, jobs };
      return withCronEvent(created, normal('SuccessfulCreate', `Created job ${name}`), now);
    }
    case 'taken':
      return withCronEvent({ ...state, claim: null, retry: null, passedAt: slot }, refused(outcome.message), now);
    case 'refused': {
      const tries = state.retry?.slot === slot ? state.retry.tries + 1 : 1;
      const at = plusMs(now, Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (tries - 1)));
      return withCronEvent({ ...state, claim: null, retry: { slot, at, tries } }, refused(outcome.message), now);
    }
  }
}

const refused = (message: string) => warning('FailedCreate', `Error creating job: ${message}`);

type Scheduled = { readonly state: CronState; readonly nextAt: EpochMs | null };

/** What the schedule asks for now. */
function schedule(state: CronState, input: CronInput): Scheduled {
  const { cron, now } = input;
  const stopped = (event: Said | null): Scheduled => ({
    state: event === null ? state : withNewEvent(state, event, now),
    nextAt: null,
  });
  if (cron.isDeleted) return stopped(null);
  const { suspend, schedule: text } = cron.spec;
  const slots = slotsOf(cron.spec);
  // Of a suspended CronJob, Kubernetes checks the time zone and not the schedule.
  if (suspend && (slots.kind === 'slots' || slots.event !== 'UnknownTimeZone')) return stopped(null);
  if (slots.kind === 'none') return stopped(warning(slots.event, slots.reason));
  const said = slots.schedule.timeZone === null ? state : withNewEvent(state, unsupportedZone(text), now);
  return due(said, slots, input);
}

/** The start of a deadline, or of what has not been looked at yet. A deadline does not move the slots of `@every`. */
function floorOf(state: CronState, schedule: CronSchedule, { cron, now }: CronInput): EpochMs {
  const { startingDeadlineSeconds } = cron.spec;
  const since = [state.lastScheduleAt, state.passedAt, cron.lastScheduleAt].filter((each) => each !== null);
  const from = since.length === 0 ? cron.createdAt : asEpochMs(Math.max(...since));
  if (startingDeadlineSeconds === undefined) return from;
  return countedFrom(schedule, from, later(from, plusMs(now, -1000 * startingDeadlineSeconds)));
}

const MISSED_MAX = 100;
/** A Job that starts so late has caught up. */
const ON_TIME_MS = 60_000;

function due(state: CronState, slots: Extract<Slots, { kind: 'slots' }>, input: CronInput): Scheduled {
  const { cron, now, jitterMs } = input;
  const next = nextMinute(slots.next, state.lastScheduleAt);
  const firesAt = (slot: EpochMs | null): EpochMs | null => (slot === null ? null : plusMs(slot, jitterMs(slot)));
  const found = dueSlot(next, floorOf(state, slots.schedule, input), now);
  if (found.kind === 'never') return { state: withNewEvent(state, neverFires(cron.spec.schedule), now), nextAt: null };
  if (found.kind === 'none') return { state, nextAt: firesAt(found.next) };
  const { catchUp } = cron.rules;
  const isBounded = found.missed > MISSED_MAX;
  const said = isBounded ? withNewEvent(state, tooMany(found.missed), now) : state;
  const slot = catchUp === CATCH_UPS.all && !isBounded ? found.first : found.slot;
  const startAt = plusMs(slot, jitterMs(slot));
  if (startAt > now) return { state: said, nextAt: startAt };
  if (catchUp === CATCH_UPS.none && now - startAt > ON_TIME_MS)
    return { state: withCronEvent({ ...said, passedAt: slot }, missedOne(slot), now), nextAt: firesAt(found.next) };
  return start(said, slot, firesAt(found.next), input);
}

/** Slots are named by their minute: of those within one (`@every 10s`), the first has the Job. */
function nextMinute(next: NextSlot, last: EpochMs | null): NextSlot {
  const isOfLast = (slot: EpochMs | null): slot is EpochMs =>
    slot !== null && last !== null && minuteOf(slot) === minuteOf(last);
  return (after) => {
    let slot = next(after);
    while (isOfLast(slot)) slot = next(slot);
    return slot;
  };
}

const minuteOf = (at: EpochMs): number => Math.floor(at / 60_000);

/** Claims a slot that is due, unless the policy or a refusal stands against it. */
function start(state: CronState, slot: EpochMs, nextAt: EpochMs | null, input: CronInput): Scheduled {
  const { cron, now, uidOf } = input;
  if (state.retry?.slot === slot && state.retry.at > now) return { state, nextAt: earliest(state.retry.at, nextAt) };
  const active = activeJobs(state);
  const { concurrencyPolicy } = cron.spec;
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const said = withNewEvent(state, ALREADY_ACTIVE, now);
    return { state: said, nextAt };
  }
  const replaced = concurrencyPolicy === 'Replace' ? active : [];
  const claim: CronClaim = {
    slot,
    name: slotName(cron.name, slot),
    uid: uidOf(slot),
    at: now,
    replaces: replaced.map(({ uid }) => uid),
  };
  const gone = new Set(claim.replaces);
  const said = replaced.reduce(
    (each, { name }) => withCronEvent(each, normal('SuccessfulDelete', `Deleted job ${name}`), now),
    state,
  );
  return { state: { ...said, claim, jobs: said.jobs.filter(({ uid }) => !gone.has(uid)) }, nextAt: null };
}

type Said = Pick<CronEvent, 'type' | 'reason' | 'message'>;
const normal = (reason: string, message: string): Said => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): Said => ({ type: 'Warning', reason, message });

/** What stays true is said once, until a Job is created: an Event is a write of the row, and there may be many looks. */
function withNewEvent(state: CronState, event: Said, at: EpochMs): CronState {
  const created = state.events.findLastIndex(({ reason }) => reason === 'SuccessfulCreate');
  const isSaid = state.events
    .slice(created + 1)
    .some(({ reason, message }) => reason === event.reason && (message === event.message || reason === TOO_MANY));
  return isSaid ? state : withCronEvent(state, event, at);
}

const ALREADY_ACTIVE = normal(
  'JobAlreadyActive',
  'Not starting job because prior execution is running and concurrency policy is Forbid',
);
const unsupportedZone = (schedule: string): Said =>
  warning(
    'UnsupportedSchedule',
    `CRON_TZ or TZ used in schedule ${JSON.stringify(schedule)} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details`,
  );
/** Its message counts. */
const TOO_MANY = 'TooManyMissedTimes';
const tooMany = (missed: number): Said =>
  warning(
    TOO_MANY,
    `too many missed start times: ${missed}. Set or decrease .spec.startingDeadlineSeconds or check clock skew`,
  );
const neverFires = (schedule: string): Said =>
  warning('InvalidSchedule', `invalid schedule: ${JSON.stringify(schedule)} : it never fires`);
const missedOne = (slot: EpochMs): Said =>
  warning(
    'MissSchedule',
    `Missed scheduled time to start a job: ${new Date(slot).toUTCString().replace('GMT', '+0000')}`,
  );
