import type * as z from 'zod';
import { USUAL_QUOTAS, type CallQuotas, ratesError } from '../shared/names/bounds.ts';
import { zonesError } from './fargate-zones.ts';
import { isOfChina, isSlowToLaunch } from './regions.ts';
import { type SETTING_FIELDS, TASK_ROLES_BYTES_MAX, environmentBytes } from './setting-fields.ts';

// What settings ask of one another, and of the Region.

type Fields = typeof SETTING_FIELDS;
export type SettingName = keyof Fields;
export type SettingValues = { readonly [Name in SettingName]: z.output<Fields[Name]> };

/** A rule is asked when every setting that it looks at is valid by itself. */
type Rule = {
  /** The setting that has to change. */
  readonly of: SettingName;
  readonly with: readonly SettingName[];
  /** What is wrong, after the setting's name; null: nothing. `region` is undefined where it is not known yet. */
  readonly error: (values: SettingValues, region: string | undefined) => string | null;
};

/** What Fargate and ECS allow an account in a Region, unless AWS has raised it. */
const quotasIn = (region: string | undefined): CallQuotas =>
  isSlowToLaunch(region) ? { ...USUAL_QUOTAS, runTaskPerSec: 5 } : USUAL_QUOTAS;

/** Nine tenths of what Fargate allows, because the account has other users, too. */
export const usualLaunchesPerSec = (region: string | undefined): number => quotasIn(region).runTaskPerSec * 0.9;

const RULES: readonly Rule[] = [
  {
    of: 'subnetIds',
    with: ['vpcId'],
    error: ({ vpcId, subnetIds }) =>
      (vpcId === undefined) === (subnetIds === undefined) ? null : 'vpcId and subnetIds must be set together',
  },
  {
    of: 'flowLogs',
    with: ['vpcId'],
    error: ({ vpcId, flowLogs }) =>
      vpcId === undefined || !flowLogs ? null : 'must be false for a VPC that is given: its owner logs its traffic',
  },
  {
    of: 'zones',
    with: ['vpcId'],
    error: ({ zones = 3, vpcId }, region) => (vpcId === undefined ? zonesError(zones, region) : null),
  },
  {
    of: 'zones',
    with: ['vpcId'],
    error: ({ zones, vpcId }) =>
      vpcId === undefined || zones === undefined
        ? null
        : 'is for the VPC that is created: of a VPC that is given, subnetIds says the zones',
  },
  {
    of: 'assignPublicIp',
    with: ['vpcId'],
    error: ({ assignPublicIp, vpcId }) =>
      vpcId !== undefined || assignPublicIp !== 'DISABLED'
        ? null
        : 'needs vpcId and subnetIds: in the VPC that is created, a public address is the only way to an image',
  },
  {
    of: 'hostsMax',
    with: ['hostnames'],
    error: ({ hostsMax, hostnames }) =>
      hostsMax === undefined || hostnames !== null ? null : 'needs hostnames: without them there are no names',
  },
  {
    of: 'tracing',
    with: [],
    error: ({ tracing }, region) =>
      tracing && isOfChina(region) ? "must be false in China's Regions: Lambda sends no traces to X-Ray there" : null,
  },
  {
    of: 'accounts',
    with: ['auth'],
    error: ({ auth, accounts }) =>
      auth === 'token' || accounts === undefined ? null : 'need auth=token: with iam, policies of IAM say who may call',
  },
  {
    of: 'authorizerConcurrency',
    with: ['auth'],
    error: ({ auth, authorizerConcurrency }) =>
      auth === 'token' || authorizerConcurrency === undefined
        ? null
        : 'needs auth=token: with iam there is no authorizer',
  },
  {
    of: 'admins',
    with: ['auth', 'taskRoles'],
    error: ({ auth, admins, taskRoles }) => {
      if (auth === 'token' || admins.length === 0) return null;
      const bytes = environmentBytes(admins.join()) + environmentBytes(JSON.stringify(taskRoles));
      return bytes <= TASK_ROLES_BYTES_MAX
        ? null
        : `admins and taskRoles take ${bytes} bytes of the 4,096 that Lambda allows for a function's environment: ${TASK_ROLES_BYTES_MAX} at most. Let people share a role`;
    },
  },
  ...(['launchesPerSec', 'stopsPerSec'] as const).map(
    (of): Rule => ({
      of,
      with: ['launchesPerSec', 'stopsPerSec', 'runTaskQuota', 'ecsQuota'],
      error: ({ launchesPerSec, stopsPerSec, runTaskQuota, ecsQuota }, region) => {
        const { runTaskPerSec, ecsPerSec } = quotasIn(region);
        const fieldError = ratesError(
          { launchesPerSec: launchesPerSec ?? usualLaunchesPerSec(region), stopsPerSec },
          { runTaskPerSec: runTaskQuota ?? runTaskPerSec, ecsPerSec: ecsQuota ?? ecsPerSec },
        );
        return fieldError?.of === of ? fieldError.message : null;
      },
    }),
  ),
];

/**
 * What is wrong with settings that are valid one by one.
 *
 * @param values those that are valid; a rule that needs another one is not asked
 */
export const ruleErrors = (
  values: Partial<SettingValues>,
  region: string | undefined,
): readonly { readonly of: SettingName; readonly message: string }[] =>
  RULES.flatMap(({ of, with: others, error }) => {
    if (![of, ...others].every((name) => name in values)) return [];
    const message = error(values as SettingValues, region);
    return message === null ? [] : [{ of, message }];
  });
