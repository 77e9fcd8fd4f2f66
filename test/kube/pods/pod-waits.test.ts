import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { JOBS, PODS, START, type World, aWorld, manifest } from '../a-world.ts';
import { type Pod, aBusyJob, list } from './some-pods.ts';

test('a claim that waits says what for', async () => {
  const world = await aBusyJob();
  const waiting = [{ index: 3, attempt: 1, nonce: 0, dueAt: plusMs(START, 60_000) }];
  await world.commit('sums', [], { inFlight: waiting, waitReason: 'Capacity is unavailable at this time' });
  expect((await list(world)).items.at(-1)?.status).toEqual({
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        reason: 'Unschedulable',
        message: 'Capacity is unavailable at this time',
      },
    ],
    message: 'Capacity is unavailable at this time',
    qosClass: 'BestEffort',
  });
});

describe('what a Pod waits for', () => {
  const claims = (...nonces: readonly number[]) =>
    nonces.map((nonce, i) => ({ index: i, attempt: 1, nonce, dueAt: plusMs(START, 8_000) }));
  const scheduled = async (world: World, index: number) => {
    const { status } = (await list(world)).items[index] as Pod;
    expect(status.phase).toBe('Pending');
    return status.conditions?.find(({ type }) => type === 'PodScheduled');
  };
  const aWaitingJob = async (perSec: number | null, fullPerSec = perSec): Promise<World> => {
    const world = await aWorld();
    Object.assign(world.pace, { perSec, fullPerSec });
    await world.post(JOBS, manifest('sums', { parallelism: 4 }));
    const steps = [0, 1, 2, 3].map((index) => ({ op: 'claim', index }) as const);
    await world.commit('sums', steps, { startTime: START, inFlight: claims(0, 0, 0, 0) });
    return world;
  };

  test('its turn under the launch rate, with its position', async () => {
    const world = await aWaitingJob(0.5);
    expect(await scheduled(world, 0)).toMatchObject({
      status: 'False',
      reason: 'LaunchRateLimited',
      message: 'launch rate 0.5/s, about 2 s',
    });
    expect(await scheduled(world, 3)).toMatchObject({ message: 'launch rate 0.5/s, about 8 s' });
    const table = await world.get(PODS, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    const { rows } = (await table.json()) as { rows: { cells: unknown[] }[] };
    expect(rows.map(({ cells }) => cells[2])).toEqual(Array(4).fill('Pending'));
    expect(await eventsOf(world)).toEqual([]);
  });

  test('its name', async () => {
    const world = await aWaitingJob(20);
    Object.assign(world.pace, { namesPerSec: 0.5 });
    const { spec } = manifest('named', { parallelism: 4 });
    const template = { spec: { ...spec.template.spec, subdomain: 'workers' } };
    const answer = await world.post(JOBS, manifest('named', {}, { spec: { ...spec, template } }));
    expect(answer.status).toBe(201);
    await world.commit('named', [{ op: 'claim', index: 0 }], { inFlight: claims(0) });
    expect(await scheduled(world, 0)).toMatchObject({
      reason: 'HostnamePending',
      message: 'names in Cloud Map 0.5/s, about 2 s',
    });
  });

  test('a throttle', async () => {
    const world = await aWaitingJob(10, 20);
    expect(await scheduled(world, 3)).toMatchObject({
      reason: 'LaunchThrottled',
      message: 'ECS throttles: 10/s of 20/s, about 1 s',
    });
  });

  test('quota: a refused Pod waits for the next try, the others for their turn', async () => {
    const quota = 'You’ve reached the limit on the number of vCPUs you can run concurrently';
    const world = await aWaitingJob(1);
    await world.commit('sums', [{ op: 'renonce', index: 0 }], { inFlight: claims(1, 0, 0, 0), waitReason: quota });
    expect(await scheduled(world, 0)).toMatchObject({
      reason: 'Unschedulable',
      message: `${quota}, next try in about 8 s`,
    });
    expect(await scheduled(world, 3)).toMatchObject({ message: 'launch rate 1/s, about 3 s' });
    expect(await eventsOf(world)).toEqual([`FailedScheduling ${quota}`]);
  });

  test('nothing if there is no rate and ECS has not refused, or the Job is ending', async () => {
    const world = await aWaitingJob(null);
    expect(await scheduled(world, 0)).toBeUndefined();
    Object.assign(world.pace, { perSec: 1, fullPerSec: 1 });
    await world.commit('sums', [], { phase: { kind: 'suspended', since: START } });
    expect(await scheduled(world, 0)).toBeUndefined();
  });

  test.each([
    ['StartFailed', 'CannotPullContainerError: no such image'],
    ['Unplaced', 'CannotPullContainerError: dial tcp 192.0.2.1:443: connect: connection refused'],
  ] as const)('its next task, when one could not start: %s', async (cause, image) => {
    const world = await aWaitingJob(null);
    await world.record('sums', 0, 1, { cause, exitCode: null, container: null, reason: image });
    const until = plusMs(START, 20_000);
    await world.commit('sums', [{ op: 'unstarted', index: 0, notBefore: until, since: START }], { inFlight: [] });
    const { status } = (await list(world)).items[0] as Pod;
    expect(status.containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'ImagePullBackOff', message: `${image}, next try in about 20 s` },
    });
    const none = 'Unexpected EC2 error while attempting to Create Network Interface';
    await world.record('sums', 1, 1, { cause: 'Unplaced', exitCode: null, container: null, reason: none });
    await world.commit('sums', [{ op: 'unstarted', index: 1, notBefore: until, since: null }]);
    expect(await scheduled(world, 1)).toMatchObject({
      reason: 'Unschedulable',
      message: `${none}, next try in about 20 s`,
    });
  });

  const eventsOf = async (world: World): Promise<readonly string[]> => {
    const answer = await world.get('/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DPod');
    const { items } = (await answer.json()) as { items: { reason: string; message: string }[] };
    return items.map(({ reason, message }) => `${reason} ${message}`);
  };
});
