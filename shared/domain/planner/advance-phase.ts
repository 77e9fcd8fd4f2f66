import type { EpochMs } from '../base/time.ts';
import type { Phase, Status } from '../scoreboard/status.ts';
import type { Applied } from './apply-facts.ts';
import { decidePhase } from './decide-phase.ts';
import type { Pass } from './pass.ts';

/** What the Job's phase is from this pass on. */
export type Advanced = Applied &
  PhaseTimes & {
    readonly phase: Phase;
    /** Attempts are started, and surplus attempts stopped. */
    readonly managesAttempts: boolean;
  };

type PhaseTimes = Pick<Status, 'startTime' | 'resumedAt' | 'endedSuspendedSince'>;

/** Decides the phase from the result of the facts, and records when the Job starts, resumes, or ends. */
export function advancePhase(pass: Pass, applied: Applied): Advanced {
  const { job, status, now, rules } = pass;
  const { folded, counts, restarts } = applied;
  const phase = decidePhase(
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
    },
    now,
  );
  const managesAttempts = job.spec.managed && phase.kind === 'running' && rules.managesAttempts;
  return { ...applied, ...phaseTimes(pass, phase, now), phase, managesAttempts };
}

function phaseTimes({ job, status }: Pass, phase: Phase, now: EpochMs): PhaseTimes {
  const { phase: before, startTime, resumedAt, endedSuspendedSince } = status;
  if (before.kind === 'suspended' && phase.kind === 'running') {
    return { startTime: now, resumedAt: now, endedSuspendedSince };
  }
  const isFirstStart = startTime === null && phase.kind !== 'suspended' && job.spec.managed;
  // A Job that ends in its first pass was never found suspended.
  const endsSuspended =
    before.kind === 'suspended' && status.version > 1 && (phase.kind === 'draining' || phase.kind === 'finished');
  return {
    startTime: isFirstStart ? now : startTime,
    resumedAt,
    endedSuspendedSince: endsSuspended ? before.since : endedSuspendedSince,
  };
}
