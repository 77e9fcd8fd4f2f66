import { BitFields, type BitValues, flag, unlessEmpty, unlessNull } from '../base/bit-fields.ts';
import { DecodeError } from '../base/bytes.ts';
import { asJobUid, asTaskArn } from '../base/ids.ts';
import {
  type Codec,
  NUMBER,
  TEXT,
  codes,
  list,
  orNull,
  readBelow,
  readBit,
  readTime,
  readTimeOrNull,
  record,
  writeTime,
  writeTimeOrNull,
} from '../base/stored-values.ts';
import type { EpochMs } from '../base/time.ts';
import type { Labels } from '../manifests/manifest.ts';
import { PHASE } from './phase-codec.ts';
import type {
  GangState,
  JobEventEntry,
  JobState,
  ReplacedTask,
  StateChange,
  Status,
  Unannounced,
  Upstream,
} from '../scoreboard/status.ts';
import { COMPLETE } from './verdict-codec.ts';

// What STATUS has once, a row for each field: it says how the field is stored.

/** What STATUS begins with, and other fields are stored relative to. */
export type Frame = Pick<Status, 'now' | 'size' | 'version'> & { readonly nextSeq: number };

const AT: Codec<EpochMs, Frame> = {
  write: (w, at, { now }) => writeTime(w, at, now),
  read: (r, { now }) => readTime(r, now),
};
const AT_OR_NULL: Codec<EpochMs | null, Frame> = {
  write: (w, at, { now }) => writeTimeOrNull(w, at, now),
  read: (r, { now }) => readTimeOrNull(r, now),
};
const AT_VERSION: Codec<number, Frame> = {
  write: (w, version, frame) => w.zigzag(frame.version - version),
  read: (r, frame) => readBelow(r, frame.version),
};
const AT_SEQ: Codec<number, Frame> = {
  write: (w, seq, { nextSeq }) => w.zigzag(nextSeq - seq),
  read: (r, { nextSeq }) => readBelow(r, nextSeq),
};

/** A time and a number, or null. */
const timed = <T>(
  timeOf: (value: T) => EpochMs,
  numberOf: (value: T) => number,
  made: (at: EpochMs, number: number) => T,
): Codec<T | null, Frame> => ({
  write(w, value, { now }) {
    writeTimeOrNull(w, value === null ? null : timeOf(value), now);
    if (value !== null) w.varint(numberOf(value));
  },
  read(r, { now }) {
    const at = readTimeOrNull(r, now);
    return at === null ? null : made(at, r.varint());
  },
});

const EVENT: Codec<JobEventEntry, Frame> = {
  write(w, { type, reason, message, version, at, firstAt, count }, frame) {
    w.byte(type === 'Normal' ? 0 : 1);
    w.text(reason);
    w.text(message);
    AT_VERSION.write(w, version, frame);
    writeTime(w, at, frame.now);
    writeTime(w, firstAt, at);
    w.varint(count);
  },
  read(r, frame) {
    const said = { type: readBit(r) ? 'Warning' : 'Normal', reason: r.text(), message: r.text() } as const;
    const version = AT_VERSION.read(r, frame);
    const at = readTime(r, frame.now);
    return { ...said, version, at, firstAt: readTime(r, at), count: r.varint() };
  },
};

const PAIRS = list<readonly [string, string], unknown>({
  write(w, [key, value]) {
    w.text(key);
    w.text(value);
  },
  read: (r) => [r.text(), r.text()],
});
const LABELS: Codec<Labels, unknown> = {
  write: (w, labels) => PAIRS.write(w, Object.entries(labels), null),
  read: (r) => Object.fromEntries(PAIRS.read(r, null)),
};

/** Their ARNs have a common prefix, so each leaves out what it shares with the one before. */
const REPLACED_TASKS: Codec<readonly ReplacedTask[], Frame> = {
  write(w, tasks, { now }) {
    w.varint(tasks.length);
    let before = '';
    for (const { index, attempt, nonce, taskArn, since } of tasks) {
      w.varint(index);
      w.varint(attempt);
      w.varint(nonce);
      let shared = 0;
      while (shared < taskArn.length && taskArn[shared] === before[shared]) shared++;
      w.varint(shared);
      w.text(taskArn.slice(shared));
      before = taskArn;
      writeTime(w, since, now);
    }
  },
  read(r, { now }) {
    let before = '';
    return Array.from({ length: r.count() }, () => {
      const id = { index: r.varint(), attempt: r.varint(), nonce: r.varint() };
      const shared = r.varint();
      if (shared > before.length) throw new DecodeError('an ARN that shares more than there is');
      const taskArn = asTaskArn(before.slice(0, shared) + r.text());
      before = taskArn;
      return { ...id, taskArn, since: readTime(r, now) };
    });
  },
};

// Fields that few Jobs have.

const UPSTREAM: Codec<Upstream, unknown> = {
  write(w, { name, uid, isMet }) {
    w.text(name);
    w.byte((uid === null ? 0 : 1) + (isMet ? 2 : 0));
    if (uid !== null) w.text(uid);
  },
  read(r) {
    const name = r.text();
    const bits = r.byte();
    if (bits > 3) throw new DecodeError('an upstream in an unknown state');
    return { name, uid: (bits & 1) === 0 ? null : asJobUid(r.text()), isMet: (bits & 2) !== 0 };
  },
};

const GANG: Codec<GangState, Frame> = {
  write(w, { restarts, since, isReady }, { now }) {
    w.varint(restarts * 2 + (isReady ? 1 : 0));
    writeTimeOrNull(w, since, now);
  },
  read(r, { now }) {
    const head = r.varint();
    return { restarts: Math.floor(head / 2), isReady: head % 2 === 1, since: readTimeOrNull(r, now) };
  },
};

const STATES_OF_JOBS = codes<JobState>({ Started: 0, Suspended: 1, Resumed: 2, Completed: 3, Failed: 4, Deleted: 5 });
const CHANGE = record<StateChange, Frame>({ version: AT_VERSION, state: STATES_OF_JOBS, at: AT });

/** One bit each, in the order of which they are stored. A new field of STATUS belongs here. */
export const RARE = {
  unannounced: unlessNull(1, record<Unannounced, Frame>({ changes: list(CHANGE), dueAt: AT })),
  upstreams: unlessEmpty(2, list(UPSTREAM)),
  gang: unlessNull(4, GANG),
  achieved: unlessNull(8, record({ since: AT, verdict: COMPLETE })),
  isAwaited: flag(16),
};
export type RareFields = BitValues<typeof RARE>;
export const RARE_FIELDS = new BitFields<RareFields, Frame>(RARE);

/** A row may be a record with rows of its own. */
type Rows<T> = { readonly [K in keyof T]: Codec<T[K], Frame> | Rows<T[K]> };
type Head = Omit<Status, keyof Frame | keyof RareFields | 'chunks' | 'inFlight' | 'journal'>;

/** What every Job has, in the order in which it is stored. The accessors are written from it; a new row would be a new format. */
export const HEAD = {
  revision: NUMBER,
  phase: { write: (w, phase, { now }) => PHASE.write(w, phase, now), read: (r, { now }) => PHASE.read(r, now) },
  startTime: AT_OR_NULL,
  resumedAt: AT_OR_NULL,
  endedSuspendedSince: AT_OR_NULL,
  failed: NUMBER,
  restarts: NUMBER,
  ruleHits: list(NUMBER),
  replacedTasks: REPLACED_TASKS,
  backoff: { failures: NUMBER, lastFailureAt: AT_OR_NULL },
  stopRound: timed(
    ({ startedAt }) => startedAt,
    ({ cursor }) => cursor,
    (startedAt, cursor) => ({ cursor, startedAt }),
  ),
  inspect: timed(
    ({ at }) => at,
    ({ intervalMs }) => intervalMs,
    (at, intervalMs) => ({ at, intervalMs }),
  ),
  alarms: list(AT),
  waitReason: orNull(TEXT),
  events: list(EVENT),
  relabelled: orNull(record({ version: AT_VERSION, labels: LABELS })),
  published: { version: AT_VERSION, seq: AT_SEQ, at: AT },
} satisfies Rows<Head>;
