import { type Selection, forEachJob, selectedNames } from '../job-names.ts';
import { jobsPath } from '../kube-client.ts';
import { reach } from '../reach.ts';
import type { Shell } from '../shell.ts';

export type DeleteFlags = {
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
  /** Names alone, for scripts. */
  readonly namesOnly: boolean;
};

/** `muster delete`: each Job is gone for its users when this has said so; its tasks are being stopped. */
export async function deleteJobs(selection: Selection, flags: DeleteFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const names = await selectedNames(selection, namespace, client);
  return forEachJob(names, shell.err.write, async (name) => {
    await client.remove(jobsPath(namespace, name));
    shell.out.write(flags.namesOnly ? `job.batch/${name}\n` : `job.batch "${name}" deleted\n`);
  });
}
