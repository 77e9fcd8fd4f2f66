import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { JOBS, START, type World, aWorld, manifest } from '../a-world.ts';
import { list } from './some-pods.ts';

describe('a Pod is created once, however many tasks it continues in', () => {
  const CRASHED = { cause: 'Error', exitCode: 1, container: 'main', reason: 'exit 1' } as const;
  const UNPLACED = { cause: 'Unplaced', exitCode: null, container: null, reason: 'no capacity' } as const;
  const sec = (n: number) => plusMs(START, n * 1000);

  test.each([
    ['restart', CRASHED, 'restarted'],
    ['unstarted', UNPLACED, 'unstarted'],
  ] as const)('%s', async (op, ending, as) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const seen: string[] = [];
    const look = async (): Promise<void> => {
      const pod = (await list(world)).items[0];
      seen.push(`${pod?.metadata.uid} ${pod?.metadata.creationTimestamp} ${pod?.status.phase}`);
    };
    const commit = async (...steps: Parameters<World['commit']>[1]): Promise<void> => {
      await world.commit('sums', steps);
      await look();
    };
    const podCreatedSec = sec(1) / 1000;
    const goesOn = (first: { readonly podCreatedSec?: number } = {}) => {
      const step = { index: 0, notBefore: sec(9), ...first };
      return op === 'restart' ? { ...step, op } : { ...step, op, since: null };
    };
    await world.launch('sums', [{ index: 0, attempt: 1 }], sec(1));
    await commit({ op: 'claim', index: 0 });
    await commit({ op: 'launched', index: 0 });
    await world.record('sums', 0, 1, ending, { as, why: { kind: 'said', sentence: '' }, createdAt: sec(1) });
    await commit(goesOn({ podCreatedSec }));
    await commit({ op: 'relaunch', index: 0 });
    await world.launch('sums', [{ index: 0, attempt: 1, nonce: 1 }], sec(20));
    await commit({ op: 'launched', index: 0 });
    await world.record('sums', 0, 1, ending, {
      as,
      why: { kind: 'said', sentence: '' },
      nonce: 1,
      createdAt: sec(20),
      podCreatedSec,
    });
    await commit(goesOn());
    await commit({ op: 'relaunch', index: 0 });
    await world.launch('sums', [{ index: 0, attempt: 1, nonce: 2 }], sec(40));
    await commit({ op: 'running', index: 0 });
    const done = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' } as const;
    await world.record('sums', 0, 1, done, { nonce: 2, createdAt: sec(40), podCreatedSec });
    await commit({ op: 'succeeded', index: 0 });
    const made = '00000001-0000-4000-8000-000000000001 2023-11-14T22:13:21Z';
    expect(seen.at(-1)).toBe(`${made} Succeeded`);
    expect([...new Set(seen.map((line) => line.slice(0, made.length)))]).toEqual([made]);
  });
});

describe('containers', () => {
  /** Init container, sidecar, main container, and one next to it. */
  const aFullJob = async (spec: object = {}): Promise<World> => {
    const world = await aWorld();
    const container = (name: string, more: object = {}) => ({ name, image: 'busybox', command: ['true'], ...more });
    const template = {
      spec: {
        restartPolicy: 'OnFailure',
        initContainers: [container('prepare'), container('proxy', { restartPolicy: 'Always' }), container('check')],
        containers: [container('main', { resources: { requests: { cpu: '1', memory: '2Gi' } } }), container('beside')],
      },
    };
    const { spec: usual } = manifest('full');
    await world.post(JOBS, { ...manifest('full'), spec: { ...usual, ...spec, template } });
    await world.commit('full', [{ op: 'claim', index: 0 }]);
    return world;
  };
  const shown = async (world: World) => {
    const pod = (await list(world)).items[0];
    const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {};
    const word = (state: object): string =>
      Object.entries(state as Record<string, { reason?: string; exitCode?: number }>)
        .map(([kind, { reason, exitCode }]) => [kind, exitCode, reason].filter((part) => part !== undefined).join(' '))
        .join('');
    const all = [...initContainerStatuses, ...containerStatuses];
    return {
      phase: pod?.status.phase,
      initialized: pod?.status.conditions?.find(({ type }) => type === 'Initialized')?.status,
      containers: all.map((c) => [c.name, word(c.state), c.restartCount, word(c.lastState)].join(', ')),
    };
  };

  test('being launched, running, started again', async () => {
    const world = await aFullJob();
    await world.launch('full', [{ index: 0, attempt: 1 }]);
    await world.commit('full', [{ op: 'launched', index: 0 }]);
    const starting = ['prepare', 'proxy', 'check', 'main', 'beside'].map(
      (name) => `${name}, waiting PodInitializing, 0, `,
    );
    expect(await shown(world)).toEqual({ phase: 'Pending', initialized: 'False', containers: starting });
    await world.commit('full', [{ op: 'running', index: 0 }]);
    const runs = (restarts: number, last: string) => [
      'prepare, terminated 0 Completed, 0, ',
      'proxy, running, 0, ',
      'check, terminated 0 Completed, 0, ',
      `main, running, ${restarts}, ${last}`,
      'beside, running, 0, ',
    ];
    expect(await shown(world)).toEqual({ phase: 'Running', initialized: 'True', containers: runs(0, '') });
    const ending = { cause: 'OOMKilled', exitCode: 137, container: 'main', reason: 'out of memory' } as const;
    await world.record('full', 0, 1, ending, { as: 'restarted', why: { kind: 'outOfMemory' } });
    await world.commit('full', [{ op: 'restart', index: 0, notBefore: null }]);
    expect((await shown(world)).containers[3]).toBe('main, waiting CrashLoopBackOff, 1, terminated 137 OOMKilled');
    await world.commit('full', [{ op: 'relaunch', index: 0 }]);
    expect(await shown(world)).toMatchObject({ phase: 'Running' });
    await world.launch('full', [{ index: 0, attempt: 1, nonce: 1 }]);
    await world.commit('full', [{ op: 'running', index: 0 }]);
    expect((await shown(world)).containers).toEqual(runs(1, 'terminated 137 OOMKilled'));
  });

  test('all done', async () => {
    const world = await aFullJob();
    await world.record('full', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
    await world.commit('full', [{ op: 'succeeded', index: 0 }]);
    expect(await shown(world)).toEqual({
      phase: 'Succeeded',
      initialized: 'True',
      containers: [
        'prepare, terminated 0 Completed, 0, ',
        'proxy, terminated 0 Stopped, 0, ',
        'check, terminated 0 Completed, 0, ',
        'main, terminated 0 Completed, 0, ',
        'beside, terminated 0 Stopped, 0, ',
      ],
    });
  });

  test('an init container that failed', async () => {
    const world = await aFullJob();
    await world.record('full', 0, 1, { cause: 'Error', exitCode: 5, container: 'check', reason: 'exited' });
    await world.commit('full', [{ op: 'failed', index: 0, notBefore: null }]);
    expect(await shown(world)).toEqual({
      phase: 'Failed',
      initialized: 'False',
      containers: [
        'prepare, terminated 0 Completed, 0, ',
        'proxy, terminated 0 Stopped, 0, ',
        'check, terminated 5 Error, 0, ',
        'main, waiting PodInitializing, 0, ',
        'beside, waiting PodInitializing, 0, ',
      ],
    });
  });

  test('what comes after an init container that failed has not begun', async () => {
    const world = await aFullJob();
    await world.record('full', 0, 1, { cause: 'Error', exitCode: 5, container: 'prepare', reason: 'exited' });
    await world.commit('full', [{ op: 'failed', index: 0, notBefore: null }]);
    expect((await shown(world)).containers).toEqual([
      'prepare, terminated 5 Error, 0, ',
      ...['proxy', 'check', 'main', 'beside'].map((name) => `${name}, waiting PodInitializing, 0, `),
    ]);
  });

  test('an init container that failed and is started again, as the kubelet shows it', async () => {
    const world = await aFullJob();
    await world.launch('full', [{ index: 0, attempt: 1 }]);
    await world.commit('full', [{ op: 'launched', index: 0 }]);
    const ending = { cause: 'Error', exitCode: 5, container: 'check', reason: 'exited' } as const;
    await world.record('full', 0, 1, ending, { as: 'restarted', why: { kind: 'exited', exitCode: 5 } });
    await world.commit('full', [{ op: 'restart', index: 0, notBefore: null }]);
    const before = ['prepare, terminated 0 Completed, 0, ', 'proxy, waiting CrashLoopBackOff, 0, '];
    const after = ['main', 'beside'].map((name) => `${name}, waiting PodInitializing, 0, `);
    expect(await shown(world)).toEqual({
      phase: 'Pending',
      initialized: 'False',
      containers: [...before, 'check, waiting CrashLoopBackOff, 1, terminated 5 Error', ...after],
    });
    await world.commit('full', [{ op: 'relaunch', index: 0 }]);
    expect(await shown(world)).toMatchObject({ phase: 'Pending', initialized: 'False' });
    await world.launch('full', [{ index: 0, attempt: 1, nonce: 1 }]);
    await world.commit('full', [{ op: 'running', index: 0 }]);
    expect(await shown(world)).toMatchObject({ phase: 'Running', initialized: 'True' });
    expect((await shown(world)).containers.slice(2, 4)).toEqual([
      'check, terminated 0 Completed, 1, terminated 5 Error',
      'main, running, 0, ',
    ]);
  });

  test('no time is shown that is not known', async () => {
    const world = await aFullJob();
    await world.commit('full', [{ op: 'succeeded', index: 0 }]);
    expect(JSON.stringify((await list(world)).items[0]?.status)).not.toMatch(/(At|Time)":null(?<!lastProbeTime":null)/);
  });

  const one = { cpu: '1', memory: '2Gi' };
  test.each<readonly [qosClass: string, containers: readonly object[], init: readonly object[], because: string]>([
    ['BestEffort', [{}, {}], [{}], 'nothing is asked for'],
    ['BestEffort', [{ requests: { 'ephemeral-storage': '30Gi' } }], [], 'nothing of processor and memory'],
    ['Guaranteed', [{ limits: one }], [], 'a limit alone is asked for, too'],
    ['Guaranteed', [{ limits: one, requests: one }, { limits: one }], [{ limits: one }], 'all have all'],
    ['Burstable', [{ limits: one }, {}], [], 'one has nothing'],
    ['Burstable', [{ limits: one }], [{}], 'an init container has nothing'],
    ['Burstable', [{ limits: { memory: '2Gi' } }], [], 'no limit for the processor'],
    ['Burstable', [{ limits: { cpu: '1' } }], [], 'none for the memory'],
    ['Burstable', [{ requests: one }], [], 'no limits'],
    ['Burstable', [{ limits: one, requests: { cpu: '500m', memory: '2Gi' } }], [], 'less is asked for than the limit'],
    ['Burstable', [{ limits: one, requests: { cpu: '1', memory: '1Gi' } }], [], 'of either'],
  ])('the class of service is %s of %j, %j: %s', async (qosClass, containers, init) => {
    const world = await aWorld();
    const named = (some: readonly object[], as: string) =>
      some.map((resources, no) => ({ name: `${as}${no}`, image: 'busybox', command: ['true'], resources }));
    const template = {
      spec: { restartPolicy: 'Never', containers: named(containers, 'c'), initContainers: named(init, 'i') },
    };
    const posted = await world.post(JOBS, {
      ...manifest('full'),
      spec: { ...manifest('full').spec, template },
    });
    expect(posted.status).toBe(201);
    await world.commit('full', [{ op: 'claim', index: 0 }]);
    expect((await list(world)).items[0]?.status).toMatchObject({ qosClass });
  });
});
