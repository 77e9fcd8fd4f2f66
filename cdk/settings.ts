import * as z from 'zod';
import {
  USUAL_HOSTS_MAX,
  USUAL_QUOTAS,
  USUAL_ZONE,
  concurrencyError,
  eventBusError,
  hostsMaxError,
  numberIn,
  rateError,
  ratesError,
  zoneError,
} from '../shared/names/bounds.ts';
import { accountsError, adminsError, adminsIn } from '../shared/names/admins.ts';
import { zonesError } from './fargate-zones.ts';

/** What an operator can configure, as `cdk deploy -c name=value`. Everything has a default. */
export type Settings = {
  readonly network: NetworkSettings;
  /** RunTask calls per second, of all dispatchers together. */
  readonly launchesPerSec: number;
  /** StopTask calls per second, of all dispatchers together. */
  readonly stopsPerSec: number;
  /** Names of tasks in a private DNS zone; null: tasks have no names, and no zone is billed. */
  readonly hostnames: HostnameSettings | null;
  /** Jobs by messages; null: there is no queue for them, and nothing is billed. */
  readonly submissions: SubmissionSettings | null;
  /** How long records of ended attempts, deleted Jobs and the tasks' logs are kept. */
  readonly historyDays: HistoryDays;
  /** An existing table, restored or of an earlier stack; null: the stack has its own. */
  readonly tableName: string | null;
  /** `previous`: nothing is written that the release before cannot read, so that it can be deployed again. */
  readonly formats: 'current' | 'previous';
  /** The API's reserved concurrency, which is also its limit; null: it shares the account's. */
  readonly apiConcurrency: number | null;
  /** The same of the authorizer; null: ten, where the account has so many. */
  readonly authorizerConcurrency: number | null;
  /** Name or ARN of the event bus that hears of each change of a Job's state; null: nobody does. */
  readonly eventBus: string | null;
  /** An index counts when its program has ended, not when its task is gone: one more message for each task. */
  readonly earlyCounting: boolean;
  /** Step Functions gets an answer when a Job with a task token ends. */
  readonly taskTokens: boolean;
  /**
   * ARNs of the task roles of service accounts, by `<namespace>/<name>`; all others use the stack's role. By `<namespace>/*`, and
   * by `*`, those that ServiceAccounts may name, with spaces between.
   */
  readonly taskRoles: Readonly<Record<string, string>>;
  readonly access: AccessSettings;
  /** Requests to the API per second, of all callers together. */
  readonly apiRequestsPerSec: number;
  /** Who called the API and how it ended, a line a request; null: nobody notes it. */
  readonly accessLog: AccessLog | null;
  readonly alarms: AlarmSettings;
  /** A dashboard of CloudWatch. */
  readonly dashboard: boolean;
  /** AWS X-Ray samples requests and messages. */
  readonly tracing: boolean;
};

export type AlarmSettings = {
  /** Alarms beyond those that the idle budget has room for. */
  readonly areAll: boolean;
  /** Who gets mail from alarms, once its address is confirmed; null: only who subscribes to the topic. */
  readonly email: string | null;
  /** The topic also hears when an alarm ends. */
  readonly tellsEnd: boolean;
};

export type AccessSettings = {
  /** `iam`: callers sign each request, and IAM lets them in; `token`: they send a bearer token, as to EKS. */
  readonly auth: 'iam' | 'token';
  /** `RBAC`: roles decide what callers may do; `AlwaysAllow`: all may do everything. */
  readonly authorization: 'AlwaysAllow' | 'RBAC';
  /** ARNs of users and roles that may do everything, as requests name them. */
  readonly admins: readonly string[];
  /** Further accounts whose users and roles may send tokens. */
  readonly accounts: readonly string[];
};

/** API Gateway writes logs with one role for all APIs of an account in a Region: `own` sets it, `account` finds it set. */
export type AccessLog = 'own' | 'account';

export type HostnameSettings = {
  /** The suffix of every name. */
  readonly zone: string;
  /** The limit on names of all Jobs together. */
  readonly max: number;
};

export type SubmissionSettings = {
  /** ARNs of the rules of EventBridge, buckets, and topics that may send messages. Roles do so by their own policies. */
  readonly from: readonly string[];
};

export type NetworkSettings =
  /** Our own VPC: public subnets in this many zones, no NAT, no inbound traffic. */
  | { readonly kind: 'own'; readonly zones: number; readonly flowLogs: boolean }
  /** Existing subnets; without a public IP they need their own route out, or no image can be pulled. */
  | {
      readonly kind: 'given';
      readonly vpcId: string;
      readonly subnetIds: readonly string[];
      readonly assignPublicIp: 'ENABLED' | 'DISABLED';
    };

/** CloudWatch Logs accepts only these retention times; one number for records and logs, so that both expire together. */
const HISTORY_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400] as const;
type HistoryDays = (typeof HISTORY_DAYS)[number];

/**
 * RunTask and StopTask share 40 calls per second, and Fargate accepts 20 RunTask (ECS API reference, request throttling).
 * Our rates stay below, because the account has other users, too.
 */
const DEFAULTS = { launchesPerSec: 18, stopsPerSec: 10, historyDays: 30, zones: 3, hostsMax: USUAL_HOSTS_MAX } as const;

/** More than a hundred people and controllers ask for; an account has 10,000 for all its APIs in a Region. */
const REQUESTS_PER_SEC = 200;
const REQUESTS_PER_SEC_MAX = 10_000;

/** What sends messages as a service, by the service of its ARN. */
const SENDER = /^arn:[\w-]+:(?:s3:::[a-z0-9][a-z0-9.-]+|events:[\w-]+:\d{12}:rule\/\S+|sns:[\w-]+:\d{12}:\S+)$/;

/** `default/reports=arn:aws:iam::123456789012:role/reports`; `default/*=…` or `*=…` for accounts that name their role. */
const TASK_ROLE = /^\s*(?:[a-z0-9-]+\/(?:[a-z0-9.-]+|\*)|\*)\s*=\s*arn:[\w-]+:iam::\d{12}:role\/\S+\s*$/;

const number = z.union([z.string(), z.number()]).transform((value) => numberIn(String(value).trim()));
const asked = (fieldError: (value: number) => string | null) =>
  number.refine((value) => fieldError(value) === null, { error: ({ input }) => fieldError(Number(input)) ?? '' });
const ids = (kind: 'vpc' | 'subnet') => new RegExp(`^${kind}-[0-9a-f]+$`);

/** What the other variables leave of Lambda's 4 KB, at their longest: a test adds them up. */
const TASK_ROLES_BYTES_MAX = 1_400;

/** Bytes of a value as Lambda counts them: it measures the environment as JSON, quotes and their escapes included. */
const environmentBytes = (value: string): number => Buffer.byteLength(JSON.stringify(value));

const ACCOUNTS_MAX = 50;
/** What is in the environment of the API's function beside roles: with tokens it is in the authorizer's. */
const ADMINS_BYTES_MAX = 2_000;
/** Several ARNs that accounts may name have spaces between; an account has one role, the last. */
function rolesByAccount(entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const roles = new Map<string, string>();
  for (const [account, arn] of entries) {
    const before = account.endsWith('*') ? (roles.get(account) ?? '') : '';
    roles.set(account, before === '' ? arn : `${before} ${arn}`);
  }
  return Object.fromEntries(roles);
}

const flag = z
  .union([z.string(), z.boolean()])
  .default(false)
  .transform((value) => String(value).trim())
  .pipe(z.enum(['true', 'false'], 'must be true or false'))
  .transform((value) => value === 'true');

const ACCESS_LOG =
  "must be true, false, or account: the account's CloudWatch role of API Gateway is set, and stays as it is";

const schema = z
  .object({
    vpcId: z.string().regex(ids('vpc'), 'must be the id of a VPC, such as vpc-0123456789abcdef0').optional(),
    subnetIds: z
      .string()
      .transform((list) => list.split(',').map((id) => id.trim()))
      .pipe(
        z
          .array(z.string().regex(ids('subnet'), 'must be subnet ids, separated by commas'))
          .min(1)
          .max(16),
      )
      .optional(),
    assignPublicIp: z.enum(['ENABLED', 'DISABLED'], 'must be ENABLED or DISABLED').default('ENABLED'),
    zones: number.pipe(z.literal([1, 2, 3], 'must be 1, 2 or 3')).default(DEFAULTS.zones),
    launchesPerSec: asked(rateError).default(DEFAULTS.launchesPerSec),
    stopsPerSec: asked(rateError).default(DEFAULTS.stopsPerSec),
    runTaskQuota: asked(rateError).default(USUAL_QUOTAS.runTaskPerSec),
    ecsQuota: asked(rateError).default(USUAL_QUOTAS.ecsPerSec),
    historyDays: number
      .pipe(
        z.literal(HISTORY_DAYS, `must be one of ${HISTORY_DAYS.join(', ')}: CloudWatch Logs accepts no other value`),
      )
      .default(DEFAULTS.historyDays),
    hostnames: z
      .union([z.string(), z.boolean()])
      .default(false)
      .transform((value) => {
        const text = String(value).trim();
        if (text === 'false') return null;
        return text === 'true' ? USUAL_ZONE : text;
      })
      .refine((zone) => zone === null || zoneError(zone) === null, {
        error: ({ input }) => `${zoneError(String(input)) ?? ''}; or true for ${USUAL_ZONE}, false for no names`,
      }),
    hostsMax: asked(hostsMaxError).default(DEFAULTS.hostsMax),
    submissions: z
      .union([z.string(), z.boolean()])
      .default(false)
      .transform((value) => {
        const text = String(value).trim();
        if (text === 'false') return null;
        return { from: text === 'true' ? [] : text.split(',').map((arn) => arn.trim()) };
      })
      .refine((given) => given === null || given.from.every((arn) => SENDER.test(arn)), {
        error:
          'must be true, false, or the ARNs, separated by commas, of EventBridge rules, S3 buckets, and SNS topics that may send',
      }),
    tableName: z
      .string()
      .regex(
        /^[\w.-]{3,255}$/,
        'must be the name of a DynamoDB table: 3 to 255 letters, digits, dots, hyphens, and underscores',
      )
      .optional(),
    formats: z.enum(['current', 'previous'], 'must be current or previous').default('current'),
    apiConcurrency: asked(concurrencyError).optional(),
    authorizerConcurrency: asked(concurrencyError).optional(),
    eventBus: z
      .union([z.string(), z.boolean()])
      .default(false)
      .transform((value) => (String(value).trim() === 'false' ? null : String(value).trim()))
      .refine((bus) => bus === null || (bus !== 'true' && eventBusError(bus) === null), {
        error: () => `${eventBusError('') ?? ''}; or false for none`,
      }),
    earlyCounting: flag,
    taskTokens: flag,
    alarms: z.enum(['usual', 'all'], 'must be usual or all').default('usual'),
    alarmEmail: z.email('must be an address of electronic mail').optional(),
    alarmEnds: flag,
    dashboard: flag,
    tracing: flag,
    flowLogs: flag,
    accessLog: z
      .union([z.string(), z.boolean()])
      .default(true)
      .transform((value) => String(value).trim())
      .pipe(z.enum(['true', 'account', 'false'], ACCESS_LOG))
      .transform((value) => ({ true: 'own', account: 'account', false: null })[value] as AccessLog | null),
    apiRequestsPerSec: number
      .pipe(
        z
          .int(`must be a whole number from 1 to ${REQUESTS_PER_SEC_MAX}`)
          .min(1, `must be a whole number from 1 to ${REQUESTS_PER_SEC_MAX}`)
          .max(REQUESTS_PER_SEC_MAX, `must be a whole number from 1 to ${REQUESTS_PER_SEC_MAX}`),
      )
      .default(REQUESTS_PER_SEC),
    auth: z.enum(['iam', 'token'], 'must be iam or token').default('iam'),
    authorization: z.enum(['AlwaysAllow', 'RBAC'], 'must be AlwaysAllow or RBAC').optional(),
    admins: z
      .string()
      .default('')
      .refine((arns) => adminsError(arns) === null, { error: ({ input }) => adminsError(String(input)) ?? '' })
      .transform(adminsIn)
      .refine((arns) => environmentBytes(arns.join()) <= ADMINS_BYTES_MAX, {
        message: 'are too many for the environment of a function: let them share a role',
      }),
    accounts: z
      .union([z.string(), z.number()])
      .transform(String)
      .refine((ids) => accountsError(ids) === null, { error: ({ input }) => accountsError(String(input)) ?? '' })
      .transform((ids) => ids.split(',').map((id) => id.trim()))
      .refine((ids) => ids.length <= ACCOUNTS_MAX, { message: `must be ${ACCOUNTS_MAX} at most` })
      .optional(),
    taskRoles: z
      .string()
      .default('')
      .transform((list) => list.split(',').filter((entry) => entry.trim() !== ''))
      .pipe(
        z.array(
          z
            .string()
            .regex(
              TASK_ROLE,
              'must be <namespace>/<service account>=<role ARN>,… with * for what ServiceAccounts may name',
            ),
        ),
      )
      .transform((entries) =>
        rolesByAccount(
          entries.map((entry) => {
            const [account = '', arn = ''] = entry.split('=');
            return [account.trim(), arn.trim()];
          }),
        ),
      )
      .superRefine((roles, context) => {
        const bytes = environmentBytes(JSON.stringify(roles));
        if (bytes <= TASK_ROLES_BYTES_MAX) return;
        const message = `${Object.keys(roles).length} roles take ${bytes} bytes of the 4,096 that Lambda allows for a function's environment: ${TASK_ROLES_BYTES_MAX} at most. Let service accounts share roles, or shorten their paths`;
        context.addIssue({ code: 'custom', message });
      }),
  })
  .refine(({ vpcId, subnetIds }) => (vpcId === undefined) === (subnetIds === undefined), {
    message: 'vpcId and subnetIds must be set together',
    path: ['subnetIds'],
  })
  .refine(({ vpcId, flowLogs }) => vpcId === undefined || !flowLogs, {
    message: 'must be false for a VPC that is given: its owner logs its traffic',
    path: ['flowLogs'],
  })
  .refine(({ auth, accounts }) => auth === 'token' || accounts === undefined, {
    message: 'need auth=token: with iam, policies of IAM say who may call',
    path: ['accounts'],
  })
  .refine(({ auth, authorizerConcurrency }) => auth === 'token' || authorizerConcurrency === undefined, {
    message: 'needs auth=token: with iam there is no authorizer',
    path: ['authorizerConcurrency'],
  })
  .superRefine(({ auth, admins, taskRoles }, context) => {
    if (auth === 'token' || !Array.isArray(admins)) return;
    const bytes = environmentBytes(admins.join()) + environmentBytes(JSON.stringify(taskRoles));
    if (admins.length === 0 || bytes <= TASK_ROLES_BYTES_MAX) return;
    const message = `admins and taskRoles take ${bytes} bytes of the 4,096 that Lambda allows for a function's environment: ${TASK_ROLES_BYTES_MAX} at most. Let people share a role`;
    context.addIssue({ code: 'custom', path: ['admins'], message });
  })
  .superRefine(({ launchesPerSec, stopsPerSec, runTaskQuota, ecsQuota }, context) => {
    if (Number.isNaN(launchesPerSec + stopsPerSec + runTaskQuota + ecsQuota)) return; // reported already
    const fieldError = ratesError(
      { launchesPerSec, stopsPerSec },
      { runTaskPerSec: runTaskQuota, ecsPerSec: ecsQuota },
    );
    if (fieldError !== null) context.addIssue({ code: 'custom', path: [fieldError.of], message: fieldError.message });
  });

/**
 * Reads the settings from the CDK context; `get` returns undefined for settings that are not set.
 *
 * @param region where the stack will be, if that is known: not every Region has everything
 * @throws Error that names each invalid setting, its value, and what is valid
 */
export function readSettings(get: (key: string) => unknown, region?: string): Settings {
  const given = Object.fromEntries(Object.keys(schema.shape).map((key) => [key, get(key)]));
  const read = schema
    .superRefine(({ zones, vpcId }, context) => {
      const message = vpcId === undefined ? zonesError(zones, region) : null;
      if (message !== null) context.addIssue({ code: 'custom', path: ['zones'], message });
    })
    .safeParse(given);
  if (!read.success) throw new Error(`Invalid settings:\n${sentences(given, read.error).join('\n')}`);
  const { vpcId, subnetIds, assignPublicIp, zones, flowLogs, hostnames, hostsMax, ...others } = read.data;
  const { launchesPerSec, stopsPerSec, submissions, historyDays, apiConcurrency = null, taskRoles } = others;
  const { eventBus, earlyCounting, taskTokens, formats, tableName = null } = others;
  const { apiRequestsPerSec, accessLog, tracing } = others;
  const { auth, admins, accounts = [], authorizerConcurrency = null } = others;
  // Every principal of the account has tokens, so roles must decide. With IAM, its policies say who may call at all.
  const { authorization = auth === 'token' ? 'RBAC' : 'AlwaysAllow' } = others;
  const { alarms, alarmEmail = null, alarmEnds, dashboard } = others;
  const network: NetworkSettings =
    vpcId === undefined || subnetIds === undefined
      ? { kind: 'own', zones, flowLogs }
      : { kind: 'given', vpcId, subnetIds, assignPublicIp };
  return {
    network,
    launchesPerSec,
    stopsPerSec,
    hostnames: hostnames === null ? null : { zone: hostnames, max: hostsMax },
    submissions,
    historyDays,
    tableName,
    formats,
    apiConcurrency,
    authorizerConcurrency,
    eventBus,
    earlyCounting,
    taskTokens,
    taskRoles,
    access: { auth, authorization, admins, accounts },
    apiRequestsPerSec,
    accessLog,
    alarms: { areAll: alarms === 'all', email: alarmEmail, tellsEnd: alarmEnds },
    dashboard,
    tracing,
  };
}

const sentences = (given: Readonly<Record<string, unknown>>, error: z.ZodError): readonly string[] =>
  error.issues.map(({ path, message }) => {
    const name = String(path[0] ?? '');
    const value = given[name];
    return `  ${name}${value === undefined ? '' : `=${typeof value === 'string' ? value : JSON.stringify(value)}`}: ${message}`;
  });
