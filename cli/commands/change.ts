import { verdictOf } from '../client/job-end.ts';
import { JobSchema } from '../client/api-objects.ts';
import { Failure } from '../shell/failure.ts';
import type { JobSelection } from '../shell/job-names.ts';
import { forEachJob, selectedNames } from '../client/selected-jobs.ts';
import { jobsPath, readAs } from '../client/kube-client.ts';
import { type ChangeFlags, reach } from '../client/reach.ts';
import type { Shell } from '../shell/shell.ts';

/** A change to a Job's spec as a merge patch, and the word for it. */
export type JobChange = {
  readonly spec: { readonly suspend?: boolean; readonly parallelism?: number; readonly completions?: number };
  /** `suspended` */
  readonly done: string;
};

/**
 * `muster suspend`, `resume`, and `scale`: patches each Job and reports those that did not change.
 *
 * @returns the exit code
 */
export async function changeJobs(
  selection: JobSelection,
  change: JobChange,
  flags: ChangeFlags,
  shell: Shell,
): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const names = await selectedNames(selection, namespace, client);
  return forEachJob(names, shell.err.write, async (name) => {
    const path = jobsPath(namespace, name);
    const before = readAs(JobSchema, await client.get(path), client.target);
    const verdict = verdictOf(before);
    if (verdict !== null)
      throw new Failure(`error: job.batch/${name} is over (${verdict}); it can no longer be ${change.done}`);
    const after = readAs(JobSchema, await client.patch(path, { spec: change.spec }), client.target);
    const isSame = after.metadata.resourceVersion === before.metadata.resourceVersion;
    shell.out.write(`job.batch/${name} ${isSame ? `was ${change.done} already` : change.done}\n`);
  });
}
