import { encodeChunk } from '../../domain/codecs/board-codec.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { JobIdentity } from '../../domain/manifests/job.ts';
import { encodeStatus } from '../../domain/codecs/status-codec.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import { CHUNKS_PER_PASS_MAX } from '../../domain/base/timing.ts';
import type { ChunkWrite, Commit, JobStore, StoredSpec } from '../../ports/job-store.ts';
import { ABSENT, EXISTS, either, is, versionIs } from '../rows/condition.ts';
import { json } from '../rows/fields.ts';
import { type Program, isBy, newToken, transact, unlessConflict, write } from '../rows/program.ts';
import { FIELD, type Fields, type Update, type Write } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { boardKey, nameKey, specKey, statusKey } from './row-keys.ts';
import { alarmOf } from './stored-alarms.ts';

type Commits = Pick<JobStore, 'commitPass' | 'commitSpec' | 'commitDeletion' | 'freeName'>;

/**
 * Commits of a Job: each is conditional on the version of STATUS that was read, whatever else it writes. If it finds our own
 * write (its answer was lost and it was repeated), the commit counts as done.
 */
export const commits = (table: Table): Commits =>
  methodsOf(table, { commitPass, commitSpec, commitDeletion, freeName });

const COMMITTED: Commit = { kind: 'committed' };
const LOST: Commit = { kind: 'lost' };

/** STATUS alone: the write of nearly every pass. Or STATUS and the chunks that the journal is folded into. */
function* commitPass(uid: JobUid, status: Status, chunks: readonly ChunkWrite[]): Program<Commit> {
  invariant(chunks.length <= CHUNKS_PER_PASS_MAX, `at most ${CHUNKS_PER_PASS_MAX} chunks in one commit`);
  if (chunks.length > 0)
    return yield* commitWith(
      uid,
      status,
      chunks.map((chunk) => nextChunk(uid, chunk)),
    );
  const token = yield* newToken();
  const refusal = yield* write(nextStatus(token, uid, status));
  return refusal === null || isBy(refusal, token) ? COMMITTED : LOST;
}

/** STATUS and the spec's new revision, which STATUS guards. */
function commitSpec(spec: StoredSpec, status: Status): Program<Commit> {
  const { uid } = spec.identity;
  return commitWith(uid, status, [{ kind: 'update', key: specKey(uid), set: specFields(spec), condition: EXISTS }]);
}

/** STATUS, and the name becomes free, if it (still) belongs to this Job. */
function* commitDeletion(identity: JobIdentity, status: Status): Program<Commit> {
  const { uid } = identity;
  const token = yield* newToken();
  const refusals = yield* transact(token, [nextStatus(token, uid, status), freeing(identity)]);
  if (refusals === null || isBy(refusals[0], token)) return COMMITTED;
  const [ofStatus, ofName] = refusals;
  // The name already belongs to another Job; there is nothing to free.
  if (ofStatus === null && ofName?.kind === 'condition') return yield* commitPass(uid, status, []);
  return LOST;
}

const freeName = (identity: JobIdentity): Program<void> =>
  unlessConflict(`freeing the name of ${identity.uid}`, function* () {
    const refusals = yield* transact(yield* newToken(), [freeing(identity)]);
    return refusals?.[0]?.kind === 'conflict' ? 'conflict' : undefined;
  });

function* commitWith(uid: JobUid, status: Status, others: readonly Write[]): Program<Commit> {
  const token = yield* newToken();
  const refusals = yield* transact(token, [nextStatus(token, uid, status), ...others]);
  return refusals === null || isBy(refusals[0], token) ? COMMITTED : LOST;
}

/** STATUS as its next version; its alarm enters, moves in, or leaves the index with it. */
function nextStatus(token: string, uid: JobUid, status: Status): Update {
  const alarm = alarmOf(uid, status);
  return {
    kind: 'update',
    key: statusKey(uid),
    set: { ...statusFields(token, status), ...alarm },
    ...(alarm === null ? { remove: [FIELD.alarmShard, FIELD.alarmMinute] } : {}),
    condition: versionIs(status.version - 1),
    returnOld: true,
  };
}

/** What a STATUS row holds apart from its alarm. */
export const statusFields = (token: string, status: Status): Fields => ({
  [FIELD.version]: status.version,
  [FIELD.by]: token,
  [FIELD.body]: encodeStatus(status),
});

/** The whole manifest; the API refuses any that would not fit into a row of 400 KB long before this. */
export const specFields = (spec: StoredSpec): Fields => ({ [FIELD.body]: json(spec) });

const nextChunk = (uid: JobUid, { no, expectedVersion, chunk, length }: ChunkWrite): Write => ({
  kind: 'update',
  key: boardKey(uid, no),
  set: { [FIELD.version]: expectedVersion + 1, [FIELD.body]: encodeChunk(chunk, length) },
  condition: versionIs(expectedVersion),
});

const freeing = ({ uid, namespace, name }: JobIdentity): Write => ({
  kind: 'delete',
  key: nameKey(namespace, name),
  condition: either(ABSENT, is('uid', uid)),
});
