import type { EpochMs } from '../base/time.ts';
import { type Phase, type Status, isSuspended } from '../scoreboard/status.ts';
import type { Applied } from './apply-facts.ts';
import { lateGang } from '../scoreboard/gang.ts';
import { type PhaseCourse, decideCourse } from './decide-phase.ts';
import type { Pass } from './pass.ts';
import { startsAt } from '../manifests/job.ts';
import { stuckOn } from './stuck-indexes.ts';

/** What the Job's phase is from this pass on. */
export type Advanced = Applied &
  PhaseTimes &
  PhaseCourse & {
    /** Attempts are started, and surplus attempts stopped. */
    readonly managesAttempts: boolean;
    /** It waits for other Jobs, and has not started. */
    readonly isHeld: boolean;
  };

type PhaseTimes = Pick<Status, 'startTime' | 'resumedAt' | 'endedSuspendedSince'>;

/** Decides the phase from the result of the facts, and records when the Job starts, resumes, or ends. */
export function advancePhase(pass: Pass, applied: Applied): Advanced {
  const { job, status, now, rules } = pass;
  const { board, folded, counts, restarts } = applied;
  const { waitsFor, never } = pass.upstreams;
  const isHeld = status.startTime === null && waitsFor.length > 0;
  const { phase, achieved } = decideCourse(
    status.phase,
    {
      ...folded,
      job,
      tally: counts.all,
      within: counts.within,
      restarts,
      inFlight: folded.inFlight.length,
      replacedTasks: folded.replacedTasks.length,
      // A Job that is yet to resume gets a new start time then.
      startTime: status.phase.kind === 'suspended' ? null : status.startTime,
      startsAt: startsAt(job.spec, status.startTime, now),
      isHeld,
      neverMet: never,
      isStuck: stuckOn(pass, applied),
      achieved: status.achieved,
      lateGang: lateGang(job.spec, status.gang, counts.within, (index) => board.record(index), now),
    },
    now,
  );
  const managesAttempts = job.spec.managed && phase.kind === 'running' && rules.managesAttempts;
  return { ...applied, ...phaseTimes(pass, phase, now), phase, achieved, managesAttempts, isHeld };
}

function phaseTimes({ job, status }: Pass, phase: Phase, now: EpochMs): PhaseTimes {
  const { phase: before, startTime, resumedAt, endedSuspendedSince } = status;
  if (before.kind === 'suspended' && phase.kind === 'running') {
    // A Job that was held was never suspended.
    return { startTime: now, resumedAt: before.held === true ? resumedAt : now, endedSuspendedSince };
  }
  // A Job that ends while it waits for others has never started, and will not.
  const mayStart = before.kind === 'running' || isSuspended(before);
  const isFirstStart = startTime === null && phase.kind !== 'suspended' && mayStart && job.spec.managed;
  const isHeldNow = phase.kind === 'suspended' && phase.held === true;
  // A Job that ends in its first pass was never found suspended.
  const endsSuspended =
    isSuspended(before) && status.version > 1 && (phase.kind === 'draining' || phase.kind === 'finished');
  return {
    startTime: isFirstStart ? now : startTime,
    resumedAt: isHeldNow && isSuspended(before) ? now : resumedAt,
    endedSuspendedSince: endsSuspended && before.kind === 'suspended' ? before.since : endedSuspendedSince,
  };
}
