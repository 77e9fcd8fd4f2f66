import { later, type EpochMs } from './brand.ts';
import { toldAgain, warning } from './job-events.ts';
import { type Status, isHidden } from './status.ts';

/** Reason of the Event that tells a Job of its dead letters. */
export const DEAD_LETTERED = 'MessageDeadLettered';

/** Messages of one Job that could not be processed, of one queue and for one reason. */
export type SetAside = { readonly queue: string; readonly reason: string; readonly count: number };

/** STATUS has room for a sentence, and a reason may be anything. */
const REASON_MAX_CHARS = 160;
/** Other Events of the Job must not be driven out by these. */
const TEXTS_MAX = 3;

/**
 * The status that tells a Job's users that messages about it were set aside: the next version, with an Event for each
 * queue and reason, due to be looked at. null: nobody sees that Job any more.
 */
export function withSetAside(status: Status, letters: readonly SetAside[], clock: EpochMs): Status | null {
  if (isHidden(status.phase)) return null;
  const now = later(clock, status.now);
  const next: Status = { ...status, version: status.version + 1, alarms: [now], now };
  return letters.reduce((so, { queue, reason, count }) => {
    const message = `A message of the ${queue} queue was moved to the dead-letter queue: ${sentence(reason)}`;
    return toldAgain(withRoomFor(message, so), warning(DEAD_LETTERED, message), count);
  }, next);
}

/** Without the oldest of ours, where this one would be one too many. */
function withRoomFor(message: string, status: Status): Status {
  const ours = status.events.filter((event) => event.reason === DEAD_LETTERED && event.message !== message);
  const old = new Set(ours.slice(0, Math.max(0, ours.length - TEXTS_MAX + 1)));
  return { ...status, events: status.events.filter((event) => !old.has(event)) };
}

const sentence = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= REASON_MAX_CHARS ? line : `${line.slice(0, REASON_MAX_CHARS - 1)}…`;
};
