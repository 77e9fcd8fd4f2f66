import { later, type EpochMs } from '../base/time.ts';
import { warning, withFew } from './job-events.ts';
import { type Status, isHidden } from '../scoreboard/status.ts';

/** Reason of the Event that reports a Job's dead letters. */
export const DEAD_LETTERED = 'MessageDeadLettered';

/** Messages about one Job that could not be processed, from one queue and for one reason. */
export type DeadLetterGroup = { readonly queue: string; readonly reason: string; readonly count: number };

/** STATUS has room for one sentence, and a reason may be any text. */
const REASON_MAX_CHARS = 160;
/** These must not push out the Job's other Events. */
const TEXTS_MAX = 3;

/**
 * The status that reports to a Job's users that messages about it were moved to the dead-letter queue: the next version, with
 * an Event for each queue and reason, due for a pass. null: no user can see that Job any more.
 */
export function withDeadLetterEvents(
  status: Status,
  deadLetters: readonly DeadLetterGroup[],
  clock: EpochMs,
): Status | null {
  if (isHidden(status.phase)) return null;
  const now = later(clock, status.now);
  const next: Status = { ...status, version: status.version + 1, alarms: [now], now };
  return deadLetters.reduce((so, { queue, reason, count }) => {
    const message = `A message of the ${queue} queue was moved to the dead-letter queue: ${sentence(reason)}`;
    return withFew(TEXTS_MAX, so, warning(DEAD_LETTERED, message), count);
  }, next);
}

const sentence = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= REASON_MAX_CHARS ? line : `${line.slice(0, REASON_MAX_CHARS - 1)}…`;
};
