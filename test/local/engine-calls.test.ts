import { expect, onTestFinished, test } from 'vitest';
import { AlarmHeap } from '../../local/ecs/timers.ts';
import { type EcsOptions, createEcs } from '../../local/ecs/create-ecs.ts';
import { ecsCallsTo } from '../../local/in-process/engine-calls.ts';
import { serveAwsJson } from '../../local/wire/aws-json.ts';
import { AwsError } from '../../local/wire/aws-error.ts';
import type { EcsApi } from '../../local/wire/ecs-operations.ts';
import { ecsService } from '../../local/wire/ecs-wire.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';
import type { EcsCalls } from '../../shared/adapters/aws/ecs/ecs-calls.ts';
import { createEcsTasks } from '../../shared/adapters/aws/ecs/ecs-tasks.ts';
import { createEcsClients, sdkEcsCalls } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { TaskDefinition } from '../../shared/domain/task/task.ts';
import type { Tasks } from '../../shared/ports/tasks.ts';

const REGION = 'us-east-1';
const PLACEMENT = {
  cluster: 'muster',
  subnets: ['subnet-1'],
  securityGroups: [],
  assignPublicIp: 'DISABLED',
  capacity: 'FARGATE',
} as const;
const DEFINITIONS = {
  region: REGION,
  executionRoleArn: 'arn:aws:iam::000000000000:role/exec',
  taskRoleArn: null,
  taskRoles: null,
  logGroup: '/muster/tasks',
};
const DEFINITION: TaskDefinition = {
  family: 'muster-0a1b',
  cpu: 256,
  memoryMib: 512,
  architecture: 'X86_64',
  ephemeralStorageGib: 30,
  volumes: ['scratch'],
  serviceAccount: null,
  containers: [
    {
      name: 'main',
      image: 'busybox',
      entryPoint: ['sh'],
      command: ['-c', 'true'],
      environment: [{ name: 'A', value: '1' }],
      secrets: [],
      essential: true,
      dependsOnSuccess: [],
      dependsOnStart: [],
      stopTimeoutSec: 30,
      workingDirectory: '/work',
      user: null,
      readOnlyRoot: true,
      capabilities: { add: [], drop: ['ALL'] },
      pullSecret: null,
      mounts: [{ volume: 'scratch', path: '/scratch', readOnly: false }],
      ports: [{ port: 80, protocol: 'tcp' }],
    },
  ],
};
const uid = asJobUid('2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55');

/** An ECS whose alarms never ring, so that its tasks stay as they are; its clock ticks whenever it is read. */
async function anEcs(options: Partial<EcsOptions> = {}) {
  const alarms = new AlarmHeap();
  let nowMs = 1_800_000_000_000;
  const timers = {
    now: () => nowMs++,
    after: (delayMs: number, run: () => void) => {
      const alarm = alarms.set(delayMs, run);
      return () => void (alarm.run = null);
    },
    close: () => undefined,
  };
  const ecs = createEcs({ driver: { kind: 'simulated' }, clusters: ['muster'], timers, ...options });
  await ecs.start();
  return ecs.api;
}

async function overHttp(api: EcsApi): Promise<EcsCalls> {
  const front = await listenOnLoopback(serveAwsJson([ecsService(api)]));
  const clients = createEcsClients({ region: REGION, endpoint: front.url });
  onTestFinished(async () => {
    for (const client of [clients.launching, clients.other]) client.destroy();
    await front.close();
  });
  return sdkEcsCalls(clients);
}

/** Freezes all that goes in and comes out: code that changes it throws. */
function frozen(calls: EcsCalls): EcsCalls {
  const deep = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null || Object.isFrozen(value) || value instanceof Date) return value;
    for (const each of Object.values(value)) deep(each);
    return Object.freeze(value);
  };
  const wrapped = Object.entries(calls).map(([name, call]) => [
    name,
    async (input: object) => deep(await (call as (input: object) => Promise<unknown>)(deep(input))),
  ]);
  return Object.fromEntries(wrapped) as EcsCalls;
}

async function stopAll(tasks: Tasks, live: Awaited<ReturnType<Tasks['listLive']>>): Promise<void> {
  for (const arn of live.kind === 'listed' ? live.taskArns : []) await tasks.stop(arn, 'enough');
}

/** What the port says of everything that may happen, with the ids of tasks made equal. */
async function story(tasks: Tasks): Promise<string> {
  const told: unknown[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<unknown> => {
    const outcome = await work().catch((error: Error) => ({ threw: error.name, message: error.message }));
    told.push(outcome);
    return outcome;
  };
  await attempt(() => tasks.prepare({ ...DEFINITION, cpu: 77 }));
  const ready = (await attempt(() => tasks.prepare(DEFINITION))) as Awaited<ReturnType<Tasks['prepare']>>;
  await attempt(() => tasks.prepare(DEFINITION));
  if (ready.kind !== 'ready') throw new Error(JSON.stringify(ready));
  const job = { uid, namespace: 'default', name: 'sums' };
  const launch = (index: number, value = '1') =>
    tasks.run({
      job,
      id: { index, attempt: 1, nonce: 0 },
      template: ready.template,
      env: [{ name: 'JOB_COMPLETION_INDEX', value }],
      ...(index === 1 ? { capacity: 'spot' as const } : {}),
    });
  const first = (await attempt(() => launch(0))) as { readonly taskArn: string };
  await attempt(() => launch(0)); // the same task
  await attempt(() => launch(0, 'another')); // the token was used with other parameters: that task
  await attempt(() => launch(1));
  await attempt(() => launch(2)); // the quota
  await attempt(() => launch(3, 'x'.repeat(9_000)));
  const gone = asTaskArn(`${first.taskArn.slice(0, -32)}${'0'.repeat(32)}`);
  await attempt(() => tasks.describe([asTaskArn(first.taskArn), gone]));
  await attempt(() => tasks.listLive({ job: uid, after: null }));
  await attempt(() => tasks.listLive({ job: null, after: 'no token' }));
  await attempt(() => tasks.stop(asTaskArn(first.taskArn), 'x'.repeat(2_000)));
  await attempt(() => tasks.stop(gone, 'gone'));
  await attempt(() => tasks.listStopped({ family: DEFINITION.family, after: null }));
  await attempt(() => tasks.describe([asTaskArn(first.taskArn)]));
  const old = { family: DEFINITION.family, before: asEpochMs(Number.MAX_SAFE_INTEGER) };
  await attempt(() =>
    tasks.listOldFamilies({ prefix: DEFINITION.family.slice(0, 8), before: old.before, after: null }),
  );
  await attempt(() => tasks.deregister(old)); // a task of it runs
  await attempt(() => tasks.listLive({ job: uid, after: null }).then(async (live) => stopAll(tasks, live)));
  await attempt(() => tasks.deregister({ ...old, before: asEpochMs(0) }));
  await attempt(() => tasks.deregister(old));
  await attempt(() => tasks.deregister(old));
  await attempt(() => launch(4));
  const ids = new Map<string, string>();
  return JSON.stringify(told, null, 1).replaceAll(/[0-9a-f]{32}|127\.\d+\.\d+\.\d+/g, (id) => {
    if (!ids.has(id)) ids.set(id, `id-${ids.size}`);
    return ids.get(id) ?? id;
  });
}

test('the port says the same of an ECS that is called in this process as of one over HTTP, and changes nothing', async () => {
  const surprises: unknown[] = [];
  const inProcess = ecsCallsTo(await anEcs({ quota: { tasks: 2 } }), (message) => surprises.push(message));
  const calls = { inProcess: frozen(inProcess), http: await overHttp(await anEcs({ quota: { tasks: 2 } })) };
  const [here, there] = await Promise.all(
    [calls.inProcess, calls.http].map(async (each) =>
      story(createEcsTasks({ calls: each, placement: PLACEMENT, definitions: DEFINITIONS })),
    ),
  );
  expect(here).toBe(there);
  expect(here).toContain('reached the limit on the number of tasks');
  expect(here).toContain('"kind": "launched"');
  expect(here?.match(/"kind": "(kept|deregistered)"/g)).toEqual(
    ['kept', 'kept', 'deregistered', 'kept'].map((kind) => `"kind": "${kind}"`),
  );
  expect(here).toContain('"deregistered": true');
  expect(surprises).toEqual([]);
});

test('a throttled call is later', async () => {
  const api = await anEcs({ limits: { clusterRead: { burst: 1, perSec: 0.001 } } });
  const tasks = createEcsTasks({
    calls: ecsCallsTo(api, () => undefined),
    placement: PLACEMENT,
    definitions: DEFINITIONS,
  });
  expect(await tasks.listLive({ job: uid, after: null })).toMatchObject({ kind: 'listed' });
  expect(await tasks.listLive({ job: uid, after: null })).toEqual({
    kind: 'later',
    reason: 'ThrottlingException: Rate exceeded',
  });
});

test('what an engine throws by mistake is logged, and says nothing to the caller', async () => {
  const api = await anEcs();
  const surprises: unknown[] = [];
  const broken: EcsApi = {
    ...api,
    StopTask() {
      throw new TypeError('our own bug, with secrets');
    },
  };
  const calls = ecsCallsTo(broken, (message, { error }) => surprises.push([message, String(error)]));
  await expect(calls.stopTask({ task: 'x' })).rejects.toMatchObject({
    name: 'ServerException',
    message: 'internal error',
    $fault: 'server',
    $metadata: { httpStatusCode: 500 },
  });
  expect(surprises).toEqual([['a call to the embedded AWS failed', 'TypeError: our own bug, with secrets']]);
});

test('a refusal has the name and the members of the SDK; a call is never answered in the same turn', async () => {
  const refusing: EcsApi = {
    ...(await anEcs()),
    StopTask: () => {
      throw new AwsError('ResourceNotFoundException', 'no such task', { resource: 'x' });
    },
  };
  const order: string[] = [];
  const call = ecsCallsTo(refusing, () => undefined)
    .stopTask({ task: 'x' })
    .catch((error: unknown) => {
      order.push('answered');
      return error;
    });
  await Promise.resolve();
  setImmediate(() => order.push('another turn'));
  order.push('asked');
  const error = await call;
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'ResourceNotFoundException', resource: 'x', $fault: 'client' });
  expect(order[0]).toBe('asked');
});
