import { type EpochMs, plusMs } from '../base/time.ts';
import { ANNOUNCE_WAIT_MAX_MS, type Timing } from '../base/timing.ts';
import { type JobState, type Status, type Unannounced, isHidden, isSuspended } from './status.ts';

/**
 * `after`, with the change of state that it makes, if it makes one, as due at once: the next pass announces it. One commit makes
 * one change at most, of two the later: a Job that starts and ends in one commit has ended.
 *
 * @param before null: the commit has created the Job
 */
export function withStateChange(before: Status | null, after: Status): Status {
  const state = stateChange(before, after);
  if (state === null) return after;
  const { version, now: at, unannounced } = after;
  const changes = [...(unannounced?.changes ?? []), { version, state, at }];
  return { ...after, unannounced: { changes: withoutOldest(changes), dueAt: at } };
}

function stateChange(before: Status | null, { phase, startTime }: Status): JobState | null {
  const was = before?.phase ?? null;
  if (isHidden(phase)) return was === null || isHidden(was) ? null : 'Deleted';
  if (phase.kind === 'finished' && was?.kind !== 'finished')
    return phase.verdict.kind === 'complete' ? 'Completed' : 'Failed';
  if (phase.kind === 'suspended') return phase.held === true || isSuspended(was) ? null : 'Suspended';
  if (isSuspended(was) && phase.kind === 'running') return 'Resumed';
  return startTime !== null && before?.startTime === null ? 'Started' : null;
}

/** Somebody who suspends and resumes a Job all day while nobody takes its changes must not make STATUS large. */
const CHANGES_MAX = 50;

const withoutOldest = (changes: Unannounced['changes']): Unannounced['changes'] =>
  changes.length <= CHANGES_MAX ? changes : changes.toSpliced(changes.findIndex(isRepeatable), 1);

/** A user may cause it any number of times. */
const isRepeatable = ({ state }: Unannounced['changes'][number]): boolean =>
  state === 'Suspended' || state === 'Resumed';

/**
 * What of `next` this pass announces after its commit, and what STATUS says of the next try. The commit itself puts that off, so
 * of several passes at once one announces; should it die, or nobody take the changes, an alarm brings the next.
 *
 * @param isNew this commit makes a change
 */
export function planAnnouncement(
  unannounced: Unannounced | null,
  isNew: boolean,
  now: EpochMs,
  timing: Timing,
): { readonly unannounced: Unannounced | null; readonly now: boolean } {
  const newest = unannounced?.changes.at(-1);
  if (unannounced === null || newest === undefined) return { unannounced: null, now: false };
  if (!isNew && now < unannounced.dueAt) return { unannounced, now: false };
  // As long again as the newest has waited already: the distance of tries doubles, and a change does not wait for an older one.
  const waitMs = Math.min(Math.max(now - newest.at, timing.resendMs), ANNOUNCE_WAIT_MAX_MS);
  return { unannounced: { ...unannounced, dueAt: plusMs(now, waitMs) }, now: true };
}
