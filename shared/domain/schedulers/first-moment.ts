import { type EpochMs, asEpochMs, plusMs } from '../base/time.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** How far a wall clock is ahead of UTC at a moment. */
export type OffsetOf = (at: number) => number;

/**
 * The first moment, not before `from`, at which a wall clock shows what matches.
 *
 * @param nextWall the first match that is not before what the wall clock shows; both are written as the moment at which UTC shows
 * the same. null: there is none
 */
export function firstMoment(search: {
  readonly from: number;
  readonly nextWall: (from: number) => number | null;
  readonly offsetMs: OffsetOf;
}): EpochMs | null {
  let at = search.from;
  for (;;) {
    const offsetMs = search.offsetMs(at);
    const wall = search.nextWall(at + offsetMs);
    const moment = wall === null ? null : wall - offsetMs;
    const change = changeOfClock(search.offsetMs, at, plusMs(asEpochMs(at), FAR_MS));
    // Also where the match is far, or none is left: a clock that is put back shows again what it has shown.
    if (change !== null && (moment === null || moment >= change)) at = change;
    else if (moment === null) return null;
    else if (moment - at <= FAR_MS) return asEpochMs(moment);
    else at = moment - NEAR_MS; // the clock may be changed on the way there
  }
}

/** No zone has ever moved by more than a day, nor changed its clock twice in so short a time. */
const FAR_MS = 3 * DAY_MS;
const NEAR_MS = 2 * DAY_MS;

/** The first minute, after `from` and not after `to`, from which on the zone has another offset; null: it is the same all the time. */
function changeOfClock(offsetOf: OffsetOf, from: number, to: number): number | null {
  const before = offsetOf(from);
  if (offsetOf(to) === before) return null;
  let [same, other] = [from, to];
  while (other - same > MINUTE_MS) {
    const middle = Math.floor((same + other) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetOf(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}
