import { describe, expect, test } from 'vitest';
import { PODS, type World, aWorld, arnOf } from '../../../../../test/kube/a-world.ts';
import { EXEC, OPTIONS, WEBSOCKET, aBusyWorld, ask, podOf } from './a-busy-world.ts';

describe('a session with a Pod', () => {
  test('is handed over with its task, its container, and what is wanted', async () => {
    const world = await aBusyWorld();
    const pod = await podOf(world, 0);
    const { code, plan } = await ask(world, `${pod}/${EXEC}`);
    expect(code).toBe(200);
    expect(plan).toMatchObject({
      protocol: { name: 'v5.channel.k8s.io', over: 'websocket' },
      taskId: arnOf(0, 1).split('/').at(-1),
      container: 'main',
      pod: { name: pod },
      wanted: { kind: 'exec', command: ['ls', '-l'], stdin: false, stdout: true, stderr: true, tty: false },
    });
    expect(await plan?.mayGoOn()).toBe(true);
    const spdy = { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' };
    const forwarded = await ask(world, `${pod}/portforward`, { method: 'POST', headers: spdy });
    expect(forwarded.plan).toMatchObject({ container: null, wanted: { kind: 'portForward', ports: [] } });
  });

  test('is refused with a Pod that is over, or has not begun, in the words of Kubernetes', async () => {
    const world = await aBusyWorld();
    expect(await ask(world, `${await podOf(world, 1)}/${EXEC}`)).toMatchObject({
      code: 400,
      message: 'cannot exec into a container in a completed pod; current phase is Succeeded',
    });
    expect(await ask(world, `${await podOf(world, 2)}/${EXEC}`)).toMatchObject({
      code: 400,
      message: 'container not found ("main")',
    });
    expect(await ask(world, `${await podOf(world, 2)}/portforward`)).toMatchObject({
      code: 403,
      message: expect.stringContaining('unable to negotiate protocol: client supports [v5.channel.k8s.io]') as unknown,
    });
    expect(await ask(world, `nothing/${EXEC}`)).toMatchObject({ code: 404, message: 'pods "nothing" not found' });
  });

  test('is refused where its container is not named, or does not exist', async () => {
    const container = (name: string) => ({ name, image: 'busybox', command: ['true'] });
    const world = await aBusyWorld([container('main'), container('side')]);
    const pod = await podOf(world, 0);
    expect((await ask(world, `${pod}/${EXEC}`)).message).toBe(
      `a container name must be specified for pod ${pod}, choose one of: [main side]`,
    );
    expect((await ask(world, `${pod}/${EXEC}&container=no`)).message).toBe(`container no is not valid for pod ${pod}`);
    expect((await ask(world, `${pod}/${EXEC}&container=side`)).plan?.container).toBe('side');
  });

  test('needs a connection that can be taken over, and room', async () => {
    const world = await aBusyWorld();
    const pod = await podOf(world, 0);
    expect(await ask(world, `${pod}/${EXEC}`, { headers: {} })).toMatchObject({
      code: 400,
      message: 'Upgrade request required',
    });
    const plain = await world.app.request(`${PODS}/${pod}/${EXEC}`, { headers: WEBSOCKET });
    expect(plain.status).toBe(400);
    const busy = { kind: 'busy', why: '256 sessions are open' } as const;
    expect(await ask(world, `${pod}/${EXEC}`, { taken: busy })).toMatchObject({ code: 429, message: busy.why });
    const none = { kind: 'none', why: 'its task has ended' } as const;
    expect(await ask(world, `${pod}/${EXEC}`, { taken: none })).toMatchObject({ code: 400, message: none.why });
  });

  test('is discovered where it is served, and nowhere else', async () => {
    const namesIn = async (world: World): Promise<readonly string[]> => {
      const { resources } = (await (await world.get('/api/v1')).json()) as {
        resources: { name: string; verbs: string[] }[];
      };
      return resources
        .filter(({ name }) => /^pods\/(exec|attach|portforward)$/.test(name))
        .map(({ name, verbs }) => `${name} ${verbs.join()}`);
    };
    expect(await namesIn(await aWorld(OPTIONS))).toEqual([
      'pods/attach create,get',
      'pods/exec create,get',
      'pods/portforward create,get',
    ]);
    const onAws = await aWorld();
    expect(await namesIn(onAws)).toEqual([]);
    expect(await ask(onAws, `any/${EXEC}`)).toMatchObject({
      code: 405,
      message: expect.stringContaining('run the command as a Job of its own') as unknown,
    });
  });
});
