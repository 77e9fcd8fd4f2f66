import { describe, expect, test, vi } from 'vitest';
import { JOBS, PODS, START, type World, aWorld, arnOf, manifest } from '../a-world.ts';

const DONE = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' } as const;
const CRASHED = { cause: 'Error', exitCode: 3, container: 'main', reason: 'exited' } as const;

/** Index 0 failed and runs again, 1 succeeded, 2 is launched, 3 claimed. */
const aBusyJob = async (template: object = {}): Promise<World> => {
  const world = await aWorld();
  const job = manifest('sums', { parallelism: 4 });
  await world.post(JOBS, {
    ...job,
    spec: { ...job.spec, template: { spec: { ...job.spec.template.spec, ...template } } },
  });
  await world.commit(
    'sums',
    [0, 1, 2, 3].map((index) => ({ op: 'claim', index })),
    { startTime: START },
  );
  await world.record('sums', 0, 1, CRASHED);
  await world.commit('sums', [
    { op: 'failed', index: 0, notBefore: null },
    { op: 'claim', index: 0, attempt: 2 },
  ]);
  await world.launch('sums', [
    { index: 0, attempt: 2 },
    { index: 2, attempt: 1 },
  ]);
  await world.record('sums', 1, 1, DONE);
  await world.commit('sums', [
    { op: 'running', index: 0, attempt: 2 },
    { op: 'succeeded', index: 1 },
    { op: 'launched', index: 2 },
  ]);
  return world;
};

const podName = async (world: World, index: number, nth = -1): Promise<string> => {
  const query = `?labelSelector=batch.kubernetes.io/job-completion-index%3D${index}`;
  const { items } = (await (await world.get(PODS + query)).json()) as { items: { metadata: { name: string } }[] };
  return items.at(nth)?.metadata.name ?? '';
};
const log = async (world: World, index: number, query = '', nth = -1) =>
  world.get(`${PODS}/${await podName(world, index, nth)}/log${query}`);
const textOf = async (world: World, index: number, query = '', nth = -1) => {
  const answer = await log(world, index, query, nth);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain']);
  return answer.text();
};
const messageOf = async (answer: Response): Promise<string> => ((await answer.json()) as { message: string }).message;

test.each([
  ['', 'one two three four fünf six seven'],
  ['?tailLines=2', 'six seven'],
  ['?tailLines=3', 'fünf six seven'],
  ['?tailLines=5', 'three four fünf six seven'],
  ['?tailLines=0', ''],
  ['?container=main&tailLines=1000000000', 'one two three four fünf six seven'],
  ['?sinceTime=2023-11-14T22:13:24Z', 'fünf six seven'],
  ['?sinceTime=2023-11-14T23:13:24.5%2B01:00', 'six seven'],
  ['?sinceTime=2023-11-14T22:13:24.000000000Z', 'fünf six seven'],
  ['?sinceTime=2023-11-14T22:13:24.000000001Z', 'six seven'],
  ['?sinceTime=2023-11-14T22:13:22Z&tailLines=4', 'four fünf six seven'],
  ['?sinceTime=2023-11-14T22:13:25Z&tailLines=4', 'six seven'],
  ['?sinceTime=2033-11-14T22:13:25Z&tailLines=4', ''],
  ['?sinceSeconds=1', 'one two three four fünf six seven'],
  ['?limitBytes=8', 'one two'],
  ['?stream=All&pretty=true&insecureSkipTLSVerifyBackend=true', 'one two three four fünf six seven'],
])('of an attempt that has ended: %s', async (query, words) => {
  const world = await aBusyJob();
  world.print(1, 1, 'main', 'one', 'two', 'three', 'four', 'fünf', 'six', 'seven');
  expect(await textOf(world, 1, query)).toBe(words === '' ? '' : `${words.replaceAll(' ', '\n')}\n`);
});

test('of an attempt that has ended, its record is enough: no board is read', async () => {
  const world = await aBusyJob();
  world.print(1, 1, 'main', 'one');
  const name = await podName(world, 1);
  const board = vi.spyOn(world.jobs, 'readStatus');
  expect(await (await world.get(`${PODS}/${name}/log`)).text()).toBe('one\n');
  expect((await world.get(`${PODS}/${name}/log?container=nope`)).status).toBe(400);
  expect(board).not.toHaveBeenCalled();
  await world.get(`${PODS}/${name}/log?follow=true`);
  expect(board).toHaveBeenCalled();
  await world.app.request(`${JOBS}/sums`, { method: 'DELETE' });
  expect((await world.get(`${PODS}/${name}/log`)).status).toBe(404);
});

test('a log that cannot be read to its end breaks off: a shorter one would look whole', async () => {
  const world = await aBusyJob();
  world.print(1, 1, 'main', 'one', 'two', 'three', 'four', 'five');
  world.throttleLogs(1);
  const answer = await log(world, 1);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow('too many calls to read the whole log');
});

test('bytes are counted, but no character is cut', async () => {
  const world = await aBusyJob();
  world.print(1, 1, 'main', 'ab', 'üü', 'x');
  expect(await textOf(world, 1, '?limitBytes=3')).toBe('ab\n');
  expect(await textOf(world, 1, '?limitBytes=4')).toBe('ab\n');
  expect(await textOf(world, 1, '?limitBytes=5')).toBe('ab\nü');
  expect(await textOf(world, 1, '?limitBytes=9')).toBe('ab\nüü\nx');
});

test('times are written as the kubelet writes them', async () => {
  const world = await aBusyJob();
  world.print(1, 1, 'main', 'one');
  expect(await textOf(world, 1, '?timestamps=true')).toBe('2023-11-14T22:13:20.000000000Z one\n');
});

test('for the last lines, no more is read than holds them', async () => {
  const world = await aBusyJob();
  world.print(1, 1, 'main', ...Array.from({ length: 300 }, (_, i) => String(i)));
  const before = world.logReads();
  expect(await textOf(world, 1, '?tailLines=4')).toBe('296\n297\n298\n299\n');
  expect(world.logReads() - before).toBeLessThan(6);
});

test('each attempt has its own', async () => {
  const world = await aBusyJob();
  world.print(0, 1, 'main', 'first');
  world.print(0, 2, 'main', 'second');
  expect(await textOf(world, 0, '', 0)).toBe('first\n');
  expect(await textOf(world, 0, '', 1)).toBe('second\n');
});

test.each<[number, string, number, string]>([
  [3, '', 400, 'container "main" in pod "sums-3-.*" is waiting to start: ContainerCreating'],
  [2, '', 400, 'container "main" in pod "sums-2-.*" is waiting to start: ContainerCreating'],
  [2, '?follow=true', 400, 'container "main" in pod "sums-2-.*" is waiting to start: ContainerCreating'],
  [1, '?container=side', 400, 'container side is not valid for pod sums-1-'],
  [1, '?previous=true', 400, 'previous terminated container "main" in pod "sums-1-.*" not found'],
  [
    1,
    '?tailLines=-1',
    422,
    'PodLogOptions "sums-1-.*" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
  ],
  [1, '?tailLines=x', 400, 'parsing "x": invalid syntax'],
  [1, '?tailLines=99999999999999999999', 400, 'value out of range'],
  [1, '?limitBytes=0', 422, 'limitBytes: Invalid value: 0: must be greater than 0'],
  [1, '?sinceSeconds=0', 422, 'sinceSeconds: Invalid value: 0: must be greater than 0'],
  [
    1,
    '?sinceSeconds=5&sinceTime=2023-11-14T22:13:23Z',
    422,
    'Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
  ],
  [1, '?sinceTime=yesterday', 400, 'sinceTime: Invalid value: "yesterday"'],
  [1, '?sinceTime=2023-11-14', 400, 'must be an RFC 3339 time'],
  [1, '?stream=Stdout', 422, 'stream: Forbidden: .* one stream'],
  [1, '?stream=x', 422, 'stream: Unsupported value: "x": supported values: "All", "Stderr", "Stdout"'],
])('refused: index %i %s', async (index, query, code, message) => {
  const world = await aBusyJob();
  const answer = await log(world, index, query);
  expect(answer.status).toBe(code);
  expect(await messageOf(answer)).toMatch(new RegExp(message));
});

test('one that waits to start is data, too', async () => {
  const causes = [{ reason: 'ContainerWaiting', message: 'ContainerCreating', field: '' }];
  expect(await (await log(await aBusyJob(), 3)).json()).toMatchObject({ details: { causes } });
});

describe('of several containers', () => {
  const TEMPLATE = {
    initContainers: [{ name: 'prepare', image: 'busybox', command: ['true'] }],
    containers: ['main', 'beside'].map((name) => ({ name, image: 'busybox', command: ['true'] })),
  };

  test('one must be chosen', async () => {
    const world = await aBusyJob(TEMPLATE);
    for (const container of ['prepare', 'main', 'beside']) {
      world.print(1, 1, container, `I am ${container}`);
      expect(await textOf(world, 1, `?container=${container}`)).toBe(`I am ${container}\n`);
    }
    const pod = await podName(world, 1);
    expect(await messageOf(await log(world, 1))).toBe(
      `a container name must be specified for pod ${pod}, choose one of: [prepare main beside]`,
    );
  });

  test('an init container has one before the main one runs', async () => {
    const world = await aBusyJob(TEMPLATE);
    world.print(2, 1, 'prepare', 'preparing');
    expect(await textOf(world, 2, '?container=prepare')).toBe('preparing\n');
    expect(await messageOf(await log(world, 2, '?container=main'))).toMatch(/is waiting to start: PodInitializing$/);
  });
});

describe('of a Pod that starts again', () => {
  const aRestartedPod = async (hooks: Parameters<typeof aWorld>[1] = {}): Promise<World> => {
    const world = await aWorld({}, hooks);
    await world.post(JOBS, manifest('sums'));
    await world.commit('sums', [{ op: 'claim', index: 0 }]);
    await world.record('sums', 0, 1, CRASHED, { as: 'restarted', why: { kind: 'exited', exitCode: 3 } });
    await world.commit('sums', [{ op: 'restart', index: 0, notBefore: null }]);
    world.printIn(arnOf(0, 1, 0), 'main', 'before');
    return world;
  };
  const goOn = async (world: World): Promise<void> => {
    await world.launch('sums', [{ index: 0, attempt: 1, nonce: 1 }]);
    await world.commit('sums', [
      { op: 'relaunch', index: 0 },
      { op: 'running', index: 0 },
    ]);
    world.printIn(arnOf(0, 1, 1), 'main', 'after');
  };

  test('while it waits, the last one it had is shown', async () => {
    const world = await aRestartedPod();
    expect(await textOf(world, 0)).toBe('before\n');
    expect(await textOf(world, 0, '?previous=true')).toBe('before\n');
  });

  test('then each has its own', async () => {
    const world = await aRestartedPod();
    await goOn(world);
    expect(await textOf(world, 0)).toBe('after\n');
    expect(await textOf(world, 0, '?previous=true')).toBe('before\n');
  });

  test('of a Pod that has ended, both can be read', async () => {
    const world = await aRestartedPod();
    await goOn(world);
    const why = { kind: 'exited', exitCode: 3 } as const;
    await world.record('sums', 0, 1, CRASHED, { as: 'failed', why, nonce: 1, restarts: 1 });
    await world.commit('sums', [{ op: 'failed', index: 0, notBefore: null }]);
    expect(await textOf(world, 0)).toBe('after\n');
    expect(await textOf(world, 0, '?previous=true')).toBe('before\n');
  });

  test('a quiet log is polled less and less often, every four seconds at last', async () => {
    const waits: number[] = [];
    const world: World = await aRestartedPod();
    const sleep = world.clock.sleep.bind(world.clock);
    world.clock.sleep = async (ms) => {
      waits.push(ms);
      if (waits.length === 8) world.printIn(arnOf(0, 1, 1), 'main', 'more');
      return sleep(ms);
    };
    await goOn(world);
    expect(await textOf(world, 0, '?follow=true')).toBe('after\nmore\n');
    expect(waits.slice(0, 12)).toEqual([1000, 1500, 2250, 3375, 4000, 4000, 4000, 4000, 1000, 1500, 2250, 3375]);
  });

  test('following ends with the container', async () => {
    let sleeps = 0;
    const world: World = await aRestartedPod({
      onSleep: async () => {
        if (++sleeps !== 2) return;
        world.printIn(arnOf(0, 1, 1), 'main', 'the end');
        await world.record('sums', 0, 1, CRASHED, { as: 'restarted', why: { kind: 'exited', exitCode: 3 }, nonce: 1 });
        await world.commit('sums', [
          { op: 'restart', index: 0, notBefore: null },
          { op: 'relaunch', index: 0 },
        ]);
        await world.launch('sums', [{ index: 0, attempt: 1, nonce: 2 }]);
        await world.commit('sums', [{ op: 'running', index: 0 }]);
        world.printIn(arnOf(0, 1, 2), 'main', 'again');
      },
    });
    await goOn(world);
    expect(await textOf(world, 0, '?follow=true')).toBe('after\nthe end\n');
    expect(sleeps).toBe(3);
  });
});

describe('an image that cannot be had', () => {
  test.each([
    ['CannotPullContainerError: pull access denied', 'trying and failing to pull image'],
    ['unable to pull secrets or registry auth', 'trying and failing to pull image'],
    ['ResourceInitializationError: secret', 'CreateContainerConfigError'],
  ])('%s', async (reason, words) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    await world.commit('sums', [{ op: 'claim', index: 0 }]);
    await world.record(
      'sums',
      0,
      1,
      { cause: 'StartFailed', exitCode: null, container: null, reason },
      { as: 'unstarted', why: { kind: 'unstarted', reason } },
    );
    await world.commit('sums', [{ op: 'unstarted', index: 0, notBefore: null, since: null }]);
    expect(await messageOf(await log(world, 0))).toMatch(new RegExp(`is waiting to start: ${words}: ${reason}$`));
  });
});

describe('followed', () => {
  test.each([
    ['?follow=true&tailLines=1', 'five\nsix\nseven\neight\n'],
    ['?follow=true&tailLines=0', 'six\nseven\neight\n'],
    ['?follow=true', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n'],
    ['?follow=true&limitBytes=9', 'one\ntwo\nt'],
  ])('until the attempt has ended: %s', async (query, text) => {
    let sleeps = 0;
    const world: World = await aWorld(
      {},
      {
        onSleep: async () => {
          sleeps++;
          if (sleeps === 1) world.print(0, 1, 'main', 'six', 'seven');
          if (sleeps !== 3) return;
          world.print(0, 1, 'main', 'eight');
          await world.record('sums', 0, 1, DONE);
          await world.commit('sums', [{ op: 'succeeded', index: 0 }]);
        },
      },
    );
    await world.post(JOBS, manifest('sums'));
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'running', index: 0 },
    ]);
    world.print(0, 1, 'main', 'one', 'two', 'three', 'four', 'five');
    expect(await textOf(world, 0, query)).toBe(text);
    expect(sleeps).toBe(query.includes('limitBytes') ? 0 : 4);
  });

  test('no more than may be open at once', async () => {
    const world = await aWorld({ openStreamsMax: 0 });
    await world.post(JOBS, manifest('sums'));
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'running', index: 0 },
    ]);
    world.print(0, 1, 'main', 'one');
    expect((await log(world, 0, '?follow=true')).status).toBe(429);
    expect(await textOf(world, 0)).toBe('one\n');
  });
});
