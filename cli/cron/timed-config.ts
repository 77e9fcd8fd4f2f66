import { type EpochMs, later } from '../../shared/domain/base/time.ts';
import type { NextSlot } from '../../shared/domain/cron/due-slot.ts';
import { timeWithOffset } from '../../shared/domain/cron/job-of-slot.ts';
import { configSlots } from '../../shared/capabilities/furiko/domain/config-slots.ts';
import type { ConfigSchedule, JobConfigManifest } from '../../shared/capabilities/furiko/domain/job-config.ts';
import { admitJobConfig } from '../../shared/capabilities/furiko/schema/job-config-admission.ts';
import { given } from '../../shared/schema/object/given.ts';
import type { JobConfig } from '../client/api-objects.ts';
import { Failure } from '../shell/failure.ts';
import { admittedFrom, nameOfFile } from './admitted-file.ts';

/** When a JobConfig fires: its name and namespace are part of it, because `H` is computed from them. */
export type TimedConfig = { readonly name: string; readonly namespace: string; readonly schedule: ConfigSchedule };

/** @returns null: it has no schedule */
export function timedConfigOf({ metadata: { name, namespace }, spec: { schedule } }: JobConfig): TimedConfig | null {
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
export function timedConfigOfFile(found: unknown, file: string, after: EpochMs): TimedConfig {
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

export const hasNoSchedule = (name: string): Failure => new Failure(`error: ${configRef(name)} has no schedule`);

export const configRef = (name: string): string => `jobconfig.execution.furiko.io/${name}`;

const expressionsOf = ({ cron }: ConfigSchedule): readonly string[] =>
  cron?.expressions ?? (cron?.expression === undefined ? [] : [cron.expression]);

/** Its expressions, as one line. */
export const scheduleText = ({ schedule }: TimedConfig): string => expressionsOf(schedule).join('; ');

/** Its zone as it is written; UTC if it names none. */
export function zoneOfConfig({ schedule: { cron } }: TimedConfig): string {
  const { timezone = '' } = cron ?? {};
  return timezone === '' || timezone === 'Local' ? 'UTC' : timezone;
}

export type ConfigTimes =
  | {
      readonly kind: 'slots';
      readonly next: NextSlot;
      /** A moment by the clock of its zone. */
      readonly wall: (at: EpochMs) => string;
    }
  /** A scheduler cannot read it, either. */
  | { readonly kind: 'bad'; readonly message: string };

/** The slots that it has, or would have if it were enabled: within its constraints, and after its last change. */
export function timesOfConfig({ name, namespace, schedule }: TimedConfig): ConfigTimes {
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
export function whyNever({ schedule }: TimedConfig, text: string): string {
  const { notAfter } = schedule.constraints ?? {};
  const why = `no day matches ${JSON.stringify(text)}`;
  return notAfter === undefined ? why : `${why} until spec.schedule.constraints.notAfter, ${notAfter}`;
}
