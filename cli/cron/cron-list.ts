import { asEpochMs } from '../../shared/domain/base/time.ts';
import { countedFrom, slotsAfter, slotsOf } from '../../shared/domain/cron/slots.ts';
import { at } from '../../shared/kube/list/stored-field.ts';
import { type CronJob, CronJobSchema, type JobConfig, JobConfigSchema } from '../client/api-objects.ts';
import { type KubeClient, type Query, cronJobsPath, jobConfigsPath, readAs } from '../client/kube-client.ts';
import { reach, type ChangeFlags } from '../client/reach.ts';
import { EXIT, Failure } from '../shell/failure.ts';
import { formatAge, formatDuration } from '../text/age.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { listOf, objectText } from '../render/object-text.ts';
import { renderTable } from '../text/table.ts';
import type { Shell } from '../shell/shell.ts';
import { isForbidden } from './named-cron.ts';
import { type TimedConfig, configRef, scheduleText, timedConfigOf, timesOfConfig } from './timed-config.ts';
import { timedCronOf } from './timed-cron.ts';

export type CronListFlags = ChangeFlags & {
  readonly allNamespaces: boolean;
  /** null: no label filter */
  readonly selector: string | null;
  /** null: a table */
  readonly output: ObjectForm | 'name' | null;
};

/** `muster cron list`: the CronJobs of a namespace, and the JobConfigs that have a schedule, with their next slots. */
export async function listCrons(flags: CronListFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.allNamespaces ? null : (flags.namespace ?? client.target.namespace);
  const query = { labelSelector: flags.selector ?? undefined };
  const { items } = await client.list(cronJobsPath(namespace), query);
  const configItems = await scheduledConfigs(client, namespace, query, shell);
  if (flags.output === 'json' || flags.output === 'yaml') {
    shell.out.write(objectText(listOf([...items, ...configItems]), flags.output));
    return EXIT.ok;
  }
  const crons = items.map((item) => readAs(CronJobSchema, item, client.target));
  const configs = configItems.map((item) => readAs(JobConfigSchema, item, client.target));
  if (flags.output === 'name') shell.out.write(namesOf(crons, configs));
  else if (crons.length + configs.length === 0)
    shell.err.write(namespace === null ? 'No resources found\n' : `No resources found in ${namespace} namespace.\n`);
  else shell.out.write(tableOf(crons, configs, flags.allNamespaces, shell.now()));
  return EXIT.ok;
}

/** None where the user may not see JobConfigs: CronJobs are shown all the same. */
async function scheduledConfigs(client: KubeClient, namespace: string | null, query: Query, shell: Shell) {
  try {
    const { items } = await client.list(jobConfigsPath(namespace), query);
    return items.filter((item) => at(item, 'spec', 'schedule') !== undefined);
  } catch (error) {
    if (!isForbidden(error) || !(error instanceof Failure)) throw error;
    shell.err.write(`Warning: JobConfigs are not shown: ${error.message}\n`);
    return [];
  }
}

const namesOf = (crons: readonly CronJob[], configs: readonly JobConfig[]): string =>
  [
    ...crons.map(({ metadata }) => `cronjob.batch/${metadata.name}\n`),
    ...configs.map(({ metadata }) => `${configRef(metadata.name)}\n`),
  ].join('');

const HEAD = ['NAME', 'SCHEDULE', 'TIMEZONE', 'SUSPEND', 'ACTIVE', 'LAST', 'NEXT', 'AGE'];
const NONE = '<none>';

function tableOf(
  crons: readonly CronJob[],
  configs: readonly JobConfig[],
  hasNamespaces: boolean,
  nowMs: number,
): string {
  const rows = [...crons.map((each) => cronRow(each, nowMs)), ...configs.map((each) => configRow(each, nowMs))];
  return renderTable(
    hasNamespaces ? ['NAMESPACE', ...HEAD] : HEAD,
    rows.map(({ namespace, cells }) => (hasNamespaces ? [namespace, ...cells] : cells)),
  );
}

type Row = { readonly namespace: string; readonly cells: readonly string[] };

function cronRow(cron: CronJob, nowMs: number): Row {
  const { metadata, spec, status } = cron;
  return {
    namespace: metadata.namespace,
    cells: [
      metadata.name,
      spec.schedule,
      spec.timeZone ?? NONE,
      flag(spec.suspend),
      String(status.active.length),
      ago(status.lastScheduleTime, nowMs),
      nextIn(cron, nowMs),
      formatAge(metadata.creationTimestamp, nowMs),
    ],
  };
}

/** Its name is one that the other `muster cron` commands take. */
function configRow(config: JobConfig, nowMs: number): Row {
  const { metadata, status } = config;
  const timed = timedConfigOf(config);
  return {
    namespace: metadata.namespace,
    cells: [
      `jobconfig/${metadata.name}`,
      timed === null ? NONE : scheduleText(timed),
      timed?.schedule.cron?.timezone ?? NONE,
      flag(timed?.schedule.disabled === true),
      String(status.active),
      ago(status.lastScheduled, nowMs),
      timed === null ? NONE : nextOfConfig(timed, nowMs),
      formatAge(metadata.creationTimestamp, nowMs),
    ],
  };
}

const flag = (is: boolean): string => (is ? 'True' : 'False');
const ago = (at: number | undefined, nowMs: number): string =>
  at === undefined ? NONE : `${formatAge(at, nowMs)} ago`;

function nextIn(cron: CronJob, nowMs: number): string {
  const slots = slotsOf(cron.spec);
  if (slots.kind === 'none' || cron.spec.suspend) return NONE;
  const now = asEpochMs(nowMs);
  const from = countedFrom(slots.schedule, timedCronOf(cron).stored?.since ?? now, now);
  const [slot] = slotsAfter(slots.next, from, 1);
  return slot === undefined ? NONE : `in ${formatDuration(slot - now)}`;
}

function nextOfConfig(config: TimedConfig, nowMs: number): string {
  const times = timesOfConfig(config);
  if (times.kind === 'bad' || config.schedule.disabled === true) return NONE;
  const slot = times.next(asEpochMs(nowMs));
  return slot === null ? NONE : `in ${formatDuration(slot - nowMs)}`;
}
