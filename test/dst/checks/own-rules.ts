import { type EpochMs, asEpochMs } from '../../../shared/domain/base/time.ts';
import { STOPS_PER_PASS_MAX } from '../../../shared/domain/base/timing.ts';
import type { Transition } from '../../../shared/domain/scoreboard/transition.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { Forbid } from './law.ts';
import type { Shadow, ShadowBoard } from './shadow.ts';
import { isLastTry } from './verdict-watch.ts';

// G20: what a Job says beyond batch/v1 holds: it starts no sooner than it says, is killed when it says, and its indexes and Pods
// wait as long as it says.

/** When the Pod of this attempt is overdue; null: it runs, has run, is being stopped, or may wait. */
export function startDueOf(
  { state, createdSec, restarts, stopping, podDeleted }: Shadow,
  { startTimeoutSec }: JobSpec,
): EpochMs | null {
  const isYetToStart = state === 'claimed' || state === 'launched' || state === 'waiting';
  if (startTimeoutSec === null || createdSec === null || !isYetToStart) return null;
  // Pods are created in whole seconds, and none is to be cut short.
  return restarts > 0 || stopping || podDeleted ? null : asEpochMs((createdSec + startTimeoutSec + 1) * 1000);
}

/** Looks at one step, before the board has taken it. */
export function checkOwnStep(
  { op, index, attempt, ...step }: Transition,
  { status: { now }, spec, board }: { readonly status: Status; readonly spec: JobSpec; readonly board: ShadowBoard },
  forbid: Forbid,
): void {
  const key = `${index}/${attempt}`;
  if (op === 'claim' || op === 'relaunch') {
    const { startAfter, killAt } = spec;
    forbid(startAfter !== null && now < startAfter, 'G20', () => `${op} ${key} before the Job may start`);
    forbid(killAt !== null && now >= killAt, 'G20', () => `${op} ${key} after the Job’s kill time`);
  }
  if (op === 'claim')
    forbid(
      ('podCreatedSec' in step && step.podCreatedSec !== undefined) !== (spec.startTimeoutSec !== null),
      'G20',
      () => `it is not known since when ${key} waits for its start, or nobody wants to know`,
    );
  if (op !== 'overdue') return;
  const due = startDueOf(board.at(index), spec);
  forbid(due === null || now < due, 'G20', () => `${key} is overdue at ${now}, and not before ${due}`);
}

/** A kill time that is ahead keeps no index from its next try. */
export function checkRetries(
  { phase: before }: Status,
  { status, spec, board }: { readonly status: Status; readonly spec: JobSpec; readonly board: ShadowBoard },
  forbid: Forbid,
): void {
  const { phase, now, inFlight } = status;
  const { completions, parallelism, killAt, backoffLimitPerIndex, completionMode } = spec;
  if (killAt === null || completionMode !== 'Indexed' || completions === null || backoffLimitPerIndex === null) return;
  // A claim that is unanswered may be as many as there may be.
  if (before.kind !== 'running' || phase.kind !== 'running' || spec.suspend || inFlight.length > 0) return;
  if (isLastTry(status, spec)) return;
  const shadows = Array.from({ length: completions }, (_, index) => ({ index, ...board.at(index) }));
  const left = shadows.filter(({ state }) => state !== 'succeeded' && state !== 'excluded').length;
  const places = Math.max(0, Math.min(parallelism, left) - board.pods().length);
  const next = shadows.filter(({ state, held }) => state === 'pending' && !held).slice(0, places);
  for (const { index, attempt, notBefore } of next)
    forbid(
      attempt > 0 && (notBefore === null || notBefore <= now),
      'G20',
      () => `index ${index} is not tried again, although its Job is killed only at ${killAt}`,
      index,
    );
}

/** After a pass nothing is overdue, but what one pass cannot stop. */
export function checkOverdue(
  { phase: before }: Status,
  { status, spec, board }: { readonly status: Status; readonly spec: JobSpec; readonly board: ShadowBoard },
  fresh: readonly Transition[],
  forbid: Forbid,
): void {
  if (spec.startTimeoutSec === null || before.kind !== 'running' || status.phase.kind !== 'running') return;
  if (fresh.filter(({ op }) => op === 'overdue').length >= STOPS_PER_PASS_MAX) return;
  for (const pod of board.pods()) {
    const due = startDueOf(pod, spec);
    const late = due !== null && status.now >= due;
    forbid(late, 'G20', () => `${pod.index}/${pod.attempt} waits for its start, and is overdue`, pod.index);
  }
}
