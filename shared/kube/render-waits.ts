import { asTime } from '../domain/brand.ts';
import { planningSpec } from '../domain/job.ts';
import { waitLine } from '../domain/wait-words.ts';
import { type LaunchPace, type Wait, chunksForWaits, hasNames, waitsOf } from '../domain/waits.ts';
import type { JobView, Reads } from './read-job.ts';
import { readJob } from './read-job.ts';

/** Why what a Job has to do does not run: Muster's own object, which no Kubernetes client knows. */
export type JobWaits = ReturnType<typeof renderWaits>;

/** Reads STATUS, the pace of launches and a few chunks at most, however large the Job; null: there is no such Job. */
export async function findWaits(namespace: string, name: string, reads: Reads): Promise<JobWaits | null> {
  const uid = await reads.jobs.findJob(namespace, name);
  if (uid === null) return null;
  const view = await readJob(uid, reads, (status, { manifest }) => chunksForWaits(status, planningSpec(manifest)));
  return view === null ? null : renderWaits(view, await reads.launchPace());
}

function renderWaits({ spec, status, board, version }: JobView, pace: LaunchPace) {
  const { namespace, name, uid } = spec.identity;
  const waits = waitsOf({ spec: planningSpec(spec.manifest), status, board, hasNames: hasNames(spec.manifest) }, pace);
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
