import { asEpochMs } from '../../shared/domain/base/time.ts';
import { countedFrom, slotsAfter, slotsOf } from '../../shared/domain/cron/slots.ts';
import { type CronJob, CronJobSchema } from '../client/api-objects.ts';
import { cronJobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { timedCronOf } from './timed-cron.ts';
import { EXIT } from '../failure.ts';
import { formatAge, formatDuration } from '../render/age.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { listOf, objectText } from '../render/object-text.ts';
import { renderTable } from '../render/table.ts';
import { forEachJob } from '../selected-jobs.ts';
import type { Shell } from '../shell.ts';
import type { ChangeFlags } from '../commands/change.ts';
import { type RunFlags, runManifests } from '../commands/run.ts';

export type CronListFlags = ChangeFlags & {
  readonly allNamespaces: boolean;
  /** null: no label filter */
  readonly selector: string | null;
  /** null: a table */
  readonly output: ObjectForm | 'name' | null;
};

/** `muster cron list`: the CronJobs of a namespace, with their next slots. */
export async function listCrons(flags: CronListFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.allNamespaces ? null : (flags.namespace ?? client.target.namespace);
  const { items } = await client.list(cronJobsPath(namespace), { labelSelector: flags.selector ?? undefined });
  if (flags.output === 'json' || flags.output === 'yaml') {
    shell.out.write(objectText(listOf(items), flags.output));
    return EXIT.ok;
  }
  const crons = items.map((item) => readAs(CronJobSchema, item, client.target));
  if (flags.output === 'name')
    shell.out.write(crons.map(({ metadata }) => `cronjob.batch/${metadata.name}\n`).join(''));
  else if (crons.length === 0)
    shell.err.write(namespace === null ? 'No resources found\n' : `No resources found in ${namespace} namespace.\n`);
  else shell.out.write(tableOf(crons, flags.allNamespaces, shell.now()));
  return EXIT.ok;
}

const HEAD = ['NAME', 'SCHEDULE', 'TIMEZONE', 'SUSPEND', 'ACTIVE', 'LAST', 'NEXT', 'AGE'];
const NONE = '<none>';

function tableOf(crons: readonly CronJob[], hasNamespaces: boolean, nowMs: number): string {
  const rows = crons.map((cron) => {
    const { metadata, spec, status } = cron;
    const { lastScheduleTime: lastAt = null } = status;
    return [
      ...(hasNamespaces ? [metadata.namespace] : []),
      metadata.name,
      spec.schedule,
      spec.timeZone ?? NONE,
      spec.suspend ? 'True' : 'False',
      String(status.active.length),
      lastAt === null ? NONE : `${formatAge(lastAt, nowMs)} ago`,
      nextIn(cron, nowMs),
      formatAge(metadata.creationTimestamp, nowMs),
    ];
  });
  return renderTable(hasNamespaces ? ['NAMESPACE', ...HEAD] : HEAD, rows);
}

function nextIn(cron: CronJob, nowMs: number): string {
  const slots = slotsOf(cron.spec);
  if (slots.kind === 'none' || cron.spec.suspend) return NONE;
  const now = asEpochMs(nowMs);
  const from = countedFrom(slots.schedule, timedCronOf(cron).stored?.since ?? now, now);
  const [slot] = slotsAfter(slots.next, from, 1);
  return slot === undefined ? NONE : `in ${formatDuration(slot - now)}`;
}

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
    const path = cronJobsPath(namespace, name);
    const { spec } = readAs(CronJobSchema, await client.get(path), client.target);
    if (spec.suspend !== suspend) await client.patch(path, { spec: { suspend } });
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
  const cron = readAs(CronJobSchema, await client.get(cronJobsPath(namespace, cronName)), client.target);
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
