import { configTimeZone } from '../domain/config-time-zone.ts';
import { hashOfConfig } from '../domain/cron-field.ts';
import { parseFurikoCron } from '../domain/furiko-cron.ts';
import type { ConfigSchedule } from '../domain/job-config.ts';
import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import { type FieldError, forbidden, invalid, required, tooMany } from '../../../schema/object/field-error.ts';
import { given } from '../../../schema/object/given.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import type { ScheduleShape } from './job-config-shape.ts';

const PATH = 'spec.schedule';

/** Furiko's rules for a schedule, with its paths. */
export function scheduleErrors({ cron, constraints }: ScheduleShape, config: ConfigName): readonly FieldError[] {
  if (cron === undefined) return [required(PATH, 'at least one schedule type must be specified: cron')];
  const { expression = '', expressions = [], timezone } = cron;
  if (expressions.length > EXPRESSIONS_MAX)
    return [tooMany(`${PATH}.cron.expressions`, expressions.length, EXPRESSIONS_MAX)];
  const zone = configTimeZone(timezone);
  return [
    ...(expression === '' && expressions.length === 0
      ? [required(`${PATH}.cron.expression`, 'say when: expression, or several expressions')]
      : []),
    ...(expression !== '' && expressions.length > 0
      ? [forbidden(`${PATH}.cron.expressions`, 'cannot specify both expression and expressions')]
      : []),
    ...(expression === '' ? [] : cronErrors(`${PATH}.cron.expression`, expression, config)),
    ...expressions.flatMap((each, nth) => cronErrors(`${PATH}.cron.expressions[${nth}]`, each, config)),
    ...(zone.kind === 'bad'
      ? [invalid(`${PATH}.cron.timezone`, timezone, `cannot parse timezone: ${zone.message}`)]
      : []),
    ...windowErrors(constraints),
  ];
}

/** Each look at a JobConfig computes the next time of each of them. */
const EXPRESSIONS_MAX = 100;

/** From which `H` is computed. */
type ConfigName = { readonly namespace: string; readonly name: string };

function cronErrors(path: string, expression: string, { namespace, name }: ConfigName): readonly FieldError[] {
  const parsed = parseFurikoCron(expression, hashOfConfig(namespace, name));
  return parsed.kind === 'ok' ? [] : [invalid(path, expression, `cannot parse cron schedule: ${parsed.message}`)];
}

/** A window that ends before it begins has no slots. */
function windowErrors({
  notBefore,
  notAfter,
}: NonNullable<ScheduleShape['constraints']> = NO_WINDOW): readonly FieldError[] {
  if (notBefore === undefined || notAfter === undefined || Date.parse(notBefore) <= Date.parse(notAfter)) return [];
  return [invalid(`${PATH}.constraints.notAfter`, notAfter, `must not be before notBefore, ${notBefore}`)];
}

const NO_WINDOW = { notBefore: undefined, notAfter: undefined };

/** A schedule as it is stored, with the time that it has or was given. */
export function scheduleOf({ cron, constraints, disabled = false, lastUpdated }: ScheduleShape): ConfigSchedule {
  const { expression = '', expressions = [], timezone = '' } = cron ?? {};
  const limits = given(constraints ?? {});
  return {
    cron: {
      ...(expression === '' ? {} : { expression }),
      ...(expressions.length === 0 ? {} : { expressions }),
      ...(timezone === '' ? {} : { timezone }),
    },
    disabled,
    ...(Object.keys(limits).length === 0 ? {} : { constraints: limits }),
    ...given({ lastUpdated }),
  };
}

/**
 * The schedule with the time since which it is as it is: no slot before is made up for. A later time that was given stays.
 *
 * @param former undefined: there was none
 */
export function datedSchedule(next: ConfigSchedule, former: ConfigSchedule | undefined, now: EpochMs): ConfigSchedule {
  const isChanged = former === undefined || !isSame(timesOf(next), timesOf(former));
  const since = isChanged ? asTime(now) : former.lastUpdated;
  const { lastUpdated = since } = next;
  return {
    ...next,
    ...given({ lastUpdated: since !== undefined && since > (lastUpdated ?? '') ? since : lastUpdated }),
  };
}

const timesOf = ({ lastUpdated: _, disabled = false, ...times }: ConfigSchedule) => ({ ...times, disabled });
