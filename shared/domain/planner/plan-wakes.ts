import { type EpochMs, plusMs } from '../base/time.ts';
import { CLOCKS_APART_MAX_MS, PUBLISH_CHECK_MS, type Timing } from '../base/timing.ts';
import { type Phase, type Status, isHidden, isOver } from '../scoreboard/status.ts';

/**
 * A Job is published at once when it is over, otherwise at most once a second. After a delete is published, nothing more is.
 * `checkAt`: the sweep then checks the publication, in case this pass dies before it.
 */
export function planPublication(
  { published, version, phase: before }: Status,
  phase: Phase,
  changed: boolean,
  now: EpochMs,
  timing: Timing,
) {
  const quiet = { now: false, wakeAt: null, checkAt: null };
  const gone = isHidden(before);
  if ((gone || !changed) && published.version >= version) return quiet;
  // A publication time in the future came from a wrong clock and delays nothing.
  const isBelievable = published.at <= plusMs(now, CLOCKS_APART_MAX_MS);
  const due = isBelievable ? plusMs(published.at, timing.publishEveryMs) : now;
  if (!gone && !isOver(phase) && before.kind === phase.kind && now < due)
    return { now: false, wakeAt: due, checkAt: null };
  return { now: true, wakeAt: null, checkAt: plusMs(now, PUBLISH_CHECK_MS) };
}

/**
 * The alarms that STATUS stores, and the wake-up to send, if any. A wake-up is sent only if none in flight comes as soon, so
 * that alarms do not multiply. An alarm that was set more than a message can wait ahead has none in flight when it comes: the
 * sweep sees to it within a minute, which is too late for what is due in a second. `checkAt` needs no message: the sweep runs
 * every minute anyway.
 */
export function planAlarm(alarms: readonly EpochMs[], wakeAt: EpochMs | null, checkAt: EpochMs | null, now: EpochMs) {
  const [first, ...rest] = alarms.filter((at) => at > now);
  const armed = first === undefined ? [] : [first, ...rest];
  if (wakeAt === null) return { alarms: armed.length === 0 && checkAt !== null ? [checkAt] : armed, send: null };
  const isUrgent = wakeAt <= plusMs(now, URGENT_MS) && !armed.includes(wakeAt);
  if (first !== undefined && first <= wakeAt && !isUrgent) return { alarms: armed, send: null };
  return { alarms: [wakeAt, ...armed].toSorted((a, b) => a - b).slice(0, ALARMS_MAX), send: wakeAt };
}

/**
 * The alarms of a Job that is over, with one at `checkAt`: nothing else happens to it, so an end that is not published would stay
 * unseen until its next alarm, which may be that of its deletion.
 */
export const withCheck = (alarms: readonly EpochMs[], checkAt: EpochMs | null): readonly EpochMs[] =>
  checkAt === null || (alarms[0] ?? Infinity) <= checkAt ? alarms : [checkAt, ...alarms].slice(0, ALARMS_MAX);

/** A publication is due a second after the one before. */
const URGENT_MS = 1_500;

/** Wake-ups in flight that STATUS remembers; forgetting one costs at most an extra message. */
const ALARMS_MAX = 8;
