import { HOSTS_MAX, ZONE_CHARS_MAX } from '../domain/task/host-names.ts';

// The valid values of settings, checked with the same words where they are given (a deployment, the command line) and
// where they are read (a function's environment). Each check returns null for a valid value, otherwise a message.

/** A number in plain decimal notation. NaN, which no bounds include, for anything else. */
export const numberIn = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

/** A slower rate looks like a standstill, and no account has a faster one. */
const PER_SEC = { min: 0.1, max: 1_000 } as const;

/** Checks calls per second. */
export const rateError = (value: number): string | null =>
  value >= PER_SEC.min && value <= PER_SEC.max
    ? null
    : `must be a number of calls per second from ${PER_SEC.min} to ${PER_SEC.max}`;

/** AWS's limits in calls per second. AWS may raise them for an account. */
export type CallQuotas = {
  /** Fargate's limit of RunTask, burst and sustained (aws.md 1.4). */
  readonly runTaskPerSec: number;
  /** ECS's bucket "cluster resource modify": RunTask and StopTask together, sustained. */
  readonly ecsPerSec: number;
};

export const USUAL_QUOTAS: CallQuotas = { runTaskPerSec: 20, ecsPerSec: 40 };

/** Checks two rates against AWS's limits, and says which one to change. */
export function ratesError(
  { launchesPerSec, stopsPerSec }: { readonly launchesPerSec: number; readonly stopsPerSec: number },
  { runTaskPerSec, ecsPerSec }: CallQuotas,
): { readonly of: 'launchesPerSec' | 'stopsPerSec'; readonly message: string } | null {
  if (launchesPerSec > runTaskPerSec)
    return {
      of: 'launchesPerSec',
      message: `Fargate allows ${runTaskPerSec} RunTask calls per second for the whole account: set at most ${runTaskPerSec}, or set runTaskQuota if AWS has raised your quota`,
    };
  if (launchesPerSec + stopsPerSec <= ecsPerSec) return null;
  return {
    of: 'stopsPerSec',
    message: `ECS allows ${ecsPerSec} calls per second of RunTask and StopTask together, and launchesPerSec is ${launchesPerSec}: set at most ${rounded(ecsPerSec - launchesPerSec)}, or set ecsQuota if AWS has raised your quota`,
  };
}

const rounded = (perSec: number): number => Math.round(perSec * 10) / 10;

/** Concurrent invocations. An account must keep 100 unreserved (Lambda developer guide, reserved concurrency). */
const CONCURRENCY = { min: 1, max: 10_000 } as const;
export const concurrencyError = (value: number): string | null =>
  Number.isInteger(value) && value >= CONCURRENCY.min && value <= CONCURRENCY.max
    ? null
    : `must be a whole number from ${CONCURRENCY.min} to ${CONCURRENCY.max}; AWS requires that the account has 100 more than that`;

/** Days for which history is kept. */
const DAYS = { min: 1, max: 3_650 } as const;
export const daysError = (value: number): string | null =>
  value >= DAYS.min && value <= DAYS.max ? null : `must be a number of days from ${DAYS.min} to ${DAYS.max}`;

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** The VPC's resolver answers for these itself. */
const TAKEN = ['amazonaws.com', 'amazonaws.com.cn', 'compute.internal', 'ec2.internal', 'localhost'];

/** The default zone. */
/** A name, or an ARN of another account's or Region's bus. */
const BUS = /^(?:[\w./-]{1,256}|arn:[\w-]+:events:[\w-]+:\d{12}:event-bus\/[\w./-]{1,256})$/;

/** Why a text names no event bus; null: it does. */
export const eventBusError = (bus: string): string | null =>
  BUS.test(bus) ? null : 'must be the name of an event bus, such as default, or its ARN';

export const USUAL_ZONE = 'muster.internal';

/** Checks the zone for tasks' names. Inside the VPC it hides any other zone of that name. */
export function zoneError(zone: string): string | null {
  const labels = zone.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? ''))
    return 'must be a lowercase DNS name of two labels or more, such as muster.internal';
  if (zone.length > ZONE_CHARS_MAX)
    return `must be no more than ${ZONE_CHARS_MAX} characters, because every name ends with it`;
  const taken = TAKEN.find((name) => zone === name || zone.endsWith(`.${name}`));
  return taken === undefined ? null : `must not end in ${taken}, which AWS uses: choose a name such as muster.internal`;
}

/** The default limit of names in one zone, for all Jobs together. AWS may raise it. */
export const USUAL_HOSTS_MAX = HOSTS_MAX;
const HOSTS = { min: 1, max: 50 * HOSTS_MAX } as const;
export const hostsMaxError = (value: number): string | null =>
  Number.isInteger(value) && value >= HOSTS.min && value <= HOSTS.max
    ? null
    : `must be a whole number from ${HOSTS.min} to ${HOSTS.max}; AWS Cloud Map holds ${HOSTS_MAX} in a namespace unless AWS has raised your quota`;
