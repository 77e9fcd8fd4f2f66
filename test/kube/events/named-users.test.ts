import { expect, test } from 'vitest';
import { reconcileBatch } from '../../../shared/control/reconcile/reconcile.ts';
import { aGuardedWorld, grants } from '../../../shared/capabilities/access/test/kube/a-guarded-world.ts';
import { JOBS, MERGE, job } from '../write/a-client.ts';
import { aWorld } from '../a-world.ts';

type Requests = { readonly request: (path: string, init: RequestInit) => Response | Promise<Response> };

const EVERYTHING = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
const HELD = job('sums', { completionMode: 'Indexed', completions: 4 }, { finalizers: ['example.com/hold'] });

/** Requests of these users, one after the other, each with a pass; then the Events of the Job. */
async function eventsAfter(
  world: Pick<Awaited<ReturnType<typeof aWorld>>, 'deps' | 'uidOf'> & { readonly app: Requests },
  asked: readonly (readonly [user: string, method: string, path: string, body?: object])[],
): Promise<readonly string[]> {
  const send = async (user: string, method: string, path: string, body?: object): Promise<Response> => {
    const headers = {
      host: '127.0.0.1',
      'x-user': user,
      'content-type': method === 'PATCH' ? MERGE : 'application/json',
    };
    return world.app.request(path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  };
  expect((await send('kim', 'POST', JOBS, HELD)).status).toBe(201);
  for (const [user, method, path, body] of asked) {
    expect((await send(user, method, path, body)).status).toBeLessThan(300);
    await reconcileBatch([{ uid: await world.uidOf('sums'), facts: [] }], world.deps);
  }
  const events = await send('kim', 'GET', '/api/v1/namespaces/default/events');
  const { items } = (await events.json()) as { items: { reason: string; message: string; count: number }[] };
  const ours = items.filter(({ reason }) => reason !== 'SuccessfulCreate' && reason !== 'SuccessfulDelete');
  return ours.map(({ reason, message, count }) => `${reason}: ${message} (${count})`);
}

const ALL = [
  ['kim', 'PATCH', `${JOBS}/sums`, { spec: { suspend: true } }],
  ['lee', 'PATCH', `${JOBS}/sums`, { spec: { suspend: true }, metadata: { labels: { a: 'b' } } }],
  ['lee', 'PATCH', `${JOBS}/sums`, { spec: { parallelism: 2 } }],
  ['kim', 'POST', '/muster/v1/namespaces/default/jobs/sums/indexes', { action: 'hold', indexes: '2-3' }],
  ['lee', 'PATCH', `${JOBS}/sums`, { spec: { suspend: false } }],
  ['kim', 'DELETE', `${JOBS}/sums`],
] as const;

test('every Event of what a user has asked for names the user', async () => {
  const world = await aGuardedWorld(
    grants(...['kim', 'lee'].map((user) => ({ user, namespace: '', rules: EVERYTHING }))),
  );
  expect(await eventsAfter(world, ALL)).toEqual([
    'Suspended: Job suspended by kim (1)',
    'Resized: Job resized by lee: parallelism 1 to 2 (1)',
    'IndexesHeld: kim asked to hold indexes 2,3 (1)',
    'Resumed: Job resumed by lee (1)',
    'Deleted: Job deleted by kim (1)',
  ]);
});

test('and so do those of a whole collection that was deleted', async () => {
  const world = await aGuardedWorld(grants({ user: 'kim', namespace: '', rules: EVERYTHING }));
  expect(await eventsAfter(world, [['kim', 'DELETE', JOBS]])).toEqual(['Deleted: Job deleted by kim (1)']);
});

test.each([
  ['on your own machine', { embedded: true }],
  ['behind a transport that says nothing of its callers', {}],
])('%s there is nobody to tell apart, so nobody is named', async (_, options) => {
  expect(await eventsAfter(await aWorld(options), ALL)).toEqual([
    'Suspended: Job suspended (1)',
    'IndexesHeld: A user asked to hold indexes 2,3 (1)',
    'Resumed: Job resumed (1)',
  ]);
});

test('a name that the transport has said is shown, whatever decides', async () => {
  const world = await aWorld({ userOf: () => ({ username: 'local\n', groups: [] }) });
  expect(await eventsAfter(world, ALL.slice(0, 1))).toEqual([String.raw`Suspended: Job suspended by local\u{a} (1)`]);
});
