import { type EpochMs, asEpochMs, asTime } from '../../shared/domain/base/time.ts';
import { timeInZone } from '../../shared/domain/cron/job-of-slot.ts';
import { countedFrom, slotsAfter } from '../../shared/domain/cron/slots.ts';
import { CronJobSchema } from '../client/api-objects.ts';
import { cronJobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { type TimedCron, createdAt, knownSlots, readCronFile, timedCronOf, timedCronOfManifest } from './timed-cron.ts';
import { EXIT, Failure } from '../failure.ts';
import { formatDuration } from '../render/age.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { objectText } from '../render/object-text.ts';
import { renderTable } from '../render/table.ts';
import type { Shell } from '../shell.ts';

export type NextFlags = {
  readonly count: number;
  /** The slots after this moment; null: after now. */
  readonly afterMs: number | null;
  readonly namespace: string | null;
  /** null: text for people */
  readonly output: ObjectForm | null;
  readonly kubeconfig: string | null;
};

/** A CronJob of the server, or of a file. */
export type CronSource = { readonly kind: 'name' | 'file'; readonly name: string };

/** `muster cron next`: when a CronJob fires next. */
export async function cronNext(source: CronSource, flags: NextFlags, shell: Shell): Promise<number> {
  const cron = await readTimed(source, flags, shell);
  const { zone, schedule, next } = knownSlots(cron);
  const after = asEpochMs(flags.afterMs ?? shell.now());
  const slots = slotsAfter(next, countedFrom(schedule, cron.stored?.since ?? after, after), flags.count);
  if (slots.length === 0)
    throw new Failure(`error: cronjob.batch/${cron.name} never fires: no day matches ${JSON.stringify(cron.schedule)}`);
  if (flags.output !== null) shell.out.write(objectText(objectOf(cron, zone, slots), flags.output));
  else shell.out.write(tableOf(cron, zone, slots, after));
  if (cron.isSuspended)
    shell.err.write(`cronjob.batch/${cron.name} is suspended: no Job is created until \`muster cron resume\`\n`);
  return EXIT.ok;
}

async function readTimed({ kind, name }: CronSource, flags: NextFlags, shell: Shell): Promise<TimedCron> {
  if (kind === 'file') return timedCronOfManifest(await readCronFile(name, shell));
  const client = await reach(flags.kubeconfig, shell);
  const path = cronJobsPath(flags.namespace ?? client.target.namespace, name);
  return timedCronOf(readAs(CronJobSchema, await client.get(path), client.target));
}

function tableOf(cron: TimedCron, zone: string, slots: readonly EpochMs[], after: EpochMs): string {
  const hasJitter = cron.jitterSec > 0;
  const rows = slots.map((slot) => {
    const at = createdAt(cron, slot);
    const created = at === null ? `up to ${formatDuration(cron.jitterSec * 1000)} later` : asTime(at);
    return [timeInZone(zone, slot), asTime(slot), formatDuration(slot - after), ...(hasJitter ? [created] : [])];
  });
  return renderTable([zone.toUpperCase(), 'UTC', 'IN', ...(hasJitter ? ['CREATED'] : [])], rows);
}

function objectOf(cron: TimedCron, zone: string, slots: readonly EpochMs[]): object {
  return {
    name: cron.name,
    namespace: cron.namespace,
    schedule: cron.schedule,
    timeZone: zone,
    suspend: cron.isSuspended,
    jitterSeconds: cron.jitterSec,
    slots: slots.map((slot) => {
      const at = createdAt(cron, slot);
      return { scheduled: timeInZone(zone, slot), utc: asTime(slot), created: at === null ? null : asTime(at) };
    }),
  };
}
