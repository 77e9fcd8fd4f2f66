import { asTime } from '../domain/brand.ts';
import { hasNames } from '../domain/host-names.ts';
import { planningSpec } from '../domain/job.ts';
import { inWordsOf } from '../domain/pod-wait.ts';
import { waitLine } from '../domain/wait-words.ts';
import { type LaunchPace, type Wait, chunksForWaits, waitsOf } from '../domain/waits.ts';
import { type JobView, type Reads, readJob } from './read-job.ts';

/** Why what a Job has to do does not run: Muster's own object, which no Kubernetes client knows. */
type JobWaits = ReturnType<typeof renderWaits>;

/** Reads STATUS, the pace of launches, a few chunks and two records at most, however large the Job; null: there is no such Job. */
export async function findWaits(namespace: string, name: string, reads: Reads): Promise<JobWaits | null> {
  const uid = await reads.jobs.findJob(namespace, name);
  if (uid === null) return null;
  const view = await readJob(uid, reads, (status, { manifest }) => chunksForWaits(status, planningSpec(manifest)));
  if (view === null) return null;
  const pace = await reads.launchPace();
  return renderWaits(view, await waitsOfView(view, pace, reads), pace);
}

/** Why what a Job has to do does not run, with ECS's words where it has said any. Chunks that `chunksForWaits` names are at hand. */
export async function waitsOfView(
  view: JobView,
  pace: LaunchPace,
  reads: Pick<Reads, 'jobs'>,
): Promise<readonly Wait[]> {
  const { manifest } = view.spec;
  const waiting = { ...view, spec: planningSpec(manifest), hasNames: hasNames(manifest) };
  return Promise.all(waitsOf(waiting, pace).map((wait) => explained(wait, view, reads)));
}

/** Where tasks have been tried, ECS's words of one of them say more than a count. */
async function explained(wait: Wait, { spec, board }: JobView, { jobs }: Pick<Reads, 'jobs'>): Promise<Wait> {
  const { example } = wait;
  if (example === undefined) return wait;
  return inWordsOf(wait, board, await jobs.readAttempts(spec.identity.uid, example, example));
}

export function renderWaits({ spec, version }: JobView, waits: readonly Wait[], pace: LaunchPace) {
  const { namespace, name, uid } = spec.identity;
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobWaits',
    metadata: { namespace, name, uid, resourceVersion: String(version) },
    /** RFC 3339: what the times below count from. */
    asOf: asTime(pace.now),
    /** One line; null: nothing waits. */
    summary: waitLine(waits),
    /** Launches a second that are allowed, and how many of them are given out now; null: there is no limit. */
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

/** Rounded up: what is said to be over in a second is not over at once. */
const inSec = (ms: number | null): number | null => (ms === null ? null : Math.ceil(ms / 1000));
