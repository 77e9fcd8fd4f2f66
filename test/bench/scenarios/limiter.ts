import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoClient } from '../../../shared/adapters/aws/dynamodb/dynamo-client.ts';
import { createDynamoStore } from '../../../shared/runtime/dynamo-store.ts';
import { createMemoryStore } from '../../../shared/runtime/memory-store.ts';
import { systemClock } from '../../../shared/adapters/system-clock.ts';
import { dispatch } from '../../../shared/control/dispatch/dispatch.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import { AWS_HOST_LIMITS } from '../../../shared/domain/task/host-limits.ts';
import { freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import { planningSpec } from '../../../shared/domain/manifests/job.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import type { DispatchMessage } from '../../../shared/ports/queues.ts';
import { createRuntime } from '../../../shared/runtime/create-runtime.ts';
import { createPlainTelemetry } from '../../../shared/telemetry/plain-telemetry.ts';
import { aJob } from '../../support/a-job.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { LIMIT_TABLE } from './limit-table.ts';

const REGION = 'us-east-1';

export type DispatcherOptions = {
  readonly endpoint: string;
  readonly ratePerSec: number;
  /** The moment to begin at, and for how long; milliseconds since 1970. */
  readonly startAtMs: number;
  readonly lastsMs: number;
};

/**
 * One of several dispatchers, a process of its own: the production code with more to launch than it may, on a limit in
 * DynamoDB that all share; ECS answers at once. Returns the moments of its RunTask calls.
 */
export async function dispatcher(options: DispatcherOptions): Promise<{ readonly calledAtMs: readonly number[] }> {
  const { endpoint, ratePerSec, startAtMs, lastsMs } = options;
  const calledAtMs: number[] = [];
  const client = createDynamoClient({ region: REGION, endpoint });
  const { limits } = createDynamoStore({ client, tableName: LIMIT_TABLE, now: () => systemClock.now() });
  const store = createMemoryStore({ now: () => systemClock.now() });
  const waiting: { readonly message: DispatchMessage; readonly at: number }[] = [];
  const runtime = createRuntime(runtimeOptions({ ...store, limits }, ratePerSec));
  const deps: Deps = {
    ...runtime.deps,
    queues: {
      wake: () => Promise.resolve(),
      wakeCrons: () => Promise.resolve(),
      facts: () => Promise.resolve(),
      dispatch(messages, delaySec) {
        for (const message of messages) waiting.push({ message, at: Date.now() + delaySec * 1_000 });
        return Promise.resolve();
      },
    },
    tasks: {
      ...runtime.deps.tasks,
      prepare: () =>
        Promise.resolve({
          kind: 'ready',
          template: { taskDefinition: 'none:1', containers: ['main'], placement: '{}' },
        }),
      run() {
        calledAtMs.push(performance.timeOrigin + performance.now());
        return Promise.resolve({
          kind: 'launched',
          taskArn: asTaskArn(`arn:aws:ecs:none/${calledAtMs.length}`),
          createdAt: null,
        });
      },
    },
  };
  const spec = aJob({ uid: randomUUID(), completions: 1_000_000, parallelism: 100_000 });
  const job = { ...spec.identity, revision: 1, spec: planningSpec(spec) };
  await openNamespace(store.objects);
  await store.jobs.createJob(spec, freshStatus(job, systemClock.now()));

  await sleep(Math.max(0, startAtMs - Date.now()));
  const endsAt = startAtMs + lastsMs;
  let next = 0;
  const nextMessage = (): DispatchMessage => {
    const due = waiting.findIndex(({ at }) => at <= Date.now());
    const [again] = due < 0 ? [] : waiting.splice(due, 1);
    if (again !== undefined) return again.message;
    const launch = Array.from({ length: 10 }, (_, i) => ({ index: next + i, attempt: 1, nonce: 0 }));
    next += 10;
    return { kind: 'pack', uid: spec.identity.uid, launch, stop: [] };
  };
  // As Lambda does: batches of ten messages, one after the other.
  while (Date.now() < endsAt) {
    // What waits for its turn is enough to be busy; more would only fill the memory.
    const batch = Array.from({ length: 10 }, nextMessage);
    await Promise.all(batch.map((message) => dispatch(message, deps)));
    if (waiting.length > 200) await sleep(100);
  }
  runtime.close();
  client.destroy();
  return { calledAtMs: calledAtMs.filter((at) => at < endsAt) };
}

type Stores = ReturnType<typeof createMemoryStore>;

function runtimeOptions(stores: Stores, launchesPerSec: number): Parameters<typeof createRuntime>[0] {
  const nowhere = 'http://127.0.0.1:1';
  return {
    region: REGION,
    endpoints: { sqs: nowhere, ecs: nowhere, logs: nowhere },
    accessKey: 'none',
    store: { kind: 'given', ...stores },
    queues: { wake: `${nowhere}/wake`, facts: `${nowhere}/facts`, dispatch: `${nowhere}/dispatch`, submit: null },
    deadQueues: { wake: null, facts: null, dispatch: null, submit: null },
    placement: {
      cluster: 'none',
      subnets: ['none'],
      securityGroups: [],
      assignPublicIp: 'DISABLED',
      capacity: 'FARGATE',
    },
    executionRoleArn: 'arn:aws:iam::000000000000:role/none',
    taskRoleArn: null,
    taskRoles: null,
    logGroup: 'none',
    settings: {
      timing: AWS_TIMING,
      launchesPerSec,
      stopsPerSec: null,
      hosts: AWS_HOST_LIMITS,
      historyMs: 86_400_000,
      announced: null,
    },
    coalescing: { ms: 0, burst: 1 },
    telemetry: createPlainTelemetry({
      warn: (message, values) => void process.stderr.write(`${message} ${JSON.stringify(values)}\n`),
    }),
  };
}
