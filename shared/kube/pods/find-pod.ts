import { barePodOf, jobNameOfPod } from '../../domain/manifests/bare-pod.ts';
import { parsePodName } from '../../domain/task/pod-name.ts';
import { type JobRef, jobRefs } from '../list/list-page.ts';
import type { Reads } from '../jobs/job-view.ts';
import { isGone, readAttempt } from './read-pods.ts';
import { initThatEnded } from './render-pod-containers.ts';

/**
 * The Pod with this name, which leads to its attempt once its Job is known: `<job>-<suffix>` or `<job>-<index>-<suffix>`, or any
 * name of a bare Pod. null: it does not exist.
 */
export async function findPod(namespace: string, name: string, reads: Reads) {
  return ifListed(await findAttempt(namespace, name, reads));
}

/** The same if only its record is left, because the Pod was deleted. */
export async function findAttempt(namespace: string, name: string, reads: Reads) {
  for await (const owner of ownersOf(namespace, name, reads)) {
    const found = await attemptOfJob(owner, name, reads);
    if (found !== null) return found;
  }
  return null;
}

/**
 * An attempt whose task has run and ended for good, by its record alone: to read the logs of a large Job one by one would
 * otherwise take its board for each of them. null: there is no such record.
 */
export async function findEndedAttempt(namespace: string, name: string, reads: Reads) {
  for await (const owner of ownersOf(namespace, name, reads)) {
    const named = await attemptNamed(owner, name, reads);
    if (named === null) continue;
    const { spec, index, attempt } = named;
    const record = (await reads.jobs.readAttempts(spec.identity.uid, index, index)).find(
      (each) => each.attempt === attempt,
    );
    if (record === undefined || record.taskArn === null || record.times.startedAt === null) return null;
    const goesOn = record.judgement.as === 'restarted' || record.judgement.as === 'unstarted';
    return goesOn || initThatEnded({ spec }, record) !== null ? null : { spec, taskArn: record.taskArn };
  }
  return null;
}

/** The Pod with this name, if this Job owns it. */
export async function podOfJob(job: Pick<JobRef, 'uid' | 'name'>, name: string, reads: Reads) {
  return ifListed(await attemptOfJob(job, name, reads));
}

/** What lists have, and nothing else: a Pod that users have removed is known by its record only. */
const ifListed = (attempt: Awaited<ReturnType<typeof attemptOfJob>>) =>
  attempt === null || !attempt.isListed || isGone(attempt.facts) ? null : attempt;

async function attemptOfJob(job: Pick<JobRef, 'uid' | 'name'>, name: string, reads: Reads) {
  const named = await attemptNamed(job, name, reads);
  return named === null ? null : readAttempt(job.uid, named.index, named.attempt, reads);
}

/** The attempt of this Job that a Pod of this name would be, whether or not there is one. */
async function attemptNamed(
  { uid, name: jobName }: Pick<JobRef, 'uid' | 'name'>,
  name: string,
  { jobs }: Pick<Reads, 'jobs'>,
) {
  if (!name.startsWith((barePodOf(jobName) ?? jobName).slice(0, SURELY_IN_NAMES))) return null;
  const spec = await jobs.readSpec(uid);
  if (spec === null) return null;
  const named = parsePodName({ uid, name: jobName, completionMode: spec.manifest.spec.completionMode }, name);
  return named === null ? null : { spec, ...named };
}

/** A Pod's name contains at least this much of its Job's name, however long name and index are. */
const SURELY_IN_NAMES = 40;
/** From this length on, a Pod's name contains only the beginning of its Job's. */
const CUT_CHARS = 58;

/** Jobs that may own a Pod with this name. */
async function* ownersOf(namespace: string, podName: string, { jobs }: Reads): AsyncGenerator<JobRef> {
  const [, rest] = /^(.+)-[a-z0-9]+$/.exec(podName) ?? [];
  const [, beforeIndex] = /^(.+)-\d+$/.exec(rest ?? '') ?? [];
  for (const name of [beforeIndex, rest]) if (name !== undefined) yield* jobRefs(jobs, { namespace, name }, null);
  yield* jobRefs(jobs, { namespace, name: jobNameOfPod(podName) }, null);
  if (podName.length <= CUT_CHARS) return;
  // For a long name, the dash before the suffix is cut off too; an index stays.
  const starts = [beforeIndex, podName.slice(0, CUT_CHARS)].filter((start) => start !== undefined);
  for await (const ref of jobRefs(jobs, { namespace, name: undefined }, null))
    if (starts.some((start) => ref.name.startsWith(start))) yield ref;
}
