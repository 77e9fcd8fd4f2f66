import { type EpochMs, asEpochMs } from '../../../shared/domain/base/time.ts';
import { STOPS_PER_PASS_MAX } from '../../../shared/domain/base/timing.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import type { Transition } from '../../../shared/domain/scoreboard/transition.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { Forbid } from './law.ts';
import type { Shadow, ShadowBoard } from './shadow.ts';

// G24: an index that its user holds is not launched, one that was given up never runs again, one that is put back has spent no
// try; and nothing outlives its deadline, nor is ended before.

type Seen = { readonly status: Status; readonly spec: JobSpec; readonly board: ShadowBoard };

const BY_USERS: ReadonlySet<Transition['op']> = new Set(['hold', 'release', 'cancel', 'requeue', 'exclude', 'retry']);

/** A user has made this commit: it decides nothing else. Where it only puts Pods between two tasks back, its alarm shows that. */
export const isByUser = (fresh: readonly Transition[], { phase, alarms }: Status, now: EpochMs): boolean =>
  (phase.kind === 'running' || phase.kind === 'regrouping' || phase.kind === 'suspended') &&
  fresh.every(({ op }) => BY_USERS.has(op) || op === 'released') &&
  (fresh.some(({ op }) => BY_USERS.has(op)) || (fresh.length > 0 && (alarms[0] ?? Infinity) <= now));

/** When this attempt, or this index, is late; null: it has no deadline, or something else ends it. */
export function deadlineOf(shadow: Shadow, { podDeadlineSec, indexDeadlineSec }: JobSpec): EpochMs | null {
  const { state, ranSec, launchedSec, stopping, podDeleted, late } = shadow;
  const hasPod = state === 'claimed' || state === 'launched' || state === 'running' || state === 'waiting';
  if ((state !== 'pending' && !hasPod) || (hasPod && (stopping || podDeleted || late !== null))) return null;
  // Times are kept in whole seconds, and none is to be cut short.
  const after = (since: number | null, limitSec: number | null): number =>
    since === null || limitSec === null ? Infinity : (since + limitSec + 1) * 1000;
  const due = Math.min(hasPod ? after(ranSec, podDeadlineSec) : Infinity, after(launchedSec, indexDeadlineSec));
  return due === Infinity ? null : asEpochMs(due);
}

/** Looks at one step, before the board has taken it. */
export function checkIndexStep(step: Transition, { status: { now }, spec, board }: Seen, forbid: Forbid): void {
  const { op, index, attempt } = step;
  const shadow = board.at(index);
  const key = `${index}/${attempt}`;
  if (op === 'claim') {
    forbid(shadow.held, 'G24', () => `${key} is claimed, and a user holds its index`);
    forbid(shadow.state === 'excluded', 'G24', () => `${key} is claimed, and its index was given up`);
    const isFirst = spec.indexDeadlineSec !== null && shadow.launchedSec === null;
    forbid((step.launchedSec !== undefined) !== isFirst, 'G24', () => `it is not known when ${key} was first launched`);
  }
  if (op === 'running') {
    const isTimed = spec.podDeadlineSec !== null || spec.barePod;
    const isFirst = isTimed && shadow.ranSec === null;
    forbid((step.ranSec !== undefined) !== isFirst, 'G24', () => `it is not known since when ${key} runs`);
  }
  if (op === 'late' || op === 'lateIndex' || op === 'expire') {
    const due = deadlineOf(shadow, spec);
    forbid(due === null || now < due, 'G24', () => `${op} ${key} at ${now}, and not before ${due}`);
  }
  const hasSucceeded = shadow.state === 'succeeded';
  forbid(hasSucceeded && BY_USERS.has(op), 'G24', () => `${op} of ${key}, whose index has succeeded`);
  const isFailure = op === 'failed' || op === 'failedForGood' || op === 'ignored';
  forbid(
    isFailure && shadow.wish === 'requeue' && shadow.state === 'waiting',
    'G24',
    () => `${key} was put back, and spends a try`,
  );
}

/** After a pass nothing is late, but what one pass cannot stop. */
export function checkDeadlines(
  { phase: before }: Status,
  seen: Seen,
  fresh: readonly Transition[],
  forbid: Forbid,
): void {
  const { status, spec, board } = seen;
  if (spec.podDeadlineSec === null && spec.indexDeadlineSec === null) return;
  if (before.kind !== 'running' || status.phase.kind !== 'running') return;
  if (fresh.filter(({ op }) => op === 'late' || op === 'lateIndex' || op === 'expire').length >= STOPS_PER_PASS_MAX)
    return;
  for (const [index, shadow] of board.open()) {
    const due = deadlineOf(shadow, spec);
    // What this very pass has brought back is looked at by the next, which is due at once.
    const isBack = fresh.some((step) => step.index === index);
    const isLate = due !== null && status.now >= due && !isBack;
    forbid(isLate, 'G24', () => `${index}/${shadow.attempt} is past its deadline, and goes on`, index);
  }
}

/** The moments for which an alarm must be set. */
export function deadlinesOf({ spec, board }: Pick<Seen, 'spec' | 'board'>): readonly EpochMs[] {
  if (spec.podDeadlineSec === null && spec.indexDeadlineSec === null) return [];
  return [...board.open()].flatMap(([, shadow]) => deadlineOf(shadow, spec) ?? []);
}

/** Something may still start without its users. */
export const isAllHeld = ({ status: { size }, spec, board }: Seen): boolean => {
  if (spec.completionMode !== 'Indexed') return false;
  const shadows = Array.from({ length: Math.min(size, spec.completions ?? size) }, (_, index) => board.at(index));
  return shadows.some(({ held }) => held) && shadows.every(({ state, held }) => state !== 'pending' || held);
};
