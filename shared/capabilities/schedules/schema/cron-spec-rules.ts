import { parseSchedule } from '../domain/cron-schedule.ts';
import { findTimeZone } from '../../../domain/base/time-zone.ts';
import type { CronJobSpecShape } from './cron-shape.ts';
import { type FieldError, invalid, notSupported, required } from '../../../schema/object/field-error.ts';

/** Values of the stored spec. An update does not check unchanged values again. */
export type FormerTimes = { readonly schedule: string; readonly timeZone?: string };

/** Kubernetes' rules for a CronJob's times, with its paths and words, in its order. `former`: null on create. */
export function timesErrors(spec: CronJobSpecShape, former: FormerTimes | null): readonly FieldError[] {
  return [
    ...scheduleErrors(spec, former),
    ...negativeErrors('startingDeadlineSeconds', spec.startingDeadlineSeconds),
    ...(former === null || former.timeZone !== spec.timeZone ? timeZoneErrors(spec.timeZone) : []),
    ...policyErrors(spec.concurrencyPolicy),
  ];
}

/** The same for the history limits. */
export function historyErrors(spec: CronJobSpecShape): readonly FieldError[] {
  return [
    ...negativeErrors('successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...negativeErrors('failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
  ];
}

const ZONE_IN_SCHEDULE = 'TZ';

/** Whether the schedule names a time zone. As in Kubernetes, these letters anywhere count. */
export const namesZone = (schedule: string): boolean => schedule.includes(ZONE_IN_SCHEDULE);

function scheduleErrors(
  { schedule = '', timeZone }: CronJobSpecShape,
  former: FormerTimes | null,
): readonly FieldError[] {
  const path = 'spec.schedule';
  if (schedule === '') return [required(path)];
  const parsed = parseSchedule(schedule);
  const errors = parsed.kind === 'bad' ? [invalid(path, schedule, parsed.reason)] : [];
  if (!namesZone(schedule)) return errors;
  // Older Kubernetes accepted it, so a stored CronJob may keep it.
  if (former === null || !namesZone(former.schedule))
    return [...errors, invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  return timeZone === undefined
    ? errors
    : [...errors, invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')];
}

const ZONE_PART = /^(?!-|\.{1,2}$)[A-Za-z.\-_0-9+]{1,14}$/;

function timeZoneErrors(timeZone: string | undefined): readonly FieldError[] {
  const path = 'spec.timeZone';
  if (timeZone === undefined) return [];
  if (timeZone === '') return [invalid(path, timeZone, 'timeZone must be nil or non-empty string')];
  if (!timeZone.split('/').every((part) => ZONE_PART.test(part)))
    return [invalid(path, timeZone, `unknown time zone ${timeZone}`)];
  const zone = findTimeZone(timeZone);
  return [
    ...(timeZone.toLowerCase() === 'local'
      ? [
          invalid(
            path,
            timeZone,
            'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
          ),
        ]
      : []),
    ...(zone.kind === 'unknown' ? [invalid(path, timeZone, zone.reason)] : []),
  ];
}

export const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'] as const;

/** An omitted policy has a default. */
function policyErrors(policy = ''): readonly FieldError[] {
  const isKnown = policy === '' || CONCURRENCY_POLICIES.some((known) => known === policy);
  return isKnown ? [] : [notSupported('spec.concurrencyPolicy', policy, CONCURRENCY_POLICIES)];
}

const negativeErrors = (field: string, value: number | undefined): readonly FieldError[] =>
  value !== undefined && value < 0 ? [invalid(`spec.${field}`, value, 'must be greater than or equal to 0')] : [];
