import { describe, expect, test } from 'vitest';
import { PODS, type World, aWorld, arnOf, manifest, JOBS } from '../../../../../test/kube/a-world.ts';
import { REMOTE_TYPE } from '../../domain/remote-request.ts';
import { remoteSessionRoutes } from '../../kube/remote-routes.ts';
import type { OpenOutcome, RemoteSessions } from '../../ports/remote-sessions.ts';
import { commitJob, podOf } from './a-busy-world.ts';

const SESSION = { sessionId: 'ecs-execute-command-1', streamUrl: 'wss://ssmmessages/1', tokenValue: 'very-secret' };

/** A world as on AWS, where index 0 runs, 1 has succeeded, 2 waits; and what was asked of AWS. */
async function aRemoteWorld(outcome: OpenOutcome = { kind: 'opened', session: SESSION }, container: object = {}) {
  const asked: unknown[] = [];
  const audited: object[] = [];
  const sessions: RemoteSessions = {
    run: async (target, words) => {
      asked.push({ target, words });
      return outcome;
    },
    forward: async (target, port) => {
      asked.push({ target, port });
      return outcome;
    },
    end: async (sessionId) => void asked.push({ sessionId }),
  };
  const audit = { record: (event: object) => void audited.push(event) };
  const world = await aWorld({ sessionRoutes: [remoteSessionRoutes(sessions)] }, { audit });
  const job = manifest('sums', { parallelism: 3 });
  const main = { name: 'main', image: 'busybox', command: ['true'], ...container };
  const spec = { ...job.spec.template.spec, containers: [main] };
  await world.post(JOBS, { ...job, spec: { ...job.spec, template: { spec } } });
  await commitJob(world);
  return { world, asked, audited };
}

async function ask({ app }: Pick<World, 'app'>, path: string, body: object, type = REMOTE_TYPE) {
  const answer = await app.request(`${PODS}/${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: JSON.stringify(body),
  });
  return { code: answer.status, json: (await answer.json()) as Record<string, unknown>, headers: answer.headers };
}

const RUN = { kind: 'run', container: null, command: ['sh', '-c', 'echo secret'] };

describe('a session that its client holds', () => {
  test('is opened in the task of a Pod, and its token is in no audit, nor the command', async () => {
    const { world, asked, audited } = await aRemoteWorld();
    const pod = await podOf(world, 0);
    const { code, json, headers } = await ask(world, `${pod}/exec`, RUN);
    expect(code).toBe(200);
    expect(json).toMatchObject({ kind: 'PodSession', container: 'main', session: SESSION });
    expect(headers.get('cache-control')).toBe('no-store');
    const taskId = arnOf(0, 1).split('/').at(-1);
    expect(asked).toEqual([{ target: { taskId, container: 'main' }, words: RUN.command }]);
    expect(audited.at(-1)).toMatchObject({
      verb: 'create',
      objectRef: { resource: 'pods', name: pod, subresource: 'exec' },
      responseStatus: { code: 200 },
    });
    expect(JSON.stringify(audited)).not.toMatch(/very-secret|echo secret/);
  });

  test('is for a port, or only looked at, or ended', async () => {
    const { world, asked } = await aRemoteWorld();
    const pod = await podOf(world, 0);
    expect((await ask(world, `${pod}/portforward`, { kind: 'forward', port: 8080 })).json['session']).toEqual(SESSION);
    expect((await ask(world, `${pod}/portforward`, { kind: 'look' })).json['session']).toBeNull();
    expect((await ask(world, `${pod}/attach`, { kind: 'look' })).json).toMatchObject({
      container: 'main',
      session: null,
    });
    expect((await ask(world, `${pod}/exec`, { kind: 'end', sessionId: SESSION.sessionId })).code).toBe(200);
    expect(asked).toMatchObject([{ target: { container: null }, port: 8080 }, { sessionId: SESSION.sessionId }]);
  });

  test.each([
    ['attach', RUN],
    ['exec', { kind: 'forward', port: 80 }],
    ['exec', { kind: 'run', command: [] }],
    ['exec', { kind: 'run', command: ['a\0'] }],
    ['exec', { kind: 'run', command: ['x'.repeat(40_000)] }],
    ['exec', { kind: 'end', sessionId: '../x' }],
    ['exec', { kind: 'end', sessionId: 'kim-0123456789abcdef0' }],
    ['portforward', { kind: 'end', sessionId: SESSION.sessionId }],
    ['portforward', { kind: 'forward', port: 70_000 }],
    ['exec', {}],
  ])('is no request: %s %j', async (subresource, body) => {
    const { world, asked } = await aRemoteWorld();
    expect((await ask(world, `${await podOf(world, 0)}/${subresource}`, body)).code).toBe(400);
    expect(asked).toEqual([]);
  });

  test('is refused with a Pod that is over or has not begun, and where AWS says no', async () => {
    const { world } = await aRemoteWorld({ kind: 'refused', why: 'ECS says: no' });
    const refused = async (pod: string) => ask(world, `${pod}/exec`, RUN);
    expect((await refused('nothing')).code).toBe(404);
    expect((await refused(await podOf(world, 1))).json['message']).toContain('in a completed pod');
    expect((await refused(await podOf(world, 2))).json['message']).toBe('container not found ("main")');
    expect(await refused(await podOf(world, 0))).toMatchObject({ code: 400, json: { message: 'ECS says: no' } });
    const busy = await aRemoteWorld({ kind: 'busy', why: 'AWS is busy' });
    expect((await ask(busy.world, `${await podOf(busy.world, 0)}/exec`, RUN)).code).toBe(429);
  });

  test('cannot be where the root is read-only', async () => {
    const { world, asked } = await aRemoteWorld(undefined, { securityContext: { readOnlyRootFilesystem: true } });
    const { code, json } = await ask(world, `${await podOf(world, 0)}/exec`, RUN);
    expect([code, json['message']]).toEqual([400, expect.stringContaining('readOnlyRootFilesystem')]);
    expect(asked).toEqual([]);
  });

  test('is the way that the API names to clients that want a connection', async () => {
    const { world, asked } = await aRemoteWorld();
    const pod = await podOf(world, 0);
    const { code, json } = await ask(world, `${pod}/exec?command=ls`, {}, 'application/json');
    expect([code, json['message']]).toEqual([405, expect.stringContaining('muster proxy')]);
    const upgrade = { upgrade: 'websocket', 'sec-websocket-protocol': 'v5.channel.k8s.io' };
    expect((await world.app.request(`${PODS}/${pod}/exec?command=ls`, { headers: upgrade })).status).toBe(405);
    expect(asked).toEqual([]);
  });
});
