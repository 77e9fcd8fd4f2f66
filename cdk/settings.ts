import * as z from 'zod';
import {
  USUAL_HOSTS_MAX,
  USUAL_QUOTAS,
  USUAL_ZONE,
  concurrencyFault,
  hostsMaxFault,
  numberIn,
  rateFault,
  ratesFault,
  zoneFault,
} from '../shared/names/bounds.ts';

/** What whoever deploys may decide, as `cdk deploy -c name=value`. Everything has a default. */
export type Settings = {
  readonly network: NetworkSettings;
  /** RunTask calls a second, all dispatchers together. */
  readonly launchesPerSec: number;
  /** StopTask calls a second, likewise. */
  readonly stopsPerSec: number;
  /** Names of tasks in a private DNS zone; null: tasks have none, and nothing is paid for a zone. */
  readonly hostnames: HostnameSettings | null;
  /** How long records of ended attempts, deleted Jobs and the tasks' logs are kept. */
  readonly historyDays: HistoryDays;
  /** Invocations of the API that are kept free for it, and all that it may have; null: it shares the account's with all others. */
  readonly apiConcurrency: number | null;
  /** ARNs of the task roles of service accounts, by `<namespace>/<name>`; all others have the stack's. */
  readonly taskRoles: Readonly<Record<string, string>>;
};

export type HostnameSettings = {
  /** What every name ends in. */
  readonly zone: string;
  /** How many names all Jobs may have together. */
  readonly max: number;
};

export type NetworkSettings =
  /** A VPC of our own: public subnets in so many zones, no NAT, nothing comes in. */
  | { readonly kind: 'own'; readonly zones: number }
  /** Subnets that exist already; without a public IP they need a way out of their own, or no image is pulled. */
  | {
      readonly kind: 'given';
      readonly vpcId: string;
      readonly subnetIds: readonly string[];
      readonly assignPublicIp: 'ENABLED' | 'DISABLED';
    };

/** CloudWatch Logs takes these retention times only; one number for records and logs, so that neither outlives the other. */
const HISTORY_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400] as const;
type HistoryDays = (typeof HISTORY_DAYS)[number];

/** RunTask and StopTask share 40 calls a second, and Fargate takes 20 RunTask (ECS API reference, request throttling): ours stay below, for others live in the account too. */
const DEFAULTS = { launchesPerSec: 18, stopsPerSec: 10, historyDays: 30, zones: 3, hostsMax: USUAL_HOSTS_MAX } as const;

/** `default/reports=arn:aws:iam::123456789012:role/reports` */
const TASK_ROLE = /^\s*[a-z0-9-]+\/[a-z0-9.-]+\s*=\s*arn:[\w-]+:iam::\d{12}:role\/\S+\s*$/;

const number = z.union([z.string(), z.number()]).transform((value) => numberIn(String(value).trim()));
const asked = (fault: (value: number) => string | null) =>
  number.refine((value) => fault(value) === null, { error: ({ input }) => fault(Number(input)) ?? '' });
const ids = (kind: 'vpc' | 'subnet') => new RegExp(`^${kind}-[0-9a-f]+$`);

const schema = z
  .object({
    vpcId: z.string().regex(ids('vpc'), 'must be the id of a VPC, such as vpc-0123456789abcdef0').optional(),
    subnetIds: z
      .string()
      .transform((list) => list.split(',').map((id) => id.trim()))
      .pipe(
        z
          .array(z.string().regex(ids('subnet'), 'must be ids of subnets with commas between'))
          .min(1)
          .max(16),
      )
      .optional(),
    assignPublicIp: z.enum(['ENABLED', 'DISABLED'], 'must be ENABLED or DISABLED').default('ENABLED'),
    zones: number.pipe(z.literal([1, 2, 3], 'must be 1, 2 or 3')).default(DEFAULTS.zones),
    launchesPerSec: asked(rateFault).default(DEFAULTS.launchesPerSec),
    stopsPerSec: asked(rateFault).default(DEFAULTS.stopsPerSec),
    runTaskQuota: asked(rateFault).default(USUAL_QUOTAS.runTaskPerSec),
    ecsQuota: asked(rateFault).default(USUAL_QUOTAS.ecsPerSec),
    historyDays: number
      .pipe(z.literal(HISTORY_DAYS, `must be one of ${HISTORY_DAYS.join(', ')}: CloudWatch Logs keeps nothing else`))
      .default(DEFAULTS.historyDays),
    hostnames: z
      .union([z.string(), z.boolean()])
      .default(false)
      .transform((value) => {
        const text = String(value).trim();
        if (text === 'false') return null;
        return text === 'true' ? USUAL_ZONE : text;
      })
      .refine((zone) => zone === null || zoneFault(zone) === null, {
        error: ({ input }) => `${zoneFault(String(input)) ?? ''}; or true for ${USUAL_ZONE}, false for no names`,
      }),
    hostsMax: asked(hostsMaxFault).default(DEFAULTS.hostsMax),
    apiConcurrency: asked(concurrencyFault).optional(),
    taskRoles: z
      .string()
      .default('')
      .transform((list) => list.split(',').filter((entry) => entry.trim() !== ''))
      .pipe(z.array(z.string().regex(TASK_ROLE, 'must be <namespace>/<service account>=<role ARN>,…')))
      .transform((entries) =>
        Object.fromEntries(
          entries.map((entry) => {
            const [account = '', arn = ''] = entry.split('=');
            return [account.trim(), arn.trim()];
          }),
        ),
      ),
  })
  .refine(({ vpcId, subnetIds }) => (vpcId === undefined) === (subnetIds === undefined), {
    message: 'vpcId and subnetIds go together',
    path: ['subnetIds'],
  })
  .superRefine(({ launchesPerSec, stopsPerSec, runTaskQuota, ecsQuota }, context) => {
    if (Number.isNaN(launchesPerSec + stopsPerSec + runTaskQuota + ecsQuota)) return; // said already
    const fault = ratesFault({ launchesPerSec, stopsPerSec }, { runTaskPerSec: runTaskQuota, ecsPerSec: ecsQuota });
    if (fault !== null) context.addIssue({ code: 'custom', path: [fault.of], message: fault.message });
  });

/**
 * Reads the settings from the CDK context; `get` answers undefined for what is not set.
 *
 * @throws Error that names each setting which makes no sense, its value, and what would
 */
export function readSettings(get: (key: string) => unknown): Settings {
  const given = Object.fromEntries(Object.keys(schema.shape).map((key) => [key, get(key)]));
  const read = schema.safeParse(given);
  if (!read.success) throw new Error(`Settings that make no sense:\n${sentences(given, read.error).join('\n')}`);
  const { vpcId, subnetIds, assignPublicIp, zones, hostnames, hostsMax, ...others } = read.data;
  const { launchesPerSec, stopsPerSec, historyDays, apiConcurrency = null, taskRoles } = others;
  const network: NetworkSettings =
    vpcId === undefined || subnetIds === undefined
      ? { kind: 'own', zones }
      : { kind: 'given', vpcId, subnetIds, assignPublicIp };
  return {
    network,
    launchesPerSec,
    stopsPerSec,
    hostnames: hostnames === null ? null : { zone: hostnames, max: hostsMax },
    historyDays,
    apiConcurrency,
    taskRoles,
  };
}

const sentences = (given: Readonly<Record<string, unknown>>, error: z.ZodError): readonly string[] =>
  error.issues.map(({ path, message }) => {
    const name = String(path[0] ?? '');
    const value = given[name];
    return `  ${name}${value === undefined ? '' : `=${typeof value === 'string' ? value : JSON.stringify(value)}`}: ${message}`;
  });
