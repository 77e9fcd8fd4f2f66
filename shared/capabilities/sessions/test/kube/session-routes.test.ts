import { describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../../../ports/callers/audit.ts';
import { aGuardedWorld, grants, rule } from '../../../access/test/kube/a-guarded-world.ts';
import { JOBS, PODS, START, type World, aWorld, arnOf, manifest } from '../../../../../test/kube/a-world.ts';
import { addSessionRoutes } from '../../kube/session-routes.ts';
import type { SessionPlan, Taken } from '../../domain/session-plan.ts';

const OPTIONS = { sessionRoutes: [addSessionRoutes] };
const WEBSOCKET = { upgrade: 'websocket', 'sec-websocket-protocol': 'v5.channel.k8s.io' };
const EXEC = 'exec?command=ls&command=-l&stdout=true&stderr=true';
const DONE = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' } as const;

/** Index 0 runs, 1 has succeeded, 2 waits. */
async function commitJob(world: Pick<World, 'commit' | 'launch' | 'record'>): Promise<void> {
  const all = [0, 1, 2].map((index) => ({ op: 'claim', index }) as const);
  await world.commit('sums', all, { startTime: START });
  await world.launch('sums', [{ index: 0, attempt: 1 }]);
  await world.record('sums', 1, 1, DONE);
  await world.commit('sums', [
    { op: 'running', index: 0 },
    { op: 'succeeded', index: 1 },
  ]);
}

async function aBusyWorld(containers?: readonly object[], hooks: Parameters<typeof aWorld>[1] = {}): Promise<World> {
  const world = await aWorld(OPTIONS, hooks);
  const job = manifest('sums', { parallelism: 3 });
  const spec = { ...job.spec.template.spec, ...(containers === undefined ? {} : { containers }) };
  await world.post(JOBS, { ...job, spec: { ...job.spec, template: { spec } } });
  await commitJob(world);
  return world;
}

const podOf = async ({ get }: Pick<World, 'get'>, index: number): Promise<string> => {
  const query = `?labelSelector=batch.kubernetes.io/job-completion-index%3D${index}`;
  const { items } = (await (await get(PODS + query)).json()) as { items: { metadata: { name: string } }[] };
  return items[0]?.metadata.name ?? '';
};

/** Asks as a transport does that takes connections over, if `taken` says so. */
async function ask(
  { app }: Pick<World, 'app'>,
  path: string,
  { headers = WEBSOCKET, method = 'GET', taken = { kind: 'taken' } }: Partial<AskedWith> = {},
) {
  const plans: SessionPlan[] = [];
  const takeOver = (plan: SessionPlan): Taken => {
    plans.push(plan);
    return taken;
  };
  const answer = await app.request(`${PODS}/${path}`, { method, headers }, { takeOver });
  const text = await answer.text();
  const message = text === '' ? '' : (JSON.parse(text) as { message: string }).message;
  return { code: answer.status, message, plan: plans[0] };
}

type AskedWith = {
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  readonly taken: Taken;
};

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
    const onAws = await aBusyWorldOnAws();
    expect(await namesIn(onAws)).toEqual([]);
    expect(await ask(onAws, `any/${EXEC}`)).toMatchObject({
      code: 405,
      message: expect.stringContaining('run the command as a Job of its own') as unknown,
    });
  });
});

const aBusyWorldOnAws = async (): Promise<World> => aWorld();

describe('the right to a session', () => {
  const granted = (verbs: string) =>
    grants({ user: 'jane', namespace: 'default', rules: [rule('list,get pods'), rule(`${verbs} pods/exec`)] });

  async function aGuarded(verbs: string) {
    const events: AuditEvent[] = [];
    const audit = { record: (event: AuditEvent) => void events.push(event) };
    const world = await aGuardedWorld(granted(verbs), OPTIONS, { audit }, ['default']);
    await world.asMaster('POST', JOBS, manifest('sums', { parallelism: 3 }));
    await commitJob(world);
    const pods = (await (await world.asMaster('GET', PODS)).json()) as { items: { metadata: { name: string } }[] };
    return { world, events, pod: pods.items[0]?.metadata.name ?? '' };
  }

  const asJane = { ...WEBSOCKET, 'x-user': 'jane' };

  test('is that to create it, though a WebSocket begins with GET', async () => {
    const { world, pod } = await aGuarded('get');
    expect(await ask(world, `${pod}/${EXEC}`, { headers: asJane })).toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot create resource "pods/exec"') as unknown,
    });
  });

  test('is asked about again while the session goes on, and its beginning is in the audit log', async () => {
    const { world, events, pod } = await aGuarded('get,create');
    const { plan } = await ask(world, `${pod}/${EXEC}`, { headers: asJane });
    expect(await plan?.mayGoOn()).toBe(true);
    expect(events.at(-1)).toMatchObject({
      user: { username: 'jane' },
      objectRef: { resource: 'pods', subresource: 'exec', name: pod },
      responseStatus: { code: 101 },
    });
    world.allow(granted('get'));
    expect(await plan?.mayGoOn()).toBe(false);
  });
});
