import { Failure } from '../failure.ts';
import { connect, jobsPath } from '../kube-client.ts';
import { findTarget } from '../kubeconfig.ts';
import type { Shell } from '../shell.ts';

export type DeleteFlags = { readonly namespace: string | null; readonly kubeconfig: string | null };

/** `muster delete`: each Job is gone for its users when this has said so; its tasks are being stopped. */
export async function deleteJobs(names: readonly string[], flags: DeleteFlags, shell: Shell): Promise<number> {
  const target = findTarget(flags.kubeconfig, shell);
  const client = await connect(target);
  let exitCode = 0;
  for (const name of names) {
    try {
      await client.remove(jobsPath(flags.namespace ?? target.namespace, name));
      shell.out.write(`job.batch "${name}" deleted\n`);
    } catch (error) {
      // As kubectl: one that is missing does not save the others.
      if (!(error instanceof Failure)) throw error;
      shell.err.write(`${error.message}\n`);
      exitCode = error.exitCode;
    }
  }
  return exitCode;
}
