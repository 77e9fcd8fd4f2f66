import type { JobUid } from '../../domain/base/ids.ts';
import { chunksForSettled } from '../../domain/scoreboard/settled-indexes.ts';
import { type Status, isEnding, isOver } from '../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import type { Job } from '../../domain/manifests/job.ts';
import {
  NO_UPSTREAMS,
  type ReadUpstream,
  type Upstreams,
  judgeUpstreams,
  upstreamsToRead,
} from '../../domain/upstreams/upstreams.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { isOneRevision, readJob } from '../../store/read-job.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';

type Reads = Pick<Deps, 'jobs' | 'cache'>;

/** What a Job waits for, read and judged. `unnoted`: Jobs that do not know yet that indexes wait for theirs. */
export type JudgedUpstreams = { readonly upstreams: Upstreams; readonly unnoted: readonly JobUid[] };

const NOTHING: JudgedUpstreams = { upstreams: NO_UPSTREAMS, unnoted: [] };

/**
 * Reads the Jobs that a Job waits for, as they are now. A Job without any, or whose upstreams have all come to what it waits for,
 * costs nothing.
 */
export async function readUpstreams(job: Job, status: Status, reads: Reads): Promise<JudgedUpstreams> {
  const isDecided = isOver(status.phase) || (isEnding(status.phase) && status.phase.kind !== 'suspended');
  if (isDecided || !job.spec.managed) return NOTHING;
  const names = upstreamsToRead({ spec: job.spec, status });
  if (names.length === 0) return NOTHING;
  const byIndex = new Set(job.spec.afterIndexes.map(({ name }) => name));
  const read = await Promise.all(
    names.map(async (name) => {
      const known = status.upstreams.find((each) => each.name === name)?.uid ?? null;
      return readUpstream({ namespace: job.namespace, name, known, withBoard: byIndex.has(name) }, reads);
    }),
  );
  const upstreams = judgeUpstreams({ spec: job.spec, status }, new Map(read.map((each) => [each.name, each])));
  return { upstreams, unnoted: read.flatMap((each) => (isUnnoted(each) ? (each.uid ?? []) : [])) };
}

const isUnnoted = ({ status, board }: ReadUpstream): boolean =>
  board !== null && status !== null && !status.isAwaited && !isOver(status.phase);

type Wanted = {
  readonly namespace: string;
  readonly name: string;
  /** The Job that had the name when it was first seen; null: there was none. */
  readonly known: JobUid | null;
  readonly withBoard: boolean;
};

/** A Job by its name, or, once it was seen, by its uid: one that was made anew under the name is another. */
export async function readUpstream({ namespace, name, known, withBoard }: Wanted, reads: Reads): Promise<ReadUpstream> {
  const uid = known ?? (await reads.jobs.findJob(namespace, name));
  const absent = { name, uid, status: null, manifest: null, board: null };
  if (uid === null) return absent;
  const read = await readJob(
    uid,
    async () => readHead(uid, reads),
    ({ spec, status }) => ({
      nos: withBoard ? chunksForSettled(status, ['succeeded']) : [],
      selection: toJob(spec).spec.selection,
    }),
    { jobs: reads.jobs, cache: reads.cache.chunks },
  );
  if (read === null) return absent;
  const { spec, status, chunks } = read;
  const board = withBoard ? { status, board: new WorkingBoard(status, chunks) } : null;
  return { name, uid, status, manifest: spec.manifest, board };
}

async function readHead(
  uid: JobUid,
  { jobs, cache }: Reads,
): Promise<{ readonly spec: StoredSpec; readonly status: Status } | null | 'conflict'> {
  const status = await jobs.readStatus(uid);
  if (status === null) return null;
  const known = cache.specs.get(uid);
  if (known?.revision === status.revision) return { spec: known, status };
  const spec = await jobs.readSpec(uid);
  if (spec === null) return null;
  if (!isOneRevision(spec, status)) return 'conflict';
  cache.specs.set(uid, spec);
  return { spec, status };
}
