import { RunTaskCommand } from '@aws-sdk/client-ecs';
import { afterEach, describe, expect, test } from 'vitest';
import { createEcs, type EcsOptions } from '../../local/ecs/create-ecs.ts';
import type { EcsTaskEvent } from '../../local/ecs/task-event.ts';
import { factOf } from '../../shared/domain/planner/ending.ts';
import { parseTask } from '../../shared/schema/messages/ecs-task.ts';
import { handClock } from './hand-clock.ts';
import { container, register, startServer, type TaskServer } from './task-server.ts';

async function simulate(
  options: Omit<EcsOptions, 'driver' | 'timers'> & { script?: object },
  tasks: number,
  run: object = {},
) {
  const clock = handClock();
  const events: EcsTaskEvent[] = [];
  const { script = {}, ...rest } = options;
  const onEvent = async (event: EcsTaskEvent): Promise<void> => {
    events.push(event);
    return Promise.resolve();
  };
  const ecs = createEcs({ driver: { kind: 'simulated', script }, timers: clock, onEvent, ...rest });
  await ecs.start();
  ecs.api.RegisterTaskDefinition({
    family: 'job',
    cpu: '256',
    memory: '512',
    containerDefinitions: [container('main')],
  });
  for (let n = 0; n < tasks; n++) {
    ecs.api.RunTask({
      taskDefinition: 'job',
      overrides: {
        containerOverrides: [{ name: 'main', environment: [{ name: 'JOB_COMPLETION_INDEX', value: String(n) }] }],
      },
      ...run,
    });
  }
  return { ecs, clock, events, ended: () => events.filter(({ detail }) => detail.lastStatus === 'STOPPED') };
}

const indexOf = ({ detail }: EcsTaskEvent): string | undefined =>
  detail.overrides.containerOverrides?.[0]?.environment?.[0]?.value;

describe('simulated tasks', () => {
  test('start and end when the script says so', async () => {
    const { ecs, clock, events } = await simulate({ script: { startDelayMs: 1_000, runMs: 60_000 } }, 1);
    const begunMs = clock.now();
    clock.advance(200_000);
    await ecs.idle();
    expect(events.map(({ detail, time }) => [detail.lastStatus, (Date.parse(time) - begunMs) / 1000])).toEqual([
      ['PROVISIONING', 0],
      ['PENDING', 0],
      ['RUNNING', 1],
      ['DEPROVISIONING', 61],
      ['STOPPED', 61],
    ]);
  });

  test('what DEPROVISIONING says about an end, STOPPED says again; it may come later', async () => {
    const { ecs, clock, events, ended } = await simulate(
      { script: { runMs: [0, 9_000], fail: 0.5 }, events: { deprovisionMs: 20_000 } },
      20,
      { group: 'muster:7:2:0', startedBy: 'uid' },
    );
    clock.advance(10_000);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    const early = events.filter(({ detail }) => detail.lastStatus === 'DEPROVISIONING');
    expect([early.length, ended().length]).toEqual([20, 0]);
    clock.advance(20_000);
    await ecs.idle();
    expect(ended()).toHaveLength(20);
    const endOf = ({ detail }: EcsTaskEvent) => {
      const view = parseTask(detail, 'muster:');
      return [detail.taskArn, view === null ? null : factOf(view)] as const;
    };
    expect(new Map(early.map(endOf))).toEqual(new Map(ended().map(endOf)));
    expect(early.map((event) => endOf(event)[1]?.kind)).toEqual(Array.from({ length: 20 }, () => 'stopped'));
  });

  test('a seed decides who fails, and another seed decides otherwise', async () => {
    const failed = async (seed: number): Promise<Set<string | undefined>> => {
      const { ecs, clock, ended } = await simulate(
        { script: { seed, runMs: [10, 1_000], fail: 0.3, failExitCode: 9 } },
        200,
      );
      clock.advance(2_000);
      await ecs.idle();
      expect(ended()).toHaveLength(200);
      return new Set(ended().flatMap((event) => (event.detail.containers[0]?.exitCode === 9 ? [indexOf(event)] : [])));
    };
    const first = await failed(1);
    expect(first.size).toBeGreaterThan(30);
    expect(first.size).toBeLessThan(90);
    expect(await failed(1)).toEqual(first);
    expect(await failed(2)).not.toEqual(first);
  });

  test('a script decides for single containers, by index and attempt', async () => {
    const script = {
      runMs: 1_000,
      decide: ({ index }: { index: number | null }) =>
        index === 1
          ? { exitCode: 7 }
          : index === 2
            ? { unstartable: 'CannotPullContainerError: no such image' }
            : undefined,
    };
    const { ecs, clock, ended } = await simulate({ script }, 3);
    clock.advance(5_000);
    await ecs.idle();
    const byIndex = new Map(ended().map((event) => [indexOf(event), event.detail]));
    expect(byIndex.get('0')).toMatchObject({ stopCode: 'EssentialContainerExited', containers: [{ exitCode: 0 }] });
    expect(byIndex.get('1')).toMatchObject({ stopCode: 'EssentialContainerExited', containers: [{ exitCode: 7 }] });
    expect(byIndex.get('2')).toMatchObject({
      stopCode: 'TaskFailedToStart',
      stoppedReason: 'CannotPullContainerError: no such image',
    });
  });

  test('Spot interrupts tasks on Spot, and no others', async () => {
    for (const [capacityProvider, stopCode] of [
      ['FARGATE_SPOT', 'SpotInterruption'],
      ['FARGATE', 'EssentialContainerExited'],
    ]) {
      const run = { capacityProviderStrategy: [{ capacityProvider, weight: 1 }] };
      const { ecs, clock, ended } = await simulate({ script: { runMs: 10_000, spot: 1 } }, 5, run);
      clock.advance(20_000);
      await ecs.idle();
      expect(ended().map(({ detail }) => detail.stopCode)).toEqual(Array.from({ length: 5 }, () => stopCode));
    }
  });

  test('ten thousand tasks run and end', async () => {
    const { ecs, clock, ended } = await simulate(
      { script: { startDelayMs: [0, 500], runMs: [0, 5_000] }, events: { statuses: ['RUNNING', 'STOPPED'] } },
      10_000,
    );
    clock.advance(10_000);
    await ecs.idle();
    expect(new Set(ended().map(indexOf)).size).toBe(10_000);
    clock.advance(2 * 3_600_000);
    expect(ecs.api.ListTasks({ desiredStatus: 'STOPPED' }).taskArns).toEqual([]);
  });
});

describe('weather', () => {
  test('every event arrives twice, none in an order that can be relied on', async () => {
    const { ecs, clock, events } = await simulate({ events: { duplicate: 1, shuffleMs: 1_000, seed: 4 } }, 50);
    clock.advance(10_000);
    await ecs.idle();
    expect(events).toHaveLength(500);
    const copies = new Map(events.map(({ id }) => [id, events.filter((event) => event.id === id)]));
    expect(copies.size).toBe(250);
    expect([...copies.values()].every(({ length }) => length === 2)).toBe(true);
    const [first] = events;
    const versions = events
      .filter(({ detail }) => detail.taskArn === first?.detail.taskArn)
      .map(({ detail }) => detail.version);
    expect(versions).not.toEqual(versions.toSorted((a, b) => a - b));
  });

  test('a share of the events is lost, by the seed', async () => {
    const arrived = async (seed: number): Promise<number> => {
      const { ecs, clock, events } = await simulate({ events: { drop: 0.1, seed } }, 200);
      clock.advance(10_000);
      await ecs.idle();
      return events.length;
    };
    const count = await arrived(1);
    expect(count).toBeGreaterThan(850);
    expect(count).toBeLessThan(950);
    expect(await arrived(1)).toBe(count);
  });

  test('a listener that fails is called again until it takes the event', async () => {
    let calls = 0;
    const taken: string[] = [];
    const complaints: string[] = [];
    const onEvent = async ({ detail }: EcsTaskEvent): Promise<void> => {
      if (++calls % 3 !== 0) return Promise.reject(new Error('queue is away'));
      taken.push(detail.lastStatus);
      return Promise.resolve();
    };
    const { ecs, clock } = await simulate({ onEvent, log: (message) => complaints.push(message) }, 4);
    const idle = ecs.idle();
    for (let n = 0; n < 50; n++) {
      clock.advance(5_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await idle;
    expect(taken.toSorted()).toEqual(
      ['DEPROVISIONING', 'PENDING', 'PROVISIONING', 'RUNNING', 'STOPPED'].flatMap((status) => [
        status,
        status,
        status,
        status,
      ]),
    );
    expect(complaints.length).toBeGreaterThan(0);
  });
});

describe('over HTTP', () => {
  let server: TaskServer | undefined;
  afterEach(async () => server?.close());

  test('a thousand calls of RunTask at once', async () => {
    server = await startServer({ kind: 'simulated' });
    await register(server, 'job');
    const { client, ecs, events } = server;
    await Promise.all(
      Array.from({ length: 1_000 }, async () => client.send(new RunTaskCommand({ taskDefinition: 'job' }))),
    );
    await expect.poll(() => events.filter(({ detail }) => detail.lastStatus === 'STOPPED').length).toBe(1_000);
    await ecs.idle();
    expect(events).toHaveLength(5_000);
  });
});
