import { decodeChunk, encodeChunk } from '../../domain/scoreboard/board-codec.ts';
import { chunkOf } from '../../domain/scoreboard/board.ts';
import type { EpochMs } from '../../domain/base/time.ts';
import { type JobUid, asJobUid } from '../../domain/base/ids.ts';
import { invariant } from '../../domain/base/invariant.ts';
import type { JobIdentity } from '../../domain/spec/job.ts';
import { decodeStatus, encodeStatus } from '../../domain/scoreboard/status-codec.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import type { PublishedPart } from '../../domain/scoreboard/published-pods.ts';
import type { LaunchTemplate } from '../../domain/task/task.ts';
import { CHUNKS_PER_PASS_MAX } from '../../domain/base/timing.ts';
import type { FeedMark } from '../../ports/feed.ts';
import {
  ALARM_STEP_MS,
  type AttemptRecord,
  type ChunkWrite,
  type JobStore,
  type LaunchRow,
  type NamedJob,
  type StoredChunk,
  type StoredSpec,
  ownerUidOf,
} from '../../ports/job-store.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { ExpiringMap } from './expiring-map.ts';
import { partKey } from './memory-feed.ts';

/** Bytes, as DynamoDB stores them: callers share no object, and an invalid status is detected at once. */
type StoredStatus = { readonly version: number; readonly alarm: EpochMs | null; readonly body: Uint8Array };

/**
 * {@link JobStore} in this process's memory: every method takes its whole effect in one synchronous step (a list, once it has
 * read the namespaces in `objects`), and copies its input and its output. `marks` are the feed's, by uid; they are removed with
 * their Job.
 */
export function createMemoryJobStore(
  marks: ExpiringMap<FeedMark>,
  parts: ExpiringMap<PublishedPart>,
  objects: Pick<ObjectStore, 'read'>,
  now: () => EpochMs,
): JobStore {
  const names = new Map<string, NamedJob>();
  const specs = new ExpiringMap<StoredSpec>(now);
  const statuses = new ExpiringMap<StoredStatus>(now);
  const chunks = new ExpiringMap<{ readonly version: number; readonly body: Uint8Array }>(now);
  const templates = new ExpiringMap<readonly LaunchTemplate[]>(now);
  const launches = new ExpiringMap<LaunchRow>(now);
  const announced = new ExpiringMap<number>(now);
  const attempts = new Map<string, ExpiringMap<AttemptRecord>>(); // by uid and index, then by attempt

  const follows = (uid: JobUid, status: Status): boolean => statuses.get(uid)?.version === status.version - 1;
  const putStatus = (uid: JobUid, status: Status): void =>
    statuses.set(uid, { version: status.version, alarm: status.alarms[0] ?? null, body: encodeStatus(status) });
  const launchRow = (uid: JobUid, row: number): LaunchRow => {
    const stored = launches.get(rowKey(uid, row));
    return stored === undefined ? { row, version: 0, slots: [] } : structuredClone(stored);
  };

  return {
    async createJob(spec, status) {
      const { uid, namespace, name } = spec.identity;
      if (statuses.get(uid) !== undefined) return { kind: 'created' }; // the same call, repeated
      if (names.has(nameKey({ namespace, name }))) return { kind: 'taken' };
      putStatus(uid, status);
      specs.set(uid, structuredClone(spec));
      names.set(nameKey({ namespace, name }), { namespace, name, uid, ownerUid: ownerUidOf(spec.manifest) });
      return { kind: 'created' };
    },

    async findJob(namespace, name) {
      return names.get(nameKey({ namespace, name }))?.uid ?? null;
    },

    async listJobs({ namespace, after, limit }) {
      const known = new Set<string>();
      for (const name of new Set([...names.values()].map((each) => each.namespace)))
        if (name === namespace || (await objects.read('Namespace', { namespace: '', name })) !== null) known.add(name);
      const all = [...names.entries()]
        .filter(([key, name]) => (namespace ?? name.namespace) === name.namespace && (after === null || key > after))
        .filter(([, name]) => known.has(name.namespace))
        .sort(byKey);
      return { jobs: all.slice(0, limit).map(([, name]) => ({ ...name })), next: nextAfter(all, limit) };
    },

    async readSpec(uid) {
      return structuredClone(specs.get(uid) ?? null);
    },

    async readStatus(uid) {
      const stored = statuses.get(uid);
      return stored === undefined ? null : decodeStatus(stored.body);
    },

    async readChunks(uid, nos) {
      const found = new Map<number, StoredChunk>();
      for (const no of nos) {
        const stored = chunks.get(rowKey(uid, no));
        if (stored !== undefined) found.set(no, { version: stored.version, chunk: decodeChunk(stored.body) });
      }
      return found;
    },

    async commitPass(uid, status, writes) {
      invariant(writes.length <= CHUNKS_PER_PASS_MAX, `at most ${CHUNKS_PER_PASS_MAX} chunks in one commit`);
      const fits = ({ no, expectedVersion }: ChunkWrite): boolean =>
        (chunks.get(rowKey(uid, no))?.version ?? 0) === expectedVersion;
      if (!follows(uid, status) || !writes.every(fits)) return { kind: 'lost' };
      // Encoded first: an invalid value throws before anything is written.
      const encoded = writes.map(({ no, expectedVersion, chunk, length }) => {
        return [rowKey(uid, no), { version: expectedVersion + 1, body: encodeChunk(chunk, length) }] as const;
      });
      putStatus(uid, status);
      for (const [key, stored] of encoded) chunks.set(key, stored);
      return { kind: 'committed' };
    },

    async commitSpec(spec, status) {
      const { uid } = spec.identity;
      if (!follows(uid, status)) return { kind: 'lost' };
      specs.set(uid, structuredClone(spec));
      putStatus(uid, status);
      return { kind: 'committed' };
    },

    async commitDeletion(identity, status) {
      if (!follows(identity.uid, status)) return { kind: 'lost' };
      putStatus(identity.uid, status);
      if (names.get(nameKey(identity))?.uid === identity.uid) names.delete(nameKey(identity));
      return { kind: 'committed' };
    },

    async freeName(identity) {
      if (names.get(nameKey(identity))?.uid === identity.uid) names.delete(nameKey(identity));
    },

    async expireJob(uid, chunkCount, at) {
      for (const rows of [specs, statuses, templates, marks]) rows.expire(uid, at);
      parts.expire(partKey(uid, 'tail'), at);
      for (let no = 0; no < chunkCount; no++) {
        chunks.expire(rowKey(uid, no), at);
        parts.expire(partKey(uid, no), at);
      }
    },

    async writeAttempts(uid, records, expireAt) {
      for (const record of records) {
        const key = rowKey(uid, record.index);
        const ofIndex = attempts.get(key) ?? new ExpiringMap<AttemptRecord>(now);
        attempts.set(key, ofIndex);
        ofIndex.set(String(record.attempt), structuredClone(record), expireAt);
      }
    },

    async readAttempts(uid, from, to) {
      invariant(chunkOf(from) === chunkOf(to), 'attempts are read within one chunk');
      const found: AttemptRecord[] = [];
      for (let index = from; index <= to; index++) {
        const ofIndex = attempts.get(rowKey(uid, index))?.entries() ?? [];
        found.push(...ofIndex.map(([, record]) => structuredClone(record)).sort((a, b) => a.attempt - b.attempt));
      }
      return found;
    },

    async readTemplates(uid) {
      return structuredClone(templates.get(uid) ?? []);
    },

    async addTemplate(uid, no, template) {
      const known = templates.get(uid) ?? [];
      const all = known.length === no ? [...known, structuredClone(template)] : known;
      templates.set(uid, all);
      return structuredClone(all);
    },

    async readLaunches(uid, row) {
      return launchRow(uid, row);
    },

    async readLaunchRange(uid, from, to) {
      const rows: LaunchRow[] = [];
      for (let row = from; row <= to; row++) rows.push(launchRow(uid, row));
      return rows.filter((row) => row.version > 0);
    },

    async writeLaunches(uid, row, expireAt) {
      const stored = launchRow(uid, row.row);
      if (stored.version !== row.version) return { kind: 'lost', row: stored };
      launches.set(rowKey(uid, row.row), structuredClone({ ...row, version: row.version + 1 }), expireAt);
      return { kind: 'written', row: launchRow(uid, row.row) };
    },

    async readAnnounced(uid) {
      return announced.get(uid) ?? 0;
    },

    async writeAnnounced(uid, version, expireAt) {
      if ((announced.get(uid) ?? 0) < version) announced.set(uid, version, expireAt);
    },

    async dueJobs({ now: dueBy, after, limit }) {
      const due = statuses
        .entries()
        .flatMap(([uid, { alarm }]) => {
          if (alarm === null) return [];
          const minute = Math.ceil(alarm / ALARM_STEP_MS);
          if (dueBy !== null && minute * ALARM_STEP_MS > dueBy) return [];
          return [[`${String(minute).padStart(12, '0')}#${uid}`, uid] as const];
        })
        .filter(([key]) => after === null || key > after)
        .sort(byKey);
      return { uids: due.slice(0, limit).map(([, uid]) => asJobUid(uid)), next: nextAfter(due, limit) };
    },
  };
}

/** '!' sorts before every character of a name, so keys sort as (namespace, name). */
const nameKey = ({ namespace, name }: Pick<JobIdentity, 'namespace' | 'name'>): string => `${namespace}!${name}`;
const rowKey = (uid: JobUid, no: number): string => `${uid}#${no}`;

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** The key after which the next page begins; null if this page is the last. */
const nextAfter = (all: readonly (readonly [string, unknown])[], limit: number): string | null =>
  all.length > limit ? (all[limit - 1]?.[0] ?? null) : null;
