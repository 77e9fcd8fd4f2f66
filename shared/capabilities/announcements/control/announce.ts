import { type AnnouncedJob, type KnownFailure, announcementOf, failuresToName } from '../domain/announcement.ts';
import { errorText } from '../../../domain/base/error-text.ts';
import { NO_INDEXES } from '../../../domain/base/index-set.ts';
import { plusMs } from '../../../domain/base/time.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { settledIndexes } from '../../../domain/scoreboard/settled-indexes.ts';
import { chunksForStatus } from '../../../domain/scoreboard/status-document.ts';
import type { StateChange, Status } from '../../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import type { Announcer } from '../ports/announcer.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { isOneRevision, readJob } from '../../../store/read-job.ts';
import { readItemValues } from '../../../store/read-items.ts';
import { toJob } from '../../../store/to-job.ts';
import type { Deps } from '../../../control/process/deps.ts';
import type { CommittedStatus } from '../../../control/reconcile/after-pass.ts';

/** Longer than the longest time between two tries, with a day on top for an installation that stands still. */
const REMEMBERED_MS = 2 * 86_400_000;

/**
 * Announces what STATUS, just committed, says is unannounced. Whatever fails here fails nothing else: STATUS has an alarm for
 * the next try.
 */
export async function announceChanges({ spec, after: status, announces }: CommittedStatus, deps: Deps): Promise<void> {
  if (!announces) return;
  const { ports, telemetry } = deps;
  const { announcer } = ports;
  const changes = status.unannounced?.changes ?? [];
  if (announcer === undefined || changes.length === 0) return;
  try {
    await announceThose(spec, status, changes, announcer, deps);
  } catch (error) {
    telemetry.count('AnnouncementsFailed', 1);
    telemetry.warn('its changes could not be announced', { job: spec.identity.uid, error: errorText(error) });
  }
}

async function announceThose(
  spec: StoredSpec,
  status: Status,
  changes: readonly StateChange[],
  announcer: Announcer,
  deps: Deps,
): Promise<void> {
  const { uid } = spec.identity;
  const isOnlyOwn = changes.every(({ version }) => version === status.version);
  const known = isOnlyOwn ? 0 : await deps.jobs.readAnnounced(uid);
  const job = await announcedJob(spec, status, deps);
  if (job === null) return;
  const open = changes.filter(({ version }) => version > known).map((change) => announcementOf(change, job));
  if (open.length === 0) return;
  const taken = await announcer.announce(open);
  const refused = open.findIndex(({ id }) => !taken.has(id));
  const last = refused === -1 ? open.at(-1) : open[refused - 1];
  deps.telemetry.count('ChangesAnnounced', taken.size);
  if (refused !== -1) deps.telemetry.count('AnnouncementsFailed', 1);
  if (last !== undefined) await noteAnnounced(uid, last.version, deps);
}

/** Everything up to this version of STATUS was announced. */
export const noteAnnounced = async (
  uid: JobUid,
  version: number,
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
): Promise<void> => jobs.writeAnnounced(uid, version, plusMs(clock.now(), REMEMBERED_MS));

/** The Job as this commit left it, or, if others have stored chunks since, as it is now; null: it is gone. */
async function announcedJob(spec: StoredSpec, status: Status, deps: Deps): Promise<AnnouncedJob | null> {
  const { jobs, cache } = deps;
  const { uid } = spec.identity;
  let isFirst = true;
  const readHead = async () => {
    if (isFirst) {
      isFirst = false;
      return { spec, status };
    }
    const now = await jobs.readStatus(uid);
    const newest = now === null || now.revision === spec.revision ? spec : await jobs.readSpec(uid);
    if (now === null || newest === null) return null;
    return isOneRevision(newest, now) ? { spec: newest, status: now } : 'conflict';
  };
  const wanted = (head: { readonly spec: StoredSpec; readonly status: Status }) => ({
    nos: chunksForStatus(head.status, head.spec.manifest.spec),
    selection: toJob(head.spec).spec.selection,
  });
  const read = await readJob(uid, readHead, wanted, { jobs, cache: cache.chunks });
  if (read === null) return null;
  const board = new WorkingBoard(read.status, read.chunks);
  const failures = await failuresOf(read.spec, read.status, board, deps);
  return { identity: read.spec.identity, manifest: read.spec.manifest, status: read.status, board, failures };
}

/** Why the first of its indexes failed, and on what they work. */
async function failuresOf(
  { identity, manifest }: StoredSpec,
  status: Status,
  board: WorkingBoard,
  deps: Deps,
): Promise<readonly KnownFailure[]> {
  const { jobs } = deps;
  const { completionMode, completions } = manifest.spec;
  const failed = completionMode === 'Indexed' ? settledIndexes('failed', completions ?? 0, status, board) : NO_INDEXES;
  const indexes = failuresToName(failed, status);
  if (indexes.length === 0) return [];
  const items = await readItemValues(manifest, indexes, { items: deps.items, itemCache: deps.cache.items });
  return Promise.all(
    indexes.map(async (index) => {
      const record = (await jobs.readAttempts(identity.uid, index, index)).at(-1);
      return {
        index,
        item: items.get(index)?.line ?? null,
        exitCode: record?.ending.exitCode ?? null,
        judgement: record?.judgement ?? null,
      };
    }),
  );
}
