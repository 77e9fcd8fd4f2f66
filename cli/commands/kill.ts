import { verdictOf } from '../client/job-end.ts';
import { asEpochMs, asTime } from '../../shared/domain/base/time.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { OTHER_JOBS } from '../../shared/capabilities/lists/cli/command-line.ts';
import { type Job, JobSchema } from '../client/api-objects.ts';
import { type KubeClient, jobsPath, readAs } from '../client/kube-client.ts';
import { reach, type ChangeFlags } from '../client/reach.ts';
import { Failure, usageFailure } from '../shell/failure.ts';
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
    const killTime = await killTimeOf(job, client);
    if (killTime.atMs !== null && !overrides)
      throw new Failure(
        `error: job.batch/${name} is to be killed at ${asTime(asEpochMs(killTime.atMs))}; --override sets another moment`,
      );
    const at = asTime(asEpochMs(atMs ?? shell.now()));
    await killTime.set(at);
    shell.out.write(`job.batch/${name} ${atMs === null ? 'killed' : `to be killed at ${at}`}\n`);
  });
}

/** A Job of another API has it in a field, which makes the annotation. */
async function killTimeOf({ metadata: { namespace, name, annotations } }: Job, client: KubeClient) {
  for (const { killTime } of OTHER_JOBS) {
    const found = await killTime(namespace, name, client);
    if (found !== null) return found;
  }
  const set = (at: string) =>
    client.patch(jobsPath(namespace, name), { metadata: { annotations: { [ANNOTATIONS.killAt]: at } } });
  return { atMs: timeIn(annotations[ANNOTATIONS.killAt]), set };
}

function timeIn(text = ''): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
