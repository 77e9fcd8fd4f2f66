import { indexWithin } from '../base/shown-index.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import type { Ending } from '../base/fact.ts';
import type { IndexRecord } from '../scoreboard/index-record.ts';
import type { EndedAttempt } from '../planner/plan.ts';
import { refusalCause } from '../task/refusal.ts';
import type { Status } from '../scoreboard/status.ts';
import { type StartDelay, delayText } from './start-delay.ts';
import { type LaunchPace, type Wait, isFirst, isRefused, rateWait } from './waits.ts';

/** What one Pod waits for; the caller adds `count`. */
export type PodWait = Pick<Wait, 'cause' | 'etaMs' | 'nextTryMs' | 'message'>;

/**
 * Why a claim has not been launched. Its position in the queue is its position among its Job's claims. How other Jobs share
 * the rate is unknown here, so the time is a lower bound.
 *
 * @returns null if it is being launched, has been launched, or is no longer to be launched
 */
export function claimWait(
  { index, attempt, hasNames }: { readonly index: number; readonly attempt: number; readonly hasNames: boolean },
  status: Pick<Status, 'inFlight' | 'waitReason' | 'phase'>,
  pace: LaunchPace,
): PodWait | null {
  const place = status.inFlight.findIndex((claim) => claim.index === index && claim.attempt === attempt);
  const claim = status.inFlight[place];
  if (claim === undefined) return null;
  const { waitReason } = status;
  if (waitReason !== null && isRefused(claim, status, pace)) {
    const nextTryMs = claim.nonce > 0 ? Math.max(0, claim.dueAt - pace.now) : null;
    return { cause: refusalCause(waitReason), etaMs: null, nextTryMs, message: waitReason };
  }
  if (status.phase.kind !== 'running') return null;
  const ahead = status.inFlight.slice(0, place).filter((other) => !isRefused(other, status, pace)).length;
  const held = rateWait(ahead + 1, hasNames && isFirst(claim), pace);
  return held.cause === 'launching' ? null : { ...held, nextTryMs: null };
}

/** Why the task of a Pod has not started, although it was accepted. Nobody knows how long that takes. */
export const delayWait = (delay: StartDelay): PodWait => ({
  cause: delay.kind,
  etaMs: null,
  nextTryMs: null,
  message: delayText(delay),
});

/** When a Pod between two tasks gets the next one; null if unknown. `ended`: how the previous task ended. */
export function pauseWait(
  { notBefore }: Pick<IndexRecord, 'notBefore'>,
  ended: Pick<Ending, 'cause' | 'reason'>,
  { now }: LaunchPace,
): PodWait | null {
  if (notBefore === null) return null;
  const nextTryMs = Math.max(0, notBefore - now);
  const cause =
    ended.cause === 'Unplaced'
      ? unplacedCause(ended.reason)
      : ended.cause === 'StartFailed'
        ? 'startFailed'
        : 'backOff';
  return { cause, etaMs: null, nextTryMs, message: ended.reason };
}

/**
 * A wait of several Pods, described by one of them, its example: how that Pod's last task ended, if known.
 *
 * @param item what the example works on; null: no list, or not known
 */
export function inWordsOf(
  wait: Wait,
  board: WorkingBoard,
  attempts: readonly EndedAttempt[],
  item: string | null,
): Wait {
  const { example } = wait;
  if (example === undefined) return wait;
  const last = attempts.find(({ index, attempt }) => index === example && attempt === board.record(example)?.attempt);
  if (last === undefined) return wait;
  const { cause, reason } = last.ending;
  const message = `${reason} (${indexWithin(example, item)})`;
  return { ...wait, message, cause: cause === 'Unplaced' ? unplacedCause(reason) : wait.cause };
}

/** ECS had accepted the launch, so an uninformative text means capacity. */
function unplacedCause(reason: string): PodWait['cause'] {
  const cause = refusalCause(reason);
  return cause === 'refused' ? 'capacity' : cause;
}
