import { expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';

const HOME = 'namespaces/default';

test.each([
  ['POST', `/apis/apps/v1/${HOME}/deployments`, 'there are no Deployments here: Muster runs Jobs'],
  ['GET', `/apis/apps/v1/${HOME}/deployments?watch=true`, 'there are no Deployments here'],
  ['GET', `/apis/apps/v1/${HOME}/replicasets/a`, 'there are no ReplicaSets here'],
  ['GET', '/api/v1/nodes/a', 'there are no nodes here'],
  ['POST', '/api/v1/nodes', 'there are no nodes here'],
  ['POST', `/api/v1/${HOME}/nothings`, 'the server could not find the requested resource'],
])('%s %s says what is used instead', async (method, path, message) => {
  const { app } = await aWorld();
  const answer = await app.request(`http://127.0.0.1${path}`, {
    method,
    headers: { host: '127.0.0.1', 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    kind: 'Status',
    reason: 'NotFound',
    message: expect.stringContaining(message) as string,
  });
});

test.each([
  ['/api/v1/nodes', 'NodeList', 'v1'],
  [`/api/v1/${HOME}/replicationcontrollers`, 'ReplicationControllerList', 'v1'],
  [`/apis/apps/v1/${HOME}/daemonsets`, 'DaemonSetList', 'apps/v1'],
  ['/apis/apps/v1/deployments', 'DeploymentList', 'apps/v1'],
])('a client that looks at all of a cluster finds none at %s', async (path, kind, apiVersion) => {
  const answer = await (await aWorld()).get(path);
  expect([answer.status, await answer.json()]).toEqual([200, { kind, apiVersion, metadata: {}, items: [] }]);
});
