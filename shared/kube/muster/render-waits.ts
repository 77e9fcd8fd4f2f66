import { asTime } from '../../domain/base/time.ts';
import { hasNames } from '../../domain/task/host-names.ts';
import { inWordsOf } from '../../domain/pending/pod-wait.ts';
import { waitLine } from '../../domain/pending/wait-words.ts';
import { type LaunchPace, type Wait, chunksForWaits, waitsOf } from '../../domain/pending/waits.ts';
import { readItemValues } from '../../store/read-items.ts';
import { readWaitedFor } from '../../store/read-waited-for.ts';
import { toJob } from '../../store/to-job.ts';
import { type JobView, type Reads, readJobView } from '../jobs/job-view.ts';

/** Why parts of a Job do not run: Muster's own object, which no Kubernetes client knows. */
type JobWaits = ReturnType<typeof renderWaits>;

/**
 * Reads STATUS, the pace of launches, and at most a few chunks and two records, however large the Job; null: the Job does not
 * exist.
 */
export async function findWaits(namespace: string, name: string, reads: Reads): Promise<JobWaits | null> {
  const uid = await reads.jobs.findJob(namespace, name);
  if (uid === null) return null;
  const view = await readJobView(uid, reads, (status, spec) => chunksForWaits(status, toJob(spec).spec));
  if (view === null) return null;
  const pace = await reads.launchPace();
  return renderWaits(view, await waitsOfView(view, pace, reads), pace);
}

/** Why parts of a Job do not run, with ECS's text if there is any. The chunks that `chunksForWaits` names must be loaded. */
export async function waitsOfView(view: JobView, pace: LaunchPace, reads: Reads): Promise<readonly Wait[]> {
  const waiting = {
    ...view,
    spec: toJob(view.spec).spec,
    hasNames: hasNames(view.spec.manifest),
    waitedFor: await readWaitedFor(view.spec, view.status, reads.jobs),
    delays: reads.startDelays?.ofJob(view.spec.identity.uid) ?? [],
  };
  return Promise.all(waitsOf(waiting, pace).map((wait) => explained(wait, view, reads)));
}

/** If tasks were tried, ECS's text about one of them says more than a count. */
async function explained(wait: Wait, { spec, board }: JobView, reads: Reads): Promise<Wait> {
  const { example } = wait;
  if (example === undefined) return wait;
  const [attempts, items] = await Promise.all([
    reads.jobs.readAttempts(spec.identity.uid, example, example),
    readItemValues(spec.manifest, [example], reads),
  ]);
  return inWordsOf(wait, board, attempts, items.get(example)?.line ?? null);
}

export function renderWaits({ spec, version }: JobView, waits: readonly Wait[], pace: LaunchPace) {
  const { namespace, name, uid } = spec.identity;
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobWaits',
    metadata: { namespace, name, uid, resourceVersion: String(version) },
    /** RFC 3339: the times below are relative to it. */
    asOf: asTime(pace.now),
    /** One line; null: nothing waits. */
    summary: waitLine(waits),
    /** Launches per second that are allowed, and how many are granted now; null: there is no limit. */
    launchRate:
      pace.fullPerSec === null || pace.perSec === null
        ? null
        : { perSecond: pace.fullPerSec, inForcePerSecond: Number(pace.perSec.toFixed(2)) },
    waits: waits.map(renderWait),
  };
}

const renderWait = ({ cause, count, since, etaMs, nextTryMs, message }: Wait) => ({
  cause,
  count,
  message,
  since: since === null ? null : asTime(since),
  etaSeconds: inSec(etaMs),
  nextTrySeconds: inSec(nextTryMs),
});

/** Rounded up, so that a wait is not announced as over too early. */
const inSec = (ms: number | null): number | null => (ms === null ? null : Math.ceil(ms / 1000));
