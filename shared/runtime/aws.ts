import { z } from 'zod';
import { AWS_TIMING, pacedTiming } from '../domain/timing.ts';
import { DEAD_QUEUE_ENV } from '../names/dead-letters.ts';
import { ENDPOINT_ENV } from '../names/endpoints.ts';
import { ENV } from '../names/env.ts';
import { createLambdaTelemetry } from '../telemetry/lambda-telemetry.ts';
import { type RuntimeOptions, createRuntime } from './deps.ts';
import type { Runtime } from './runtime.ts';

/** The runtime of this process, made of its environment at the first call. Throws (ZodError) naming what is not set. */
export function processRuntime(): Runtime {
  current ??= createRuntime(optionsFromEnv(process.env));
  return current;
}

/** From now on the handlers of this process use `runtime`: how the embedded runtime brings its own. null: by environment. */
export function provideRuntime(runtime: Runtime | null): void {
  current = runtime;
}

let current: Runtime | null = null;

/** A fact pass of its own for each of 20 facts a second would cost more requests than it saves time. */
const COALESCE_MS = 300;
const MS_PER_DAY = 86_400_000;

const text = z.string().min(1);
const list = text.transform((value) => value.split(','));
const rate = z.coerce.number().positive();
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
  .pipe(z.record(z.string(), text))
  .transform((roles) => new Map(Object.entries(roles)));
const orNull = <T>(value: T | undefined): T | null => value ?? null;

const EnvSchema = z.object({
  AWS_REGION: text,
  [ENV.table]: text,
  [ENV.wakeQueueUrl]: text,
  [ENV.factQueueUrl]: text,
  [ENV.dispatchQueueUrl]: text,
  [ENV.cluster]: text,
  [ENV.subnets]: list,
  [ENV.securityGroups]: list,
  [ENV.assignPublicIp]: z.enum(['ENABLED', 'DISABLED']),
  [ENV.executionRoleArn]: text,
  [ENV.taskRoleArn]: text.optional(),
  [ENV.taskRoles]: taskRoles,
  [ENV.logGroup]: text,
  [ENV.launchesPerSec]: rate.optional(),
  [ENV.stopsPerSec]: rate.optional(),
  [ENV.historyDays]: rate,
  [DEAD_QUEUE_ENV.wake]: text.optional(),
  [DEAD_QUEUE_ENV.facts]: text.optional(),
  [DEAD_QUEUE_ENV.dispatch]: text.optional(),
  [ENDPOINT_ENV.dynamodb]: z.url().optional(),
  [ENDPOINT_ENV.sqs]: z.url().optional(),
  [ENDPOINT_ENV.ecs]: z.url().optional(),
  [ENDPOINT_ENV.logs]: z.url().optional(),
  [ENDPOINT_ENV.accessKey]: text.optional(),
});

/** Reads where everything is from environment variables; throws ZodError with the names of what is missing or malformed. */
export function optionsFromEnv(variables: Readonly<Record<string, string | undefined>>): RuntimeOptions {
  const env = EnvSchema.parse(variables);
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
    settings: {
      timing: pacedTiming(AWS_TIMING, orNull(env[ENV.launchesPerSec])),
      launchesPerSec: orNull(env[ENV.launchesPerSec]),
      stopsPerSec: orNull(env[ENV.stopsPerSec]),
      historyMs: env[ENV.historyDays] * MS_PER_DAY,
    },
    coalesceMs: COALESCE_MS,
    telemetry: createLambdaTelemetry(),
  };
}
