import { slotsAfter, type NextSlot } from '../../../domain/schedulers/next-slot.ts';
import { at } from '../../../kube/list/stored-field.ts';
import { readAs } from '../../../../cli/client/kube-client.ts';
import type { TimedKind, Timetable } from '../../../../cli/client/timed-kind.ts';
import { type EpochMs, later } from '../../../domain/base/time.ts';
import { timeWithOffset } from '../../../domain/schedulers/wall-time.ts';
import { configSlots } from '../domain/config-slots.ts';
import type { ConfigSchedule, JobConfigManifest } from '../domain/job-config.ts';
import { admitJobConfig } from '../schema/job-config-admission.ts';
import { given } from '../../../schema/object/given.ts';
import { type JobConfig, JobConfigSchema } from './api-objects-of-furiko.ts';
import { Failure } from '../../../../cli/shell/failure.ts';
import { admittedFrom, nameOfFile } from '../../../../cli/client/admitted-file.ts';

/** When a JobConfig fires: its name and namespace are part of it, because `H` is computed from them. */
type TimedConfig = { readonly name: string; readonly namespace: string; readonly schedule: ConfigSchedule };

/** @returns null: it has no schedule */
function timedConfigOf({ metadata: { name, namespace }, spec: { schedule } }: JobConfig): TimedConfig | null {
  if (schedule === undefined) return null;
  const { disabled, cron = {}, constraints = {}, lastUpdated } = schedule;
  const read = { disabled, cron: given(cron), constraints: given(constraints), ...given({ lastUpdated }) };
  return { name, namespace, schedule: read };
}

/**
 * Judges a JobConfig of a file as the API would.
 *
 * @param after the moment after which its slots are wanted: a server that took it later would know none before
 * @throws Failure with all that is wrong
 */
function timedConfigOfFile(found: unknown, file: string, after: EpochMs): TimedConfig {
  const manifest: JobConfigManifest = admittedFrom(found, file, (document, context) =>
    admitJobConfig(document, { ...context, now: after }),
  );
  const { metadata, spec } = manifest;
  if (spec.schedule === undefined) throw hasNoSchedule(metadata.name);
  if (metadata.generateName !== undefined && expressionsOf(spec.schedule).some((each) => HASHED.test(each)))
    throw new Failure(
      `error: the slots of an H depend on the name: give ${nameOfFile(file)} a metadata.name in place of generateName`,
    );
  return { name: metadata.name, namespace: metadata.namespace, schedule: spec.schedule };
}

/** A field's `H`, `H/5`, or `H(0-29)`; not the one of `THU`. */
const HASHED = /(?:^|[\s,])h(?:$|[\s,/(])/i;

const hasNoSchedule = (name: string): Failure => new Failure(`error: ${configRef(name)} has no schedule`);

const configRef = (name: string): string => `jobconfig.execution.furiko.io/${name}`;

const expressionsOf = ({ cron }: ConfigSchedule): readonly string[] =>
  cron?.expressions ?? (cron?.expression === undefined ? [] : [cron.expression]);

/** Its expressions, as one line. */
const scheduleText = ({ schedule }: TimedConfig): string => expressionsOf(schedule).join('; ');

/** Its zone as it is written; UTC if it names none. */
function zoneOfConfig({ schedule: { cron } }: TimedConfig): string {
  const { timezone = '' } = cron ?? {};
  return timezone === '' || timezone === 'Local' ? 'UTC' : timezone;
}

type ConfigTimes =
  | {
      readonly kind: 'slots';
      readonly next: NextSlot;
      /** A moment by the clock of its zone. */
      readonly wall: (at: EpochMs) => string;
    }
  /** A scheduler cannot read it, either. */
  | { readonly kind: 'bad'; readonly message: string };

/** The slots that it has, or would have if it were enabled: within its constraints, and after its last change. */
function timesOfConfig({ name, namespace, schedule }: TimedConfig): ConfigTimes {
  const slots = configSlots({ namespace, name }, { ...schedule, disabled: false });
  if (slots.kind === 'none') return { kind: 'bad', message: 'it has no schedule' };
  if (slots.kind === 'bad') return slots;
  return {
    kind: 'slots',
    next: (after) => slots.next(later(after, slots.from)),
    wall: (at) => timeWithOffset(slots.offsetMs(at), at),
  };
}

/** Why there is no slot after a moment. */
function whyNever({ schedule }: TimedConfig, text: string): string {
  const { notAfter } = schedule.constraints ?? {};
  const why = `no day matches ${JSON.stringify(text)}`;
  return notAfter === undefined ? why : `${why} until spec.schedule.constraints.notAfter, ${notAfter}`;
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

function nextOf(config: TimedConfig, now: EpochMs): EpochMs | null {
  const times = timesOfConfig(config);
  return times.kind === 'bad' || config.schedule.disabled === true ? null : times.next(now);
}

/** `muster cron list` and `next` with JobConfigs. */
export const JOB_CONFIG_TIMES: TimedKind = {
  kind: 'JobConfig',
  refTo: configRef,
  isTimed: (object) => at(object, 'spec', 'schedule') !== undefined,
  timetableOf(object, target) {
    const config = readAs(JobConfigSchema, object, target);
    const timed = timedConfigOf(config);
    if (timed === null) throw hasNoSchedule(config.metadata.name);
    return timetableOfConfig(timed);
  },
  timetableOfFile: (document, file, after) => timetableOfConfig(timedConfigOfFile(document, file, after)),
  rowOf(object, target, now) {
    const config = readAs(JobConfigSchema, object, target);
    const { metadata, status } = config;
    const timed = timedConfigOf(config);
    return {
      namespace: metadata.namespace,
      name: metadata.name,
      schedule: timed === null ? null : scheduleText(timed),
      zone: timed?.schedule.cron?.timezone ?? null,
      isSuspended: timed?.schedule.disabled === true,
      active: status.active,
      lastAt: status.lastScheduled ?? null,
      nextAt: timed === null ? null : nextOf(timed, now),
      createdAt: metadata.creationTimestamp,
    };
  },
  instead: {
    'run-now': (name) => `muster run ${name} makes a Job of it`,
    // Of what its schedule has missed, five minutes are made up for.
    backfill: (name) => `its past slots are not run again; muster run ${name} makes one Job of it`,
    pause: (name) => `muster disable ${name} stops its schedule`,
    resume: (name) => `muster enable ${name} starts its schedule again`,
  },
};
