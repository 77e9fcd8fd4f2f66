import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import { TIMED_KINDS } from '../../lists/cli/command-line.ts';
import { countedFrom, slotsOf } from '../domain/slots.ts';
import { slotsAfter } from '../../../domain/schedulers/next-slot.ts';
import { singularOf } from '../../../domain/kinds/api-kind.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { type CronJob, CronJobSchema, cronJobsPath } from './api-objects-of-schedules.ts';
import { type KubeClient, type Query, pathsOf, readAs } from '../../../../cli/client/kube-client.ts';
import { reach, type ChangeFlags } from '../../../../cli/client/reach.ts';
import { EXIT, Failure } from '../../../../cli/shell/failure.ts';
import { formatAge, formatDuration } from '../../../../cli/text/age.ts';
import type { ObjectForm } from '../../../../cli/render/object-forms.ts';
import { listOf, objectText } from '../../../../cli/render/object-text.ts';
import { renderTable } from '../../../../cli/text/table.ts';
import type { Shell } from '../../../../cli/shell/shell.ts';
import { isForbidden } from './named-cron.ts';
import type { TimedKind, TimedRow } from '../../../../cli/client/timed-kind.ts';
import { timedCronOf } from './timed-cron.ts';

export type CronListFlags = ChangeFlags & {
  readonly allNamespaces: boolean;
  /** null: no label filter */
  readonly selector: string | null;
  /** null: a table */
  readonly output: ObjectForm | 'name' | null;
};

/** `muster cron list`: the CronJobs of a namespace, and other objects that have a schedule, with their next slots. */
export async function listCrons(flags: CronListFlags, shell: Shell): Promise<number> {
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.allNamespaces ? null : (flags.namespace ?? client.target.namespace);
  const query = { labelSelector: flags.selector ?? undefined };
  const { items } = await client.list(cronJobsPath(namespace), query);
  const others: { readonly timed: TimedKind; readonly items: readonly unknown[] }[] = [];
  for (const timed of TIMED_KINDS)
    others.push({ timed, items: await timedObjects(timed, client, namespace, query, shell) });
  if (flags.output === 'json' || flags.output === 'yaml') {
    shell.out.write(objectText(listOf([...items, ...others.flatMap((each) => each.items)]), flags.output));
    return EXIT.ok;
  }
  const crons = items.map((item) => readAs(CronJobSchema, item, client.target));
  const now = asEpochMs(shell.now());
  const lines = [
    ...crons.map((cron) => ({ ref: `cronjob.batch/${cron.metadata.name}`, word: '', row: rowOfCron(cron, now) })),
    ...others.flatMap(({ timed, items: objects }) =>
      objects.map((object) => {
        const row = timed.rowOf(object, client.target, now);
        // A name that the other `muster cron` commands take.
        return { ref: timed.refTo(row.name), word: `${singularOf(API_KINDS[timed.kind])}/`, row };
      }),
    ),
  ];
  if (flags.output === 'name') shell.out.write(lines.map(({ ref }) => `${ref}\n`).join(''));
  else if (lines.length === 0)
    shell.err.write(namespace === null ? 'No resources found\n' : `No resources found in ${namespace} namespace.\n`);
  else shell.out.write(tableOf(lines, flags.allNamespaces, now));
  return EXIT.ok;
}

/** Those that have a schedule; none where the user may not see them: CronJobs are shown all the same. */
async function timedObjects(
  { kind, isTimed }: TimedKind,
  client: KubeClient,
  namespace: string | null,
  query: Query,
  shell: Shell,
): Promise<readonly unknown[]> {
  try {
    const { items } = await client.list(pathsOf(API_KINDS[kind])(namespace), query);
    return items.filter(isTimed);
  } catch (error) {
    if (!isForbidden(error) || !(error instanceof Failure)) throw error;
    shell.err.write(`Warning: ${API_KINDS[kind].kind}s are not shown: ${error.message}\n`);
    return [];
  }
}

const HEAD = ['NAME', 'SCHEDULE', 'TIMEZONE', 'SUSPEND', 'ACTIVE', 'LAST', 'NEXT', 'AGE'];
const NONE = '<none>';

type Line = { readonly word: string; readonly row: TimedRow };

const tableOf = (lines: readonly Line[], hasNamespaces: boolean, now: EpochMs): string =>
  renderTable(
    hasNamespaces ? ['NAMESPACE', ...HEAD] : HEAD,
    lines.map(({ word, row }) => [
      ...(hasNamespaces ? [row.namespace] : []),
      word + row.name,
      row.schedule ?? NONE,
      row.zone ?? NONE,
      row.isSuspended ? 'True' : 'False',
      String(row.active),
      row.lastAt === null ? NONE : `${formatAge(row.lastAt, now)} ago`,
      row.nextAt === null ? NONE : `in ${formatDuration(row.nextAt - now)}`,
      formatAge(row.createdAt, now),
    ]),
  );

function rowOfCron(cron: CronJob, now: EpochMs): TimedRow {
  const { metadata, spec, status } = cron;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    schedule: spec.schedule,
    zone: spec.timeZone ?? null,
    isSuspended: spec.suspend,
    active: status.active.length,
    lastAt: status.lastScheduleTime ?? null,
    nextAt: nextOf(cron, now),
    createdAt: metadata.creationTimestamp,
  };
}

function nextOf(cron: CronJob, now: EpochMs): EpochMs | null {
  const slots = slotsOf(cron.spec);
  if (slots.kind === 'none' || cron.spec.suspend) return null;
  const from = countedFrom(slots.schedule, timedCronOf(cron).stored?.since ?? now, now);
  return slotsAfter(slots.next, from, 1)[0] ?? null;
}
