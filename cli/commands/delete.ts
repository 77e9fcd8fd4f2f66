import type { JobSelection } from '../shell/job-names.ts';
import { forEachJob, selectedNames } from '../client/selected-jobs.ts';
import { jobsPath } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import type { Shell } from '../shell/shell.ts';

export type DeleteFlags = {
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
  /** Only names, for scripts. */
  readonly namesOnly: boolean;
};

/** `muster delete`: when it reports a Job as deleted, users no longer see it. Its tasks are still stopping. */
export async function deleteJobs(selection: JobSelection, flags: DeleteFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const names = await selectedNames(selection, namespace, client);
  return forEachJob(names, shell.err.write, async (name) => {
    await client.remove(jobsPath(namespace, name));
    shell.out.write(flags.namesOnly ? `job.batch/${name}\n` : `job.batch "${name}" deleted\n`);
  });
}
