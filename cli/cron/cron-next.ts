import { type EpochMs, asEpochMs, asTime } from '../../shared/domain/base/time.ts';
import { timeInZone } from '../../shared/domain/cron/job-of-slot.ts';
import { countedFrom, slotsAfter } from '../../shared/domain/cron/slots.ts';
import { at as fieldAt } from '../../shared/kube/list/stored-field.ts';
import { type CronJob, CronJobSchema, type JobConfig } from '../client/api-objects.ts';
import { type KubeClient, cronJobsPath, readAs } from '../client/kube-client.ts';
import { reach } from '../client/reach.ts';
import { EXIT, Failure, usageFailure } from '../shell/failure.ts';
import type { CronOrConfigName } from '../shell/job-names.ts';
import { readManifest } from '../shell/manifest-file.ts';
import { formatDuration } from '../text/age.ts';
import type { ObjectForm } from '../render/object-forms.ts';
import { objectText } from '../render/object-text.ts';
import { renderTable } from '../text/table.ts';
import type { Shell } from '../shell/shell.ts';
import { nameOfFile } from './admitted-file.ts';
import { configNamed, cronOrConfig } from './named-cron.ts';
import {
  type TimedConfig,
  configRef,
  hasNoSchedule,
  scheduleText,
  timedConfigOf,
  timedConfigOfFile,
  timesOfConfig,
  whyNever,
  zoneOfConfig,
} from './timed-config.ts';
import { type TimedCron, admitted, createdAt, knownSlots, timedCronOf, timedCronOfManifest } from './timed-cron.ts';

export type NextFlags = {
  readonly count: number;
  /** The slots after this moment; null: after now. */
  readonly afterMs: number | null;
  readonly namespace: string | null;
  /** null: text for people */
  readonly output: ObjectForm | null;
  readonly kubeconfig: string | null;
};

/** A CronJob or a JobConfig of the server, or of a file. */
export type CronSource = { readonly kind: 'file'; readonly file: string } | CronOrConfigName;

/** What is shown of either kind. */
type Timetable = {
  readonly kind: 'CronJob' | 'JobConfig';
  /** `cronjob.batch/report` */
  readonly ref: string;
  readonly name: string;
  readonly namespace: string;
  readonly schedule: string;
  readonly zone: string;
  readonly wall: (at: EpochMs) => string;
  readonly slotsAfter: (after: EpochMs, count: number) => readonly EpochMs[];
  readonly jitterSec: number;
  readonly createdAt: (slot: EpochMs) => EpochMs | null;
  readonly whyNever: string;
  /** Why no slot makes a Job, and what changes that; null: slots do. */
  readonly pause: string | null;
};

/** `muster cron next`: when a CronJob or a JobConfig fires next. */
export async function cronNext(source: CronSource, flags: NextFlags, shell: Shell): Promise<number> {
  const after = asEpochMs(flags.afterMs ?? shell.now());
  const timetable = await readTimetable(source, after, flags, shell);
  const slots = timetable.slotsAfter(after, flags.count);
  if (slots.length === 0) throw new Failure(`error: ${timetable.ref} never fires: ${timetable.whyNever}`);
  if (flags.output !== null) shell.out.write(objectText(objectOf(timetable, slots), flags.output));
  else shell.out.write(tableOf(timetable, slots, after));
  if (timetable.pause !== null) shell.err.write(`${timetable.ref} is ${timetable.pause}\n`);
  return EXIT.ok;
}

async function readTimetable(source: CronSource, after: EpochMs, flags: NextFlags, shell: Shell): Promise<Timetable> {
  if (source.kind === 'file') return timetableOfFile(await readManifest(source.file, shell), source.file, after);
  const client = await reach(flags.kubeconfig, shell);
  const namespace = flags.namespace ?? client.target.namespace;
  switch (source.kind) {
    case 'cron':
      return timetableOfCron(timedCronOf(await cronNamed(source.name, namespace, client)));
    case 'config':
      return timetableOfStored(await configNamed(source.name, namespace, client));
    case 'either': {
      const found = await cronOrConfig(source.name, namespace, client);
      return found.kind === 'cron' ? timetableOfCron(timedCronOf(found.cron)) : timetableOfStored(found.config);
    }
  }
}

const cronNamed = async (name: string, namespace: string, client: KubeClient): Promise<CronJob> =>
  readAs(CronJobSchema, await client.get(cronJobsPath(namespace, name)), client.target);

function timetableOfFile(document: unknown, file: string, after: EpochMs): Timetable {
  const kind = fieldAt(document, 'kind');
  switch (kind) {
    case 'CronJob':
      return timetableOfCron(timedCronOfManifest(admitted(document, file)));
    case 'JobConfig':
      return timetableOfConfig(timedConfigOfFile(document, file, after));
    default: {
      const what = typeof kind === 'string' && kind !== '' ? `the kind ${JSON.stringify(kind)}` : 'no kind';
      throw usageFailure(`${nameOfFile(file)} has ${what}: muster cron next takes a CronJob or a JobConfig`);
    }
  }
}

function timetableOfCron(cron: TimedCron): Timetable {
  const { zone, schedule, next } = knownSlots(cron);
  const { name, namespace, jitterSec } = cron;
  return {
    kind: 'CronJob',
    ref: `cronjob.batch/${name}`,
    name,
    namespace,
    schedule: cron.schedule,
    zone,
    wall: (at) => timeInZone(zone, at),
    slotsAfter: (after, count) => slotsAfter(next, countedFrom(schedule, cron.stored?.since ?? after, after), count),
    jitterSec,
    createdAt: (slot) => createdAt(cron, slot),
    whyNever: `no day matches ${JSON.stringify(cron.schedule)}`,
    pause: cron.isSuspended ? 'suspended: no Job is created until `muster cron resume`' : null,
  };
}

function timetableOfStored(config: JobConfig): Timetable {
  const timed = timedConfigOf(config);
  if (timed === null) throw hasNoSchedule(config.metadata.name);
  return timetableOfConfig(timed);
}

function timetableOfConfig(config: TimedConfig): Timetable {
  const { name, namespace } = config;
  const times = timesOfConfig(config);
  if (times.kind === 'bad') throw new Failure(`error: ${configRef(name)} never fires: ${times.message}`);
  const { next, wall } = times;
  const schedule = scheduleText(config);
  return {
    kind: 'JobConfig',
    ref: configRef(name),
    name,
    namespace,
    schedule,
    zone: zoneOfConfig(config),
    wall,
    slotsAfter: (after, count) => slotsAfter(next, after, count),
    jitterSec: 0,
    createdAt: (slot) => slot,
    whyNever: whyNever(config, schedule),
    pause: config.schedule.disabled === true ? 'disabled: no Job is created until `muster enable`' : null,
  };
}

function tableOf({ zone, wall, jitterSec, createdAt: created }: Timetable, slots: readonly EpochMs[], after: EpochMs) {
  const hasJitter = jitterSec > 0;
  const rows = slots.map((slot) => {
    const at = created(slot);
    const when = at === null ? `up to ${formatDuration(jitterSec * 1000)} later` : asTime(at);
    return [wall(slot), asTime(slot), formatDuration(slot - after), ...(hasJitter ? [when] : [])];
  });
  return renderTable([zone.toUpperCase(), 'UTC', 'IN', ...(hasJitter ? ['CREATED'] : [])], rows);
}

const objectOf = (timetable: Timetable, slots: readonly EpochMs[]): object => ({
  kind: timetable.kind,
  name: timetable.name,
  namespace: timetable.namespace,
  schedule: timetable.schedule,
  timeZone: timetable.zone,
  suspend: timetable.pause !== null,
  jitterSeconds: timetable.jitterSec,
  slots: slots.map((slot) => {
    const at = timetable.createdAt(slot);
    return { scheduled: timetable.wall(slot), utc: asTime(slot), created: at === null ? null : asTime(at) };
  }),
});
