import { decodeChunk } from '../../domain/codecs/board-codec.ts';
import { decodeStatus } from '../../domain/codecs/status-codec.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import { type JobStore, type StoredChunk, type StoredSpec, ownerUidOf } from '../../ports/job-store.ts';
import { ABSENT, EXISTS } from '../rows/condition.ts';
import { decoded, hasBody, jsonIn, until, versionIn } from '../rows/fields.ts';
import { type Program, all, get, getAll, newToken, transact, unlessConflict, write } from '../rows/program.ts';
import type { Fields, RowKey, Write } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { PublishedPodsSchema, SpecSchema } from './row-bodies.ts';
import { boardKey, markKey, nameKey, publishedKey, specKey, statusKey, templateKey } from './row-keys.ts';
import { alarmOf } from './stored-alarms.ts';
import { specFields, statusFields } from './stored-commits.ts';

type Jobs = Pick<JobStore, 'createJob' | 'readSpec' | 'readStatus' | 'readChunks' | 'expireJob'>;

/** A Job from its first row to its last. */
export const jobs = (table: Table): Jobs =>
  methodsOf(table, { createJob, readSpec, readStatus, readChunks, expireJob });

type Created = Awaited<ReturnType<JobStore['createJob']>>;

function createJob(spec: StoredSpec, status: Status): Program<Created> {
  const { namespace, name } = spec.identity;
  return unlessConflict(`creating ${namespace}/${name}`, () => tryCreation(spec, status));
}

/** Name, spec, and status of a new Job. The key makes a name unique; the uid identifies a repeated call. */
function* tryCreation(spec: StoredSpec, status: Status): Program<Created | 'conflict'> {
  const token = yield* newToken();
  const { uid, namespace, name } = spec.identity;
  const owner = ownerUidOf(spec.manifest);
  const put = (key: RowKey, fields: Fields): Write => ({ kind: 'put', key, fields, condition: ABSENT });
  const refusals = yield* transact(token, [
    { ...put(nameKey(namespace, name), { uid, ...(owner === null ? {} : { owner }) }), returnOld: true },
    put(statusKey(uid), { ...statusFields(token, status), ...alarmOf(uid, status) }),
    put(specKey(uid), specFields(spec)),
  ]);
  if (refusals === null) return { kind: 'created' };
  const [ofName, ofStatus] = refusals;
  if (ofStatus?.kind === 'condition') return { kind: 'created' }; // by the same call: a uid is used once
  if (ofName?.kind !== 'condition') return 'conflict';
  // The row of another Job may be of a later release: it is taken, whatever it says.
  return { kind: ofName.row?.fields['uid'] === uid ? 'created' : 'taken' };
}

function* readSpec(uid: JobUid): Program<StoredSpec | null> {
  const row = yield* get(specKey(uid));
  return row === null ? null : jsonIn(row, SpecSchema);
}

function* readStatus(uid: JobUid): Program<Status | null> {
  const row = yield* get(statusKey(uid));
  return row === null ? null : decoded(row, decodeStatus);
}

function* readChunks(uid: JobUid, nos: readonly number[]): Program<ReadonlyMap<number, StoredChunk>> {
  const keys = nos.map((no) => boardKey(uid, no));
  const byKey = new Map(keys.map(({ sort }, nth) => [sort, nos[nth]]));
  const found = new Map<number, StoredChunk>();
  for (const row of yield* getAll(keys)) {
    const no = byKey.get(row.key.sort);
    if (no !== undefined) found.set(no, { version: versionIn(row), chunk: decoded(row, decodeChunk) });
  }
  return found;
}

/** Every row of a Job, except launches and attempts, which expire by themselves. */
function* expireJob(uid: JobUid, chunks: number, at: EpochMs): Program<void> {
  // A small Job has no rows beyond its mark, and a refused write costs as much as a successful one.
  const mark = yield* get(markKey(uid));
  const isPublished = mark !== null && hasBody(mark) && jsonIn(mark, PublishedPodsSchema).through > 0;
  const nos = Array.from({ length: chunks }, (_, no) => no);
  const boards = nos.map((no) => boardKey(uid, no));
  const published = isPublished ? [publishedKey(uid, 'tail'), ...nos.map((no) => publishedKey(uid, no))] : [];
  const keys = [statusKey(uid), specKey(uid), templateKey(uid), markKey(uid), ...boards, ...published];
  yield* all(keys.map((key) => unlessConflict(`expiring ${uid}`, () => expire(key, at))));
}

/** Must not make a row that was never written. */
function* expire(key: RowKey, at: EpochMs): Program<'done' | 'conflict'> {
  const refusal = yield* write({ kind: 'update', key, set: until(at), condition: EXISTS });
  return refusal?.kind === 'conflict' ? 'conflict' : 'done';
}
