import * as z from 'zod';
import {
  USUAL_ZONE,
  concurrencyError,
  eventBusError,
  hostsMaxError,
  numberIn,
  rateError,
  zoneError,
} from '../shared/names/bounds.ts';
import { accountsError, adminsError, adminsIn } from '../shared/names/admins.ts';

// Each setting by itself: what it may be, and what it is if nobody sets it. What settings ask of one another: setting-rules.ts.

/** CloudWatch Logs accepts only these retention times; one number for records and logs, so that both expire together. */
const HISTORY_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400] as const;
export type HistoryDays = (typeof HISTORY_DAYS)[number];
/** And these: who has done what may have to be known for ten years. */
const AUDIT_DAYS = [...HISTORY_DAYS, 545, 731, 1_096, 1_827, 2_192, 2_557, 2_922, 3_288, 3_653] as const;
export type AuditDays = (typeof AUDIT_DAYS)[number];

/** API Gateway writes logs with one role for all APIs of an account in a Region: `own` sets it, `account` finds it set. */
export type AccessLog = 'own' | 'account';

/** A file system of EFS that tasks may mount. */
export type FileSystemSetting = {
  readonly id: string;
  /** The group of its mount targets, which the stack opens for tasks; null: who owns it does. */
  readonly securityGroupId: string | null;
  /** Tasks that are root may be root there. */
  readonly asRoot: boolean;
};

/** Those that depend on nothing else: setting-rules.ts has the others. */
const DEFAULTS = { stopsPerSec: 10, historyDays: 30, auditDays: 90 } as const;

/** More than a hundred people and controllers ask for; an account has 10,000 for all its APIs in a Region. */
const REQUESTS_PER_SEC = 200;
const REQUESTS_PER_SEC_MAX = 10_000;

/** What sends messages as a service, by the service of its ARN. */
const SENDER = /^arn:[\w-]+:(?:s3:::[a-z0-9][a-z0-9.-]+|events:[\w-]+:\d{12}:rule\/\S+|sns:[\w-]+:\d{12}:\S+)$/;

/** `default/reports=arn:aws:iam::123456789012:role/reports`; `default/*=…` or `*=…` for accounts that name their role. */
const TASK_ROLE = /^\s*(?:[a-z0-9-]+\/(?:[a-z0-9.-]+|\*)|\*)\s*=\s*arn:[\w-]+:iam::\d{12}:role\/\S+\s*$/;

/** `fs-…`, the group of its mount targets after `@`, and `:root` if tasks may be root there. */
const FILE_SYSTEM = /^(fs-[0-9a-f]{8,40})(?:@(sg-[0-9a-f]{8,40}))?(:root)?$/;
/** A policy has room for these, and tasks need no more. */
const FILE_SYSTEMS_MAX = 20;

const FILE_SYSTEMS =
  'must be ids of file systems, separated by commas: fs-0123456789abcdef0, with @sg-0123456789abcdef0 for the group of its mount targets, and :root if tasks may be root there; or false for none';

function fileSystemIn(entry: string): FileSystemSetting {
  const [, id = '', securityGroupId, root] = FILE_SYSTEM.exec(entry) ?? [];
  return { id, securityGroupId: securityGroupId ?? null, asRoot: root !== undefined };
}

const number = z.union([z.string(), z.number()]).transform((value) => numberIn(String(value).trim()));
const asked = (fieldError: (value: number) => string | null) =>
  number.refine((value) => fieldError(value) === null, { error: ({ input }) => fieldError(Number(input)) ?? '' });
const ids = (kind: 'vpc' | 'subnet') => new RegExp(`^${kind}-[0-9a-f]+$`);

/** What the other variables leave of Lambda's 4 KB, at their longest: a test adds them up. */
export const TASK_ROLES_BYTES_MAX = 1_275;

/** Bytes of a value as Lambda counts them: it measures the environment as JSON, quotes and their escapes included. */
export const environmentBytes = (value: string): number => Buffer.byteLength(JSON.stringify(value));

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

/** A variable of a script that was empty must not leave an installation without administrators. */
const EMPTY = 'is empty: leave it out for none';

const ACCESS_LOG =
  "must be true, false, or account: the account's CloudWatch role of API Gateway is set, and stays as it is";

export const SETTING_FIELDS = {
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
  assignPublicIp: z.enum(['ENABLED', 'DISABLED'], 'must be ENABLED or DISABLED').optional(),
  zones: number.pipe(z.literal([1, 2, 3], 'must be 1, 2 or 3')).optional(),
  launchesPerSec: asked(rateError).optional(),
  stopsPerSec: asked(rateError).default(DEFAULTS.stopsPerSec),
  runTaskQuota: asked(rateError).optional(),
  ecsQuota: asked(rateError).optional(),
  historyDays: number
    .pipe(z.literal(HISTORY_DAYS, `must be one of ${HISTORY_DAYS.join(', ')}: CloudWatch Logs accepts no other value`))
    .default(DEFAULTS.historyDays),
  auditDays: number
    .pipe(z.literal(AUDIT_DAYS, `must be one of ${AUDIT_DAYS.join(', ')}: CloudWatch Logs accepts no other value`))
    .default(DEFAULTS.auditDays),
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
  hostsMax: asked(hostsMaxError).optional(),
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
  efs: z
    .union([z.string(), z.boolean()])
    .default(false)
    .transform((value) => String(value).trim())
    .transform((list) => (list === 'false' ? [] : list.split(',').map((entry) => entry.trim())))
    .refine((entries) => entries.every((entry) => FILE_SYSTEM.test(entry)), { error: FILE_SYSTEMS, abort: true })
    .refine((entries) => entries.length <= FILE_SYSTEMS_MAX, `must be ${FILE_SYSTEMS_MAX} file systems at most`)
    .transform((entries) => entries.map(fileSystemIn))
    .refine((systems) => new Set(systems.map(({ id }) => id)).size === systems.length, 'names a file system twice'),
  ebs: flag,
  exec: flag,
  filesImage: z
    .string()
    .trim()
    .regex(/^[\w./:@-]{1,128}$/, 'must be the name of an image with its registry, of 128 characters at most')
    .optional(),
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
    .refine((arns) => arns.trim() !== '', { message: EMPTY, abort: true })
    .refine((arns) => adminsError(arns) === null, { error: ({ input }) => adminsError(String(input)) ?? '' })
    .transform(adminsIn)
    .refine((arns) => environmentBytes(arns.join()) <= ADMINS_BYTES_MAX, {
      message: 'are too many for the environment of a function: let them share a role',
    })
    .default([]),
  accounts: z
    .union([z.string(), z.number()])
    .transform(String)
    .refine((ids) => accountsError(ids) === null, { error: ({ input }) => accountsError(String(input)) ?? '' })
    .transform((ids) => ids.split(',').map((id) => id.trim()))
    .refine((ids) => ids.length <= ACCOUNTS_MAX, { message: `must be ${ACCOUNTS_MAX} at most` })
    .optional(),
  taskRoles: z
    .string()
    .refine((list) => list.trim() !== '', { message: EMPTY, abort: true })
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
    })
    .default({}),
};
