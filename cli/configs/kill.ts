import { verdictOf } from '../client/job-end.ts';
import { asEpochMs, asTime } from '../../shared/domain/base/time.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { FurikoJobSchema, JobSchema } from '../client/api-objects.ts';
import { type KubeClient, furikoJobsPath, jobsPath, readAs } from '../client/kube-client.ts';
import { reach, type ChangeFlags } from '../client/reach.ts';
import { ApiFailure, Failure, usageFailure } from '../shell/failure.ts';
import type { JobSelection } from '../shell/job-names.ts';
import { forEachJob, selectedNames } from '../client/selected-jobs.ts';
import type { Shell } from '../shell/shell.ts';

export type KillFlags = ChangeFlags & {
  /** null: now */
  readonly atMs: number | null;
  /** Replaces a moment that was set before. */
  readonly overrides: boolean;
};

/**
 * `muster kill`: stops Jobs for good, at once or at a moment. Their tasks are stopped, and they have failed with the reason Killed;
 * what they have done stays to be seen.
 *
 * @returns the exit code
 */
export async function killJobs(
  selection: JobSelection,
  { atMs, overrides, ...flags }: KillFlags,
  shell: Shell,
): Promise<number> {
  if (atMs !== null && atMs <= shell.now()) throw usageFailure('--at names a moment that has passed');
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const names = await selectedNames(selection, namespace, client);
  return forEachJob(names, shell.err.write, async (name) => {
    const job = readAs(JobSchema, await client.get(jobsPath(namespace, name)), client.target);
    const verdict = verdictOf(job);
    if (verdict !== null)
      throw new Failure(`error: job.batch/${name} is over (${verdict}); it can no longer be killed`);
    const furiko = await furikoJob(namespace, name, client);
    const beforeMs =
      furiko === null ? timeIn(job.metadata.annotations[ANNOTATIONS.killAt]) : (furiko.spec.killTimestamp ?? null);
    if (beforeMs !== null && !overrides)
      throw new Failure(
        `error: job.batch/${name} is to be killed at ${asTime(asEpochMs(beforeMs))}; --override sets another moment`,
      );
    const at = asTime(asEpochMs(atMs ?? shell.now()));
    await (furiko === null
      ? client.patch(jobsPath(namespace, name), { metadata: { annotations: { [ANNOTATIONS.killAt]: at } } })
      : client.patch(furikoJobsPath(namespace, name), { spec: { killTimestamp: at } }));
    shell.out.write(`job.batch/${name} ${atMs === null ? 'killed' : `to be killed at ${at}`}\n`);
  });
}

/** The Job as Furiko has it; null: it was made as a Job of batch/v1. */
async function furikoJob(namespace: string, name: string, client: KubeClient) {
  try {
    return readAs(FurikoJobSchema, await client.get(furikoJobsPath(namespace, name)), client.target);
  } catch (error) {
    if (error instanceof ApiFailure && error.status.code === 404) return null;
    throw error;
  }
}

function timeIn(text = ''): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
