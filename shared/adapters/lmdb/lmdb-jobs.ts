import { decodeChunk, encodeChunk } from '../../domain/scoreboard/board-codec.ts';
import { type EpochMs, toTtl } from '../../domain/base/time.ts';
import { type JobUid, asJobUid } from '../../domain/base/ids.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { JobIdentity } from '../../domain/spec/job.ts';
import { decodeStatus, encodeStatus } from '../../domain/scoreboard/status-codec.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import { CHUNKS_PER_PASS_MAX } from '../../domain/base/timing.ts';
import {
  ALARM_STEP_MS,
  type ChunkWrite,
  type JobStore,
  type NamedJob,
  type StoredChunk,
  ownerUidOf,
} from '../../ports/job-store.ts';
import { NameSchema, SpecSchema } from '../../store/programs/row-bodies.ts';
import {
  ALARMS,
  NAMES,
  alarmSort,
  announcedKey,
  boardKey,
  keyIn,
  markKey,
  nameKey,
  objectKey,
  publishedKey,
  rangeOf,
  sortOf,
  specKey,
  statusKey,
  templateKey,
} from './lmdb-keys.ts';
import type { Attempts } from './lmdb-attempts.ts';
import { EMPTY, type Row, decoded, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows, Transaction } from './lmdb-rows.ts';

type Jobs = Omit<JobStore, keyof Attempts>;

/** Jobs but for what is known of their attempts. A row's version is what its next write depends on. */
export const jobs = (rows: LmdbRows): Jobs => ({
  async createJob(spec, status) {
    const { uid, namespace, name } = spec.identity;
    return rows.transact((now) => {
      if (now.get(statusKey(uid)) !== null) return { kind: 'created' }; // this very call, repeated
      if (now.get(nameKey({ namespace, name })) !== null) return { kind: 'taken' };
      putStatus(now, uid, status);
      now.put(specKey(uid), jsonRow(spec));
      now.put(nameKey({ namespace, name }), jsonRow({ uid, ownerUid: ownerUidOf(spec.manifest) }));
      return { kind: 'created' };
    });
  },

  async findJob(namespace, name) {
    const row = rows.read(nameKey({ namespace, name }));
    return row === null ? null : jsonIn(row, NameSchema).uid;
  },

  async listJobs({ namespace, after, limit }) {
    const prefix = namespace === null ? NAMES : `${NAMES}${namespace}!`;
    const [from, to] = rangeOf(prefix);
    const found: NamedJob[] = [];
    const known = new Map<string, boolean>();
    const isKnown = (name: string): boolean => {
      const is = known.get(name) ?? rows.read(objectKey('Namespace', { namespace: '', name })) !== null;
      known.set(name, is);
      return is;
    };
    const start = after === null ? from : `${NAMES}${after}\0`;
    // A client may bring the cursor of another namespace.
    for (const [key, row] of rows.range(start < from ? from : start, to)) {
      const at = keyIn(key.slice(NAMES.length));
      if (namespace === null && !isKnown(at.namespace)) continue;
      if (found.length === limit) return { jobs: found, next: sortOf(found.at(-1) ?? at) };
      found.push({ ...at, ...jsonIn(row, NameSchema) });
    }
    return { jobs: found, next: null };
  },

  async readSpec(uid) {
    const row = rows.read(specKey(uid));
    return row === null ? null : jsonIn(row, SpecSchema);
  },

  async readStatus(uid) {
    const row = rows.read(statusKey(uid));
    return row === null ? null : statusIn(row);
  },

  async readChunks(uid, nos) {
    const found = new Map<number, StoredChunk>();
    for (const no of nos) {
      const row = rows.read(boardKey(uid, no));
      if (row !== null) found.set(no, { version: row.version, chunk: decoded(row, decodeChunk) });
    }
    return found;
  },

  async commitPass(uid, status, writes) {
    invariant(writes.length <= CHUNKS_PER_PASS_MAX, `at most ${CHUNKS_PER_PASS_MAX} chunks in one commit`);
    return rows.transact((now) => {
      const fits = ({ no, expectedVersion }: ChunkWrite): boolean =>
        (now.get(boardKey(uid, no))?.version ?? 0) === expectedVersion;
      if (!follows(now, uid, status) || !writes.every(fits)) return { kind: 'lost' };
      putStatus(now, uid, status);
      for (const { no, expectedVersion, chunk, length } of writes)
        now.put(boardKey(uid, no), { version: expectedVersion + 1, body: encodeChunk(chunk, length) });
      return { kind: 'committed' };
    });
  },

  async commitSpec(spec, status) {
    const { uid } = spec.identity;
    return rows.transact((now) => {
      if (!follows(now, uid, status)) return { kind: 'lost' };
      now.put(specKey(uid), jsonRow(spec));
      putStatus(now, uid, status);
      return { kind: 'committed' };
    });
  },

  async commitDeletion(identity, status) {
    return rows.transact((now) => {
      if (!follows(now, identity.uid, status)) return { kind: 'lost' };
      putStatus(now, identity.uid, status);
      removeName(now, identity);
      return { kind: 'committed' };
    });
  },

  async freeName(identity) {
    await rows.transact((now) => removeName(now, identity));
  },

  async expireJob(uid, chunks, at) {
    const numbers = Array.from({ length: chunks }, (_, no) => no);
    const own = [specKey(uid), statusKey(uid), templateKey(uid), markKey(uid), publishedKey(uid, 'tail')];
    await rows.transact((now) => {
      const status = now.get(statusKey(uid));
      const alarm = status === null ? [] : [alarmKey(alarmIn(status), uid)];
      for (const key of [...own, ...alarm, ...numbers.flatMap((no) => [boardKey(uid, no), publishedKey(uid, no)])]) {
        const row = now.get(key);
        if (row !== null) now.put(key, { ...row, ttl: toTtl(at) });
      }
    });
  },

  async readAnnounced(uid) {
    return rows.read(announcedKey(uid))?.version ?? 0;
  },

  async writeAnnounced(uid, version, expireAt) {
    await rows.transact((now) => {
      if ((now.get(announcedKey(uid))?.version ?? 0) >= version) return;
      now.put(announcedKey(uid), { version, ttl: toTtl(expireAt), body: EMPTY });
    });
  },

  async dueJobs({ now: dueBy, after, limit }) {
    const to =
      dueBy === null ? `${ALARMS}~` : `${ALARMS}${alarmSort(Math.floor(dueBy / ALARM_STEP_MS), asJobUid('~'))}`;
    const uids: JobUid[] = [];
    let last = '';
    for (const key of rows.keys(after === null ? ALARMS : `${ALARMS}${after}\0`, to)) {
      const uid = asJobUid(key.slice(key.lastIndexOf('#') + 1));
      if (uids.length === limit) return { uids, next: last };
      uids.push(uid);
      last = key.slice(ALARMS.length);
    }
    return { uids, next: null };
  },
});

const follows = (rows: Transaction, uid: JobUid, status: Status): boolean =>
  rows.get(statusKey(uid))?.version === status.version - 1;

/** A status's row begins with the minute of its alarm, by which its entry among the alarms is found. */
const ALARM_BYTES = 8;
const NO_ALARM = -1;

/** The status in its row. */
export const statusIn = (row: Row): Status => decoded(row, (body) => decodeStatus(body.subarray(ALARM_BYTES)));

const alarmIn = (row: Row): number =>
  decoded(row, (body) => new DataView(body.buffer, body.byteOffset, body.length).getFloat64(0));

/** Stores a status and moves its alarm. */
function putStatus(rows: Transaction, uid: JobUid, status: Status): void {
  const before = rows.get(statusKey(uid));
  const [alarmAt] = status.alarms;
  const alarm = alarmAt === undefined ? NO_ALARM : minuteOf(alarmAt);
  const old = before === null ? NO_ALARM : alarmIn(before);
  const body = Buffer.concat([Buffer.alloc(ALARM_BYTES), encodeStatus(status)]);
  body.writeDoubleBE(alarm, 0);
  rows.put(statusKey(uid), { version: status.version, body });
  if (old === alarm) return;
  if (old !== NO_ALARM) rows.remove(alarmKey(old, uid));
  if (alarm !== NO_ALARM) rows.put(alarmKey(alarm, uid), { version: 0, ttl: before?.ttl ?? null, body: EMPTY });
}

const alarmKey = (minute: number, uid: JobUid): string => ALARMS + alarmSort(minute, uid);
const minuteOf = (at: EpochMs): number => Math.ceil(at / ALARM_STEP_MS);

function removeName(rows: Transaction, { uid, namespace, name }: JobIdentity): void {
  const key = nameKey({ namespace, name });
  const row = rows.get(key);
  if (row !== null && jsonIn(row, NameSchema).uid === uid) rows.remove(key);
}
