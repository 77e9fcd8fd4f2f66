import { DecodeError, type Reader, type Writer } from '../base/bytes.ts';
import { asJobUid } from '../base/ids.ts';
import { codes, readBelow, readTime, readTimeOrNull, writeTime, writeTimeOrNull } from '../base/stored-values.ts';
import type { EpochMs } from '../base/time.ts';
import type { GangState, JobState, Status, Unannounced } from './status.ts';
import { readAchievement, writeAchievement } from './verdict-codec.ts';

/** Fields of STATUS that few Jobs have, one bit each; those that are written follow in this order. A bit is never used for another field. */
const RARE = { unannounced: 1, upstreams: 2, gang: 4, achieved: 8, isAwaited: 16 } as const;
const RARE_ALL = Object.values(RARE).reduce<number>((all, bit) => all | bit, 0);

/** Which of them a status has. */
export const rareFieldsOf = ({ unannounced, upstreams, gang, achieved, isAwaited }: Status): number =>
  (unannounced === null ? 0 : RARE.unannounced) |
  (upstreams.length === 0 ? 0 : RARE.upstreams) |
  (gang === null ? 0 : RARE.gang) |
  (achieved === null ? 0 : RARE.achieved) |
  (isAwaited ? RARE.isAwaited : 0);

/** Writes those that {@link rareFieldsOf} names. */
export function writeRareFields(w: Writer, status: Status): void {
  if (status.unannounced !== null) writeUnannounced(w, status.unannounced, status);
  if (status.upstreams.length > 0) writeUpstreams(w, status.upstreams);
  if (status.gang !== null) writeGang(w, status.gang, status.now);
  if (status.achieved !== null) writeAchievement(w, status.achieved, status.now);
}

export type RareFields = Pick<Status, 'unannounced' | 'upstreams' | 'gang' | 'achieved' | 'isAwaited'>;

/** Reads the number that says which of them follow, and these. `version`: the status's own. */
export function readRareFields(r: Reader, version: number, now: EpochMs): RareFields {
  const rare = r.varint();
  if ((rare & ~RARE_ALL) !== 0) throw new DecodeError('a field of STATUS that is not known');
  return {
    unannounced: (rare & RARE.unannounced) === 0 ? null : readUnannounced(r, version, now),
    upstreams: (rare & RARE.upstreams) === 0 ? [] : readUpstreams(r),
    gang: (rare & RARE.gang) === 0 ? null : readGang(r, now),
    achieved: (rare & RARE.achieved) === 0 ? null : readAchievement(r, now),
    isAwaited: (rare & RARE.isAwaited) !== 0,
  };
}

function writeUpstreams(w: Writer, upstreams: Status['upstreams']): void {
  w.varint(upstreams.length);
  for (const { name, uid, isMet } of upstreams) {
    w.text(name);
    w.byte((uid === null ? 0 : 1) + (isMet ? 2 : 0));
    if (uid !== null) w.text(uid);
  }
}

const readUpstreams = (r: Reader): Status['upstreams'] =>
  Array.from({ length: r.count() }, () => {
    const name = r.text();
    const bits = r.byte();
    if (bits > 3) throw new DecodeError('an upstream in an unknown state');
    return { name, uid: (bits & 1) === 0 ? null : asJobUid(r.text()), isMet: (bits & 2) !== 0 };
  });

function writeGang(w: Writer, { restarts, since, isReady }: GangState, now: EpochMs): void {
  w.varint(restarts * 2 + (isReady ? 1 : 0));
  writeTimeOrNull(w, since, now);
}

function readGang(r: Reader, now: EpochMs): GangState {
  const head = r.varint();
  return { restarts: Math.floor(head / 2), isReady: head % 2 === 1, since: readTimeOrNull(r, now) };
}

// What is to be announced.

const STATES_OF_JOBS = codes<JobState>({
  Started: 0,
  Suspended: 1,
  Resumed: 2,
  Completed: 3,
  Failed: 4,
  Deleted: 5,
});

function writeUnannounced(w: Writer, { changes, dueAt }: Unannounced, { version, now }: Status): void {
  w.varint(changes.length);
  for (const change of changes) {
    w.zigzag(version - change.version);
    w.byte(STATES_OF_JOBS.code(change.state));
    writeTime(w, change.at, now);
  }
  writeTime(w, dueAt, now);
}

function readUnannounced(r: Reader, version: number, now: EpochMs): Unannounced {
  const changes = Array.from({ length: r.count() }, () => {
    const made = readBelow(r, version);
    return { version: made, state: STATES_OF_JOBS.word(r.byte()), at: readTime(r, now) };
  });
  return { changes, dueAt: readTime(r, now) };
}
