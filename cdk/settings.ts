import { z } from 'zod';

/** What whoever deploys may decide, as `cdk deploy -c name=value`. Everything has a default. */
export type Settings = {
  readonly network: NetworkSettings;
  /** RunTask calls a second, all dispatchers together. */
  readonly launchesPerSec: number;
  /** StopTask calls a second, likewise. */
  readonly stopsPerSec: number;
  /** How long records of ended attempts, deleted Jobs and the tasks' logs are kept. */
  readonly historyDays: HistoryDays;
  /** ARNs of the task roles of service accounts, by `<namespace>/<name>`; all others have the stack's. */
  readonly taskRoles: Readonly<Record<string, string>>;
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
const DEFAULTS = { launchesPerSec: 18, stopsPerSec: 10, historyDays: 30, zones: 3 } as const;

/** `default/reports=arn:aws:iam::123456789012:role/reports` */
const TASK_ROLE = /^\s*[a-z0-9-]+\/[a-z0-9.-]+\s*=\s*arn:[\w-]+:iam::\d{12}:role\/\S+\s*$/;

const schema = z
  .object({
    vpcId: z
      .string()
      .regex(/^vpc-[0-9a-f]+$/)
      .optional(),
    subnetIds: z
      .string()
      .transform((list) => list.split(',').map((id) => id.trim()))
      .pipe(z.array(z.string().regex(/^subnet-[0-9a-f]+$/)).min(1))
      .optional(),
    assignPublicIp: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
    zones: z.coerce.number().int().min(1).max(3).default(DEFAULTS.zones),
    launchesPerSec: z.coerce.number().positive().default(DEFAULTS.launchesPerSec),
    stopsPerSec: z.coerce.number().positive().default(DEFAULTS.stopsPerSec),
    historyDays: z.coerce.number().pipe(z.literal(HISTORY_DAYS)).default(DEFAULTS.historyDays),
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
  });

/**
 * Reads the settings from the CDK context; `get` answers undefined for what is not set.
 * Throws ZodError with the setting's name.
 */
export function readSettings(get: (key: string) => unknown): Settings {
  const asked = schema.parse(Object.fromEntries(Object.keys(schema.shape).map((key) => [key, get(key)])));
  const { vpcId, subnetIds, assignPublicIp, zones, launchesPerSec, stopsPerSec, historyDays, taskRoles } = asked;
  const network: NetworkSettings =
    vpcId === undefined || subnetIds === undefined
      ? { kind: 'own', zones }
      : { kind: 'given', vpcId, subnetIds, assignPublicIp };
  return { network, launchesPerSec, stopsPerSec, historyDays, taskRoles };
}
