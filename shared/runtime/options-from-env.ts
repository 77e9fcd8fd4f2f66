import * as z from 'zod';
import { createStsTokenVerifier } from '../adapters/aws/sts/sts-token-verifier.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { AWS_TIMING, FIRST_PODS_MAX, pacedTiming } from '../domain/base/timing.ts';
import { AWS_HOST_LIMITS } from '../domain/task/host-limits.ts';
import { accountsError, adminsError, adminsIn } from '../names/admins.ts';
import { daysError, eventBusError, hostsMaxError, numberIn, rateError, zoneError } from '../names/bounds.ts';
import { DEAD_QUEUE_ENV } from '../names/dead-letter-queues.ts';
import { ENDPOINT_ENV } from '../names/endpoints.ts';
import { ACCESS_ENV, DISPATCH_ENV, ENV, EXEC_ENV } from '../names/env.ts';
import { tokenClusterError } from '../names/token-cluster.ts';
import { createLambdaTelemetry } from '../telemetry/lambda-telemetry.ts';
import type { Authorizer } from './authorizer-handler.ts';
import type { GatewayAccess } from './caller-of-gateway.ts';
import { type RuntimeOptions, createRuntime } from './create-runtime.ts';
import type { OpenOfFunction } from './opened-ports.ts';
import type { Runtime } from './runtime.ts';

/**
 * The runtime of this process, made from its environment at the first call.
 *
 * @param open what this function asks and no other
 * @throws Error as {@link optionsFromEnv} does
 */
export function processRuntime(open: readonly OpenOfFunction[] = []): Runtime {
  current ??= createRuntime(optionsFromEnv(process.env, open));
  return current;
}

let current: Runtime | null = null;

/** At 20 facts per second, one pass for each would cost more requests than it saves time. */
const COALESCING = { ms: 300, burst: 1 };
const MS_PER_DAY = 86_400_000;

const text = z.string('must be set').min(1, 'must not be empty');
const list = text.transform((value) => value.split(','));
const url = z.url('must be an address such as http://127.0.0.1:8000');
const number = (fault: (value: number) => string | null) =>
  text
    .transform(numberIn)
    .refine((value) => fault(value) === null, { error: ({ input }) => fault(Number(input)) ?? '' });
const rate = number(rateError);
/** Absent means that no service account is mapped. */
const taskRoles = z
  .string()
  .default('{}')
  .transform((json, context): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      context.addIssue('must be JSON');
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), text, 'must be JSON: an object of role ARNs by <namespace>/<service account>'))
  .transform((roles) => new Map(Object.entries(roles)));
const orNull = <T>(value: T | undefined): T | null => value ?? null;

const EnvSchema = z
  .object({
    AWS_REGION: text,
    [ENV.table]: text,
    [ENV.wakeQueueUrl]: text,
    [ENV.factQueueUrl]: text,
    [ENV.dispatchQueueUrl]: text,
    [ENV.submitQueueUrl]: text.optional(),
    [ENV.cluster]: text,
    [ENV.subnets]: list,
    [ENV.securityGroups]: list,
    [ENV.assignPublicIp]: z.enum(['ENABLED', 'DISABLED'], 'must be ENABLED or DISABLED'),
    [ENV.executionRoleArn]: text,
    [ENV.taskRoleArn]: text.optional(),
    [ENV.taskRoles]: taskRoles,
    [ENV.logGroup]: text,
    [DISPATCH_ENV.volumeRoleArn]: text.optional(),
    [DISPATCH_ENV.filesImage]: text.optional(),
    [ENV.launchesPerSec]: rate.optional(),
    [ENV.stopsPerSec]: rate.optional(),
    [ENV.hostsZone]: text
      .refine((zone) => zoneError(zone) === null, { error: ({ input }) => zoneError(String(input)) ?? '' })
      .optional(),
    [ENV.hostsNamespaceId]: text.optional(),
    [ENV.hostsMax]: number(hostsMaxError).optional(),
    [ENV.formats]: z.enum(['current', 'previous'], 'must be current or previous').default('current'),
    [ENV.historyDays]: number(daysError),
    [ENV.eventBus]: text
      .refine((bus) => eventBusError(bus) === null, { error: ({ input }) => eventBusError(String(input)) ?? '' })
      .optional(),
    [ENV.taskTokens]: z.enum(['ENABLED'], 'must be ENABLED, or absent').optional(),
    [EXEC_ENV.exec]: z.enum(['ENABLED'], 'must be ENABLED, or absent').optional(),
    [DEAD_QUEUE_ENV.wake]: text.optional(),
    [DEAD_QUEUE_ENV.facts]: text.optional(),
    [DEAD_QUEUE_ENV.dispatch]: text.optional(),
    [DEAD_QUEUE_ENV.submit]: text.optional(),
    [ENDPOINT_ENV.dynamodb]: url.optional(),
    [ENDPOINT_ENV.sqs]: url.optional(),
    [ENDPOINT_ENV.ecs]: url.optional(),
    [ENDPOINT_ENV.logs]: url.optional(),
    [ENDPOINT_ENV.cloudmap]: url.optional(),
    [ENDPOINT_ENV.announcements]: url.optional(),
    [ENDPOINT_ENV.parameters]: url.optional(),
    [ENDPOINT_ENV.secrets]: url.optional(),
    [ENDPOINT_ENV.sessions]: url.optional(),
    [ENDPOINT_ENV.accessKey]: text.optional(),
  })
  .refine((env) => (env[ENV.hostsZone] === undefined) === (env[ENV.hostsNamespaceId] === undefined), {
    error: `must be set where ${ENV.hostsZone} is, and only there`,
    path: [ENV.hostsNamespaceId],
  });

/**
 * Reads where everything is from environment variables.
 *
 * @throws Error that names each variable that is missing or invalid, its value, and what would be right
 */
export function optionsFromEnv(
  variables: Readonly<Record<string, string | undefined>>,
  open: readonly OpenOfFunction[] = [],
): RuntimeOptions {
  const env = readEnv(EnvSchema, variables);
  const [zone, namespaceId] = [env[ENV.hostsZone], env[ENV.hostsNamespaceId]];
  const to = {
    eventBus: orNull(env[ENV.eventBus]),
    taskTokens: env[ENV.taskTokens] !== undefined,
    endpoint: orNull(env[ENDPOINT_ENV.announcements]),
  };
  const hasExec = env[EXEC_ENV.exec] !== undefined;
  const places = {
    announcements: to,
    parameters: orNull(env[ENDPOINT_ENV.parameters]),
    secrets: orNull(env[ENDPOINT_ENV.secrets]),
    ...(hasExec ? { sessions: { cluster: env[ENV.cluster], endpoint: orNull(env[ENDPOINT_ENV.sessions]) } } : {}),
  };
  return {
    ...(open.length === 0 ? {} : { ofFunction: { places, open } }),
    region: env.AWS_REGION,
    endpoints: {
      sqs: orNull(env[ENDPOINT_ENV.sqs]),
      ecs: orNull(env[ENDPOINT_ENV.ecs]),
      logs: orNull(env[ENDPOINT_ENV.logs]),
    },
    accessKey: orNull(env[ENDPOINT_ENV.accessKey]),
    store: { kind: 'dynamodb', tableName: env[ENV.table], endpoint: orNull(env[ENDPOINT_ENV.dynamodb]) },
    queues: {
      wake: env[ENV.wakeQueueUrl],
      facts: env[ENV.factQueueUrl],
      dispatch: env[ENV.dispatchQueueUrl],
      submit: orNull(env[ENV.submitQueueUrl]),
    },
    deadQueues: {
      wake: orNull(env[DEAD_QUEUE_ENV.wake]),
      facts: orNull(env[DEAD_QUEUE_ENV.facts]),
      dispatch: orNull(env[DEAD_QUEUE_ENV.dispatch]),
      submit: orNull(env[DEAD_QUEUE_ENV.submit]),
    },
    placement: {
      cluster: env[ENV.cluster],
      subnets: env[ENV.subnets],
      securityGroups: env[ENV.securityGroups],
      assignPublicIp: env[ENV.assignPublicIp],
      capacity: 'FARGATE',
      ...(hasExec ? { exec: true as const } : {}),
    },
    executionRoleArn: env[ENV.executionRoleArn],
    taskRoleArn: orNull(env[ENV.taskRoleArn]),
    taskRoles: env[ENV.taskRoles],
    logGroup: env[ENV.logGroup],
    definitions: { filesImage: env[DISPATCH_ENV.filesImage], exec: hasExec },
    volumeRoleArn: orNull(env[DISPATCH_ENV.volumeRoleArn]),
    names:
      zone === undefined || namespaceId === undefined
        ? null
        : { zone, namespaceId, endpoint: orNull(env[ENDPOINT_ENV.cloudmap]) },
    settings: {
      timing: pacedTiming(AWS_TIMING, orNull(env[ENV.launchesPerSec])),
      firstPodsMax: FIRST_PODS_MAX,
      launchesPerSec: orNull(env[ENV.launchesPerSec]),
      stopsPerSec: orNull(env[ENV.stopsPerSec]),
      hosts: { ...AWS_HOST_LIMITS, max: env[ENV.hostsMax] ?? AWS_HOST_LIMITS.max },
      historyMs: env[ENV.historyDays] * MS_PER_DAY,
      formats: env[ENV.formats],
      announced: to.eventBus !== null ? 'each' : to.taskTokens ? 'awaited' : null,
    },
    coalescing: COALESCING,
    telemetry: createLambdaTelemetry(),
  };
}

/** Who may do everything; absent: nobody is named. */
const admins = z
  .string()
  .default('')
  .refine((arns) => adminsError(arns) === null, { error: ({ input }) => adminsError(String(input)) ?? '' })
  .transform(adminsIn);

const AccessSchema = z.object({
  [ACCESS_ENV.auth]: z.enum(['token'], 'must be token, or absent').optional(),
  [ACCESS_ENV.authorization]: z.enum(['RBAC'], 'must be RBAC, or absent').optional(),
  [ACCESS_ENV.admins]: admins,
});

/**
 * Reads how API Gateway knows its callers.
 *
 * @throws Error as {@link optionsFromEnv} does
 */
export function gatewayAccessFromEnv(variables: Readonly<Record<string, string | undefined>>): GatewayAccess {
  const env = readEnv(AccessSchema, variables);
  const authorization = env[ACCESS_ENV.authorization] ?? 'AlwaysAllow';
  return env[ACCESS_ENV.auth] === undefined
    ? { auth: 'iam', admins: env[ACCESS_ENV.admins], authorization }
    : { auth: 'token', authorization };
}

/** The same of this process. */
export const processGatewayAccess = (): GatewayAccess => gatewayAccessFromEnv(process.env);

const AuthorizerSchema = z.object({
  AWS_REGION: text,
  [ACCESS_ENV.tokenCluster]: text.refine((cluster) => tokenClusterError(cluster) === null, {
    error: ({ input }) => tokenClusterError(String(input)) ?? '',
  }),
  [ACCESS_ENV.accounts]: text
    .refine((accounts) => accountsError(accounts) === null, {
      error: ({ input }) => accountsError(String(input)) ?? '',
    })
    .transform((accounts) => accounts.split(',')),
  [ACCESS_ENV.admins]: admins,
});

/**
 * What the authorizer needs, made from the environment of this process.
 *
 * @throws Error as {@link optionsFromEnv} does
 */
export function processAuthorizer(): Authorizer {
  const env = readEnv(AuthorizerSchema, process.env);
  const verify = createStsTokenVerifier({
    region: env.AWS_REGION,
    clusterId: env[ACCESS_ENV.tokenCluster],
    admission: { accounts: env[ACCESS_ENV.accounts], admins: env[ACCESS_ENV.admins] },
    now: () => systemClock.now(),
  });
  return { verify, telemetry: createLambdaTelemetry() };
}

function readEnv<S extends z.ZodType>(schema: S, variables: Readonly<Record<string, string | undefined>>): z.output<S> {
  const read = schema.safeParse(variables);
  if (!read.success) throw new Error(`Environment variables that make no sense:\n${sentences(variables, read.error)}`);
  return read.data;
}

/** Prints values, except keys. */
const sentences = (variables: Readonly<Record<string, string | undefined>>, error: z.ZodError): string =>
  error.issues
    .map(({ path, message }) => {
      const name = String(path[0] ?? '');
      const value = name === ENDPOINT_ENV.accessKey ? undefined : variables[name];
      return `  ${name}${value === undefined ? '' : `=${value.slice(0, VALUE_CHARS_MAX)}`}: ${message}`;
    })
    .join('\n');
const VALUE_CHARS_MAX = 200;
