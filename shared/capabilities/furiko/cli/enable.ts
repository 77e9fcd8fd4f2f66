import { JobConfigSchema } from '../client/api-objects-of-furiko.ts';
import { readAs } from '../../../../cli/client/kube-client.ts';
import { jobConfigsPath } from '../client/api-objects-of-furiko.ts';
import { reach, type ChangeFlags } from '../../../../cli/client/reach.ts';
import { Failure } from '../../../../cli/shell/failure.ts';
import { forEachJob } from '../../../../cli/client/selected-jobs.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';

/**
 * `muster enable` and `disable`: whether the schedules of JobConfigs make Jobs. Reports those that did not change.
 *
 * @returns the exit code
 */
export async function enableConfigs(
  names: readonly string[],
  enable: boolean,
  flags: ChangeFlags,
  shell: Shell,
): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const done = enable ? 'enabled' : 'disabled';
  return forEachJob([...new Set(names)], shell.err.write, async (name) => {
    const path = jobConfigsPath(namespace, name);
    const { schedule } = readAs(JobConfigSchema, await client.get(path), client.target).spec;
    if (schedule === undefined) throw new Failure(`error: jobconfig/${name} has no schedule`);
    const isSo = schedule.disabled === !enable;
    if (!isSo) await client.patch(path, { spec: { schedule: { disabled: !enable } } });
    shell.out.write(`jobconfig.execution.furiko.io/${name} ${isSo ? `was ${done} already` : done}\n`);
  });
}
