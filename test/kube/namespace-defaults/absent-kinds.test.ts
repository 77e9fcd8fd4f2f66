import { expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';

const HOME = 'namespaces/default';

test.each([
  ['POST', `/apis/apps/v1/${HOME}/deployments`, 'there are no Deployments here: Muster runs Jobs'],
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
