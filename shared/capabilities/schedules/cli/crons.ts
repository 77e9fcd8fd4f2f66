import { type CronJob, cronJobsPath } from './api-objects-of-schedules.ts';
import { reach, type ChangeFlags } from '../../../../cli/client/reach.ts';
import { type RunFlags, runManifests } from '../../../../cli/commands/run.ts';
import { forEachJob } from '../../../../cli/client/selected-jobs.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { cronNamed } from './named-cron.ts';

/**
 * `muster cron pause` and `resume`: changes `spec.suspend` of each CronJob and reports those that did not change.
 *
 * @returns the exit code
 */
export async function pauseCrons(
  names: readonly string[],
  suspend: boolean,
  flags: ChangeFlags,
  shell: Shell,
): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const done = suspend ? 'paused' : 'resumed';
  return forEachJob([...new Set(names)], shell.err.write, async (name) => {
    const { spec } = await cronNamed(name, namespace, client, suspend ? 'pause' : 'resume');
    if (spec.suspend !== suspend) await client.patch(cronJobsPath(namespace, name), { spec: { suspend } });
    shell.out.write(`cronjob.batch/${name} ${spec.suspend === suspend ? `was ${done} already` : done}\n`);
  });
}

export type RunNowFlags = Omit<RunFlags, 'replacing' | 'removes'> & {
  /** Of the new Job; null: the server makes one. */
  readonly name: string | null;
};

/**
 * `muster cron run-now`: a Job of a CronJob's template, as `kubectl create job --from` makes it.
 *
 * @returns the exit code; with `wait`, the Job's verdict
 */
export async function runCronNow(cronName: string, flags: RunNowFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  const cron = await cronNamed(cronName, namespace, client, 'run-now');
  const manifest = { value: manualJob(cron, flags.name), lineOf: () => null };
  return runManifests([manifest], { ...flags, replacing: 'never' }, shell);
}

/** A server adds five characters, and a name has 63. */
const PREFIX_CHARS_MAX = 58;

/** As kubectl makes it: controlled by the CronJob, which so counts it for its history limits. */
function manualJob({ metadata, spec }: CronJob, name: string | null): object {
  const { metadata: ofTemplate, spec: template } = spec.jobTemplate;
  const suffix = '-manual-';
  const generateName = `${metadata.name.slice(0, PREFIX_CHARS_MAX - suffix.length)}${suffix}`;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...(name === null ? { generateName } : { name }),
      namespace: metadata.namespace,
      ...(ofTemplate.labels === undefined ? {} : { labels: ofTemplate.labels }),
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual', ...ofTemplate.annotations },
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: metadata.name, uid: metadata.uid, controller: true },
      ],
    },
    spec: template,
  };
}
