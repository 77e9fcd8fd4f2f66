import * as z from 'zod';
import { USUAL_HOSTS_MAX } from '../shared/names/bounds.ts';
import { keyError } from './context-keys.ts';
import {
  type AccessLog,
  type AuditDays,
  type FileSystemSetting,
  type HistoryDays,
  SETTING_FIELDS,
} from './setting-fields.ts';
import { type SettingName, type SettingValues, ruleErrors, usualLaunchesPerSec } from './setting-rules.ts';

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
  /** How long it is known who has called the API, and who has changed what. */
  readonly auditDays: AuditDays;
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
  /** File systems of EFS that tasks may mount with their role. */
  readonly efs: readonly FileSystemSetting[];
  /** ECS may make volumes of EBS for tasks. */
  readonly ebs: boolean;
  /** Commands can be run in tasks, by ECS Exec, and ports forwarded to them. */
  readonly exec: boolean;
  /** What writes files of volumes; null: busybox of AWS's public registry. */
  readonly filesImage: string | null;
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

const NAMES = Object.keys(SETTING_FIELDS) as readonly SettingName[];

/**
 * Reads the settings from the CDK context; `get` returns undefined for settings that are not set.
 *
 * @param region where the stack will be, if that is known: not every Region has everything
 * @param keys all that the context has; what is neither a setting nor CDK's is refused
 * @throws Error that names each invalid setting, its value, and what is valid
 */
export function readSettings(get: (key: string) => unknown, region?: string, keys: readonly string[] = []): Settings {
  const strange = keys.flatMap((key) => sentence(key, get(key), keyError(key, NAMES)));
  const values: Record<string, unknown> = {};
  const wrong = NAMES.flatMap((name) => {
    const read = z.safeParse(SETTING_FIELDS[name], get(name));
    if (read.success) values[name] = read.data;
    return read.success
      ? []
      : read.error.issues.flatMap((issue) => sentence(name, get(name), messageOf(issue, get(name))));
  });
  const broken = ruleErrors(values, region).flatMap(({ of, message }) => sentence(of, get(of), message));
  const all = [...strange, ...wrong, ...broken];
  if (all.length > 0) throw new Error(`Invalid settings:\n${all.join('\n')}`);
  return settingsOf(values as SettingValues, region);
}

function settingsOf(values: SettingValues, region: string | undefined): Settings {
  const { vpcId, subnetIds, assignPublicIp = 'ENABLED', zones = 3, flowLogs, hostnames, ...others } = values;
  const { launchesPerSec = usualLaunchesPerSec(region), stopsPerSec, hostsMax = USUAL_HOSTS_MAX } = others;
  const { submissions, historyDays, auditDays, apiConcurrency = null, taskRoles } = others;
  const { efs, ebs, exec, filesImage = null, eventBus, earlyCounting, taskTokens, formats, tableName = null } = others;
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
    auditDays,
    tableName,
    formats,
    apiConcurrency,
    authorizerConcurrency,
    efs,
    ebs,
    exec,
    filesImage,
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

const sentence = (name: string, value: unknown, message: string | null): readonly string[] =>
  message === null
    ? []
    : [
        `  ${name}${value === undefined ? '' : `=${typeof value === 'string' ? value : JSON.stringify(value)}`}: ${message}`,
      ];

/** What is wrong with a value; zod's own words name types of JavaScript. */
function messageOf({ code, message }: z.core.$ZodIssue, value: unknown): string {
  if (typeof value === 'string' || (code !== 'invalid_type' && code !== 'invalid_union')) return message;
  const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value === 'object' ? 'an object' : '';
  return `must be text, as on the command line, not ${kind === '' ? `a ${typeof value}` : kind}`;
}
