import { type EpochMs, plusMs, soonest } from '../base/time.ts';
import { type Folding, extendJournal, foldJournal } from '../scoreboard/journal.ts';
import { type Phase, type Status, isEnding, isOver } from '../scoreboard/status.ts';
import type { Transition } from '../scoreboard/transition.ts';
import { type JobSpec, startsAt } from '../manifests/job.ts';
import { deadlineOf } from './decide-phase.ts';
import { withJobEvents } from '../events/job-events.ts';
import type { Pass } from './pass.ts';
import type { Plan } from './plan.ts';
import { actionsOf } from './plan-actions.ts';
import type { Attempts } from './plan-attempts.ts';
import { gangDueAt } from '../scoreboard/gang.ts';
import { lateAt } from '../scoreboard/deadlines.ts';
import { startDueAt } from '../scoreboard/start-timeout.ts';
import { lookAgainAt } from '../upstreams/upstreams.ts';
import { planAlarm, planPublication, withCheck } from './plan-wakes.ts';
import { planAnnouncement, withStateChange } from '../scoreboard/state-changes.ts';

/** What is stored if anything has changed, what is requested after that, and when the next pass is due. */
export function planCommit(pass: Pass, attempts: Attempts): Plan {
  const { job, read, status, now, timing, rules } = pass;
  const { board, folded, phase, launches, inspection } = attempts;
  const folding = foldJournal(board, extendJournal(status.journal, board.transitions), status.published.seq);
  const decided = withJobEvents(status, statusAfter(pass, attempts, folding), job);
  const next =
    rules.announces && !job.spec.barePod ? withStateChange(status, decided) : { ...decided, unannounced: null };
  const changed = differs(read, next, board.transitions);
  const ttl = planTtl(job.spec, phase, now);
  const wakeAt = soonest(nextWakeAt(pass, attempts, folding), ttl.wakeAt);
  const publication = planPublication(status, phase, changed, now, timing);
  const announcement = planAnnouncement(next.unannounced, next.unannounced !== status.unannounced, now, timing);
  const dueAt = [publication.wakeAt, announcement.unannounced?.dueAt ?? null].reduce(soonest, wakeAt);
  const alarm = planAlarm(status.alarms, dueAt, publication.checkAt, now);
  const alarms = isOver(phase) ? withCheck(alarm.alarms, publication.checkAt) : alarm.alarms;
  const commits = changed || announcement.now || alarms.length !== read.alarms.length || alarm.send !== null;
  // A commit that changes nothing visible to users needs no publication of its own.
  const seen = !changed && status.published.version >= status.version;
  const published = seen ? { ...status.published, version: next.version } : status.published;
  return {
    status: commits ? { ...next, alarms, published, unannounced: announcement.unannounced } : null,
    folds: commits ? folding.folds : [],
    ended: folded.ended,
    // Another try to announce it must not keep a deleted Job's rows for another month.
    expire: phase.kind === 'deleted' && commits && !(status.phase.kind === 'deleted' && announcement.now),
    outlived: ttl.outlived,
    inBackoff: launches.inBackoff,
    actions: [
      ...actionsOf(pass, attempts),
      ...(inspection.isDue ? [{ kind: 'inspect' } as const] : []),
      ...(alarm.send === null ? [] : [{ kind: 'wake', at: alarm.send } as const]),
    ],
    deferred: folded.deferred,
    publish: publication.now,
    announce: announcement.now,
    counted: folded.counted,
  };
}

/** The next version, unless only the alarm and the publication change. */
function statusAfter({ job, status, now, upstreams }: Pass, attempts: Attempts, folding: Folding): Status {
  const { board, folded, phase, stops, resent, inspection, startTime, resumedAt, endedSuspendedSince } = attempts;
  const { alarms, events, relabelled, published, unannounced } = status;
  return {
    version: status.version + 1,
    revision: job.revision,
    phase,
    startTime,
    resumedAt,
    endedSuspendedSince,
    size: board.size,
    chunks: folding.chunks,
    failed: folded.failed + stops.failed,
    restarts: board.restarts,
    ruleHits: folded.ruleHits,
    replacedTasks: folded.replacedTasks,
    backoff: folded.backoff,
    inFlight: resent.inFlight,
    stopRound: stops.stopRound,
    inspect: inspection.state,
    alarms,
    now,
    waitReason: resent.inFlight.length === 0 ? null : folded.waitReason,
    journal: folding.journal,
    events,
    relabelled: (relabelled?.version ?? 0) > published.version ? relabelled : null,
    published,
    unannounced,
    upstreams: upstreams.known ?? status.upstreams,
    isAwaited: status.isAwaited,
    achieved: attempts.achieved,
    gang: attempts.gang,
  };
}

/** The earliest time at which something is due that no fact will announce; null: nothing is. */
function nextWakeAt(pass: Pass, attempts: Attempts, folding: Folding): EpochMs | null {
  const { job, now, timing } = pass;
  const { phase, launches, stops, resent, inspection, managesAttempts, startTime } = attempts;
  const hasMoreToDo = launches.again || stops.again || folding.again;
  return [
    hasMoreToDo || isPhaseOver(job.spec, attempts, now) ? now : null,
    ...momentsOf(job.spec, attempts, now),
    waitsForOthers(pass, attempts) ? lookAgainAt(job.createdAt, now, timing) : null,
    managesAttempts ? startDueAt(folding.chunks, job.spec) : null,
    managesAttempts ? lateAt(folding.chunks, job.spec) : null,
    launches.wakeAt,
    stops.wakeAt,
    inspection.state?.at ?? null,
    managesAttempts ? gangDueAt(job.spec, attempts.gang) : null,
    managesAttempts || phase.kind === 'regrouping' ? deadlineOf(job.spec, startTime) : null,
    ...resent.inFlight.map((claim) => claim.dueAt),
  ].reduce(soonest, null);
}

/** What comes next is another Job's to say. */
const waitsForOthers = ({ upstreams: { gate } }: Pass, { phase, isHeld, counts, managesAttempts }: Attempts): boolean =>
  (isHeld && phase.kind === 'suspended') || (managesAttempts && !gate.isFinal && counts.within.pending > 0);

/** When a Job that is not over starts, and when it is killed. */
const momentsOf = (spec: JobSpec, { phase, startTime }: Attempts, now: EpochMs): readonly (EpochMs | null)[] =>
  spec.managed && (phase.kind === 'running' || phase.kind === 'regrouping' || phase.kind === 'suspended')
    ? [spec.killAt, spec.suspend ? null : startsAt(spec, startTime, now)]
    : [];

/**
 * Everything that this phase waits for has happened: the next pass leaves it. Pods between two tasks end without a fact that
 * would trigger a pass.
 */
function isPhaseOver(spec: JobSpec, { phase, living, resent, startTime, isHeld }: Attempts, now: EpochMs): boolean {
  const { managed, suspend, held } = spec;
  if (living > 0 || resent.inFlight.length > 0) return false;
  if (phase.kind === 'suspended') return managed && !suspend && !isHeld && startsAt(spec, startTime, now) === null;
  return isEnding(phase) && !(phase.kind === 'terminating' && held);
}

/** A finished Job that has outlived its ttlSecondsAfterFinished is deleted, as if its user had done it. */
function planTtl({ ttlSecAfterFinished }: JobSpec, phase: Phase, now: EpochMs) {
  if (ttlSecAfterFinished === null || phase.kind !== 'finished') return { outlived: false, wakeAt: null };
  const due = plusMs(phase.at, ttlSecAfterFinished * 1000);
  return now >= due ? { outlived: true, wakeAt: plusMs(now, OUTLIVED_CHECK_MS) } : { outlived: false, wakeAt: due };
}

/** If the pass that was to delete the Job has died. */
const OUTLIVED_CHECK_MS = 60_000;

/** Something has changed that a user can see, or that a later pass must know. */
const differs = (before: Status, after: Status, transitions: readonly Transition[]): boolean =>
  transitions.length > 0 ||
  COMPARED.some((field) => before[field] !== after[field]) ||
  before.replacedTasks.length !== after.replacedTasks.length ||
  isOtherRound(before.stopRound, after.stopRound) ||
  before.inFlight.length !== after.inFlight.length ||
  after.inFlight.some((claim, i) => claim !== before.inFlight[i]);

const COMPARED = [
  'phase',
  'achieved',
  'revision',
  'size',
  'startTime',
  'failed',
  'waitReason',
  'inspect',
  'upstreams',
] as const;

const isOtherRound = (before: Status['stopRound'], after: Status['stopRound']): boolean =>
  before?.cursor !== after?.cursor || before?.startedAt !== after?.startedAt;
