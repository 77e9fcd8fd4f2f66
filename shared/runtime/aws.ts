import * as z from 'zod';
import { AWS_TIMING, pacedTiming } from '../domain/timing.ts';
import { AWS_HOST_LIMITS } from '../domain/host-limits.ts';
import { daysFault, hostsMaxFault, numberIn, rateFault, zoneFault } from '../names/bounds.ts';
import { DEAD_QUEUE_ENV } from '../names/dead-letters.ts';
import { ENDPOINT_ENV } from '../names/endpoints.ts';
import { ENV } from '../names/env.ts';
import { createLambdaTelemetry } from '../telemetry/lambda-telemetry.ts';
import { type RuntimeOptions, createRuntime } from './deps.ts';
import type { Runtime } from './runtime.ts';

/**
 * The runtime of this process: the one that was provided, else made of its environment at the first call.
 *
 * @throws Error as {@link optionsFromEnv} does, and when the provided one has stopped
 */
export function processRuntime(): Runtime {
  if (current === 'stopped') throw new Error('the runtime of this process has stopped');
  current ??= createRuntime(optionsFromEnv(process.env));
  return current;
}

/**
 * From now on the handlers of this process use `runtime`: how the embedded runtime brings its own. `stopped`: they use none,
 * for a handler that comes late must not act on the installation that the environment happens to name.
 */
export function provideRuntime(runtime: Runtime | 'stopped'): void {
  current = runtime;
}

let current: Runtime | 'stopped' | null = null;

/** A fact pass of its own for each of 20 facts a second would cost more requests than it saves time. */
const COALESCE_MS = 300;
const MS_PER_DAY = 86_400_000;

const text = z.string('must be set').min(1, 'must not be empty');
const list = text.transform((value) => value.split(','));
const url = z.url('must be an address such as http://127.0.0.1:8000');
const number = (fault: (value: number) => string | null) =>
  text
    .transform(numberIn)
    .refine((value) => fault(value) === null, { error: ({ input }) => fault(Number(input)) ?? '' });
const rate = number(rateFault);
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
    [ENV.cluster]: text,
    [ENV.subnets]: list,
    [ENV.securityGroups]: list,
    [ENV.assignPublicIp]: z.enum(['ENABLED', 'DISABLED'], 'must be ENABLED or DISABLED'),
    [ENV.executionRoleArn]: text,
    [ENV.taskRoleArn]: text.optional(),
    [ENV.taskRoles]: taskRoles,
    [ENV.logGroup]: text,
    [ENV.launchesPerSec]: rate.optional(),
    [ENV.stopsPerSec]: rate.optional(),
    [ENV.hostsZone]: text
      .refine((zone) => zoneFault(zone) === null, { error: ({ input }) => zoneFault(String(input)) ?? '' })
      .optional(),
    [ENV.hostsNamespaceId]: text.optional(),
    [ENV.hostsMax]: number(hostsMaxFault).optional(),
    [ENV.historyDays]: number(daysFault),
    [DEAD_QUEUE_ENV.wake]: text.optional(),
    [DEAD_QUEUE_ENV.facts]: text.optional(),
    [DEAD_QUEUE_ENV.dispatch]: text.optional(),
    [ENDPOINT_ENV.dynamodb]: url.optional(),
    [ENDPOINT_ENV.sqs]: url.optional(),
    [ENDPOINT_ENV.ecs]: url.optional(),
    [ENDPOINT_ENV.logs]: url.optional(),
    [ENDPOINT_ENV.cloudmap]: url.optional(),
    [ENDPOINT_ENV.accessKey]: text.optional(),
  })
  .refine((env) => (env[ENV.hostsZone] === undefined) === (env[ENV.hostsNamespaceId] === undefined), {
    error: `must be set where ${ENV.hostsZone} is, and only there`,
    path: [ENV.hostsNamespaceId],
  });

/**
 * Reads where everything is from environment variables.
 *
 * @throws Error that names each variable which is missing or makes no sense, its value, and what would do
 */
export function optionsFromEnv(variables: Readonly<Record<string, string | undefined>>): RuntimeOptions {
  const read = EnvSchema.safeParse(variables);
  if (!read.success) throw new Error(`Environment variables that make no sense:\n${sentences(variables, read.error)}`);
  const env = read.data;
  const [zone, namespaceId] = [env[ENV.hostsZone], env[ENV.hostsNamespaceId]];
  return {
    region: env.AWS_REGION,
    endpoints: {
      sqs: orNull(env[ENDPOINT_ENV.sqs]),
      ecs: orNull(env[ENDPOINT_ENV.ecs]),
      logs: orNull(env[ENDPOINT_ENV.logs]),
    },
    accessKey: orNull(env[ENDPOINT_ENV.accessKey]),
    store: { kind: 'dynamodb', tableName: env[ENV.table], endpoint: orNull(env[ENDPOINT_ENV.dynamodb]) },
    queues: { wake: env[ENV.wakeQueueUrl], facts: env[ENV.factQueueUrl], dispatch: env[ENV.dispatchQueueUrl] },
    deadQueues: {
      wake: orNull(env[DEAD_QUEUE_ENV.wake]),
      facts: orNull(env[DEAD_QUEUE_ENV.facts]),
      dispatch: orNull(env[DEAD_QUEUE_ENV.dispatch]),
    },
    placement: {
      cluster: env[ENV.cluster],
      subnets: env[ENV.subnets],
      securityGroups: env[ENV.securityGroups],
      assignPublicIp: env[ENV.assignPublicIp],
      capacity: 'FARGATE',
    },
    executionRoleArn: env[ENV.executionRoleArn],
    taskRoleArn: orNull(env[ENV.taskRoleArn]),
    taskRoles: env[ENV.taskRoles],
    logGroup: env[ENV.logGroup],
    names:
      zone === undefined || namespaceId === undefined
        ? null
        : { zone, namespaceId, endpoint: orNull(env[ENDPOINT_ENV.cloudmap]) },
    settings: {
      timing: pacedTiming(AWS_TIMING, orNull(env[ENV.launchesPerSec])),
      launchesPerSec: orNull(env[ENV.launchesPerSec]),
      stopsPerSec: orNull(env[ENV.stopsPerSec]),
      hosts: { ...AWS_HOST_LIMITS, max: env[ENV.hostsMax] ?? AWS_HOST_LIMITS.max },
      historyMs: env[ENV.historyDays] * MS_PER_DAY,
    },
    coalesceMs: COALESCE_MS,
    telemetry: createLambdaTelemetry(),
  };
}

/** Values are shown, but for keys. */
const sentences = (variables: Readonly<Record<string, string | undefined>>, error: z.ZodError): string =>
  error.issues
    .map(({ path, message }) => {
      const name = String(path[0] ?? '');
      const value = name === ENDPOINT_ENV.accessKey ? undefined : variables[name];
      return `  ${name}${value === undefined ? '' : `=${value.slice(0, VALUE_CHARS_MAX)}`}: ${message}`;
    })
    .join('\n');
const VALUE_CHARS_MAX = 200;
