import { HOSTS_MAX, ZONE_CHARS_MAX } from '../domain/task/host-names.ts';

// What settings may be: asked where they are given (a deployment, the command line) and where they are read (a function's
// environment), in the same words. Each answers null for what makes sense, else what would.

/** A number as people write it; NaN, which is within no bounds, for what is none. */
export const numberIn = (text: string): number => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

/** Slower, and nobody could tell it from standing still; faster, and no account has it. */
const PER_SEC = { min: 0.1, max: 1_000 } as const;

/** Calls a second. */
export const rateError = (value: number): string | null =>
  value >= PER_SEC.min && value <= PER_SEC.max
    ? null
    : `must be calls a second, a number from ${PER_SEC.min} to ${PER_SEC.max}`;

/** AWS's own limits of calls a second; an account may have been given more. */
export type CallQuotas = {
  /** Fargate: RunTask, burst and sustained (aws.md 1.4). */
  readonly runTaskPerSec: number;
  /** ECS's bucket "cluster resource modify": RunTask and StopTask together, sustained. */
  readonly ecsPerSec: number;
};

export const USUAL_QUOTAS: CallQuotas = { runTaskPerSec: 20, ecsPerSec: 40 };

/** What is wrong with two rates beside AWS's limits, and which of them is to be changed. */
export function ratesError(
  { launchesPerSec, stopsPerSec }: { readonly launchesPerSec: number; readonly stopsPerSec: number },
  { runTaskPerSec, ecsPerSec }: CallQuotas,
): { readonly of: 'launchesPerSec' | 'stopsPerSec'; readonly message: string } | null {
  if (launchesPerSec > runTaskPerSec)
    return {
      of: 'launchesPerSec',
      message: `Fargate takes ${runTaskPerSec} RunTask calls a second of the whole account: set at most ${runTaskPerSec}, or runTaskQuota once AWS has given you more`,
    };
  if (launchesPerSec + stopsPerSec <= ecsPerSec) return null;
  return {
    of: 'stopsPerSec',
    message: `with ${launchesPerSec} launches it is more than the ${ecsPerSec} calls a second that ECS takes of RunTask and StopTask together: set at most ${rounded(ecsPerSec - launchesPerSec)}, or ecsQuota once AWS has given you more`,
  };
}

const rounded = (perSec: number): number => Math.round(perSec * 10) / 10;

/** Concurrent invocations; of an account's, 100 cannot be reserved (Lambda developer guide, reserved concurrency). */
const CONCURRENCY = { min: 1, max: 10_000 } as const;
export const concurrencyError = (value: number): string | null =>
  Number.isInteger(value) && value >= CONCURRENCY.min && value <= CONCURRENCY.max
    ? null
    : `must be a whole number from ${CONCURRENCY.min} to ${CONCURRENCY.max}; AWS takes it of accounts that have 100 more than that`;

/** Days for which history is kept. */
const DAYS = { min: 1, max: 3_650 } as const;
export const daysError = (value: number): string | null =>
  value >= DAYS.min && value <= DAYS.max ? null : `must be days, a number from ${DAYS.min} to ${DAYS.max}`;

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names of machines end in none of these, or the VPC's resolver answers for them itself. */
const TAKEN = ['amazonaws.com', 'amazonaws.com.cn', 'compute.internal', 'ec2.internal', 'localhost'];

/** The zone where nobody has named another. */
export const USUAL_ZONE = 'muster.internal';

/** The zone that names of tasks end in. In the VPC it hides whatever else has that name. */
export function zoneError(zone: string): string | null {
  const labels = zone.split('.');
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1) ?? ''))
    return 'must be a DNS name of two labels or more in small letters, such as muster.internal';
  if (zone.length > ZONE_CHARS_MAX)
    return `must be no more than ${ZONE_CHARS_MAX} characters, for names are longer than it`;
  const taken = TAKEN.find((name) => zone === name || zone.endsWith(`.${name}`));
  return taken === undefined ? null : `must not end in ${taken}, which is taken: use a name such as muster.internal`;
}

/** Names that one zone holds, of all Jobs together, unless AWS has given it more. */
export const USUAL_HOSTS_MAX = HOSTS_MAX;
const HOSTS = { min: 1, max: 50 * HOSTS_MAX } as const;
export const hostsMaxError = (value: number): string | null =>
  Number.isInteger(value) && value >= HOSTS.min && value <= HOSTS.max
    ? null
    : `must be a whole number from ${HOSTS.min} to ${HOSTS.max}; AWS Cloud Map holds ${HOSTS_MAX} in a namespace unless it has given you more`;
