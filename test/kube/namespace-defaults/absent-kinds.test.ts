import { expect, test } from 'vitest';
import { aWorld } from '../a-world.ts';

const HOME = 'namespaces/default';

test.each([
  ['POST', `/api/v1/${HOME}/secrets`, false, 404, 'the Secrets Manager secret muster/<namespace>/<name>/secret'],
  ['POST', `/api/v1/${HOME}/secrets`, true, 404, 'the file secrets/<namespace>/<name>/<key> in the data folder'],
  ['GET', `/api/v1/${HOME}/secrets/db`, false, 404, 'there are no Secrets here'],
  ['POST', `/apis/apps/v1/${HOME}/deployments`, false, 404, 'there are no Deployments here: Muster runs Jobs'],
  ['POST', `/api/v1/${HOME}/configmaps`, false, 405, 'the parameter /muster/<namespace>/configmaps/<name>/<key>'],
  ['POST', `/api/v1/${HOME}/configmaps`, true, 405, 'the file configmaps/<namespace>/<name>/<key> in the data folder'],
  ['POST', `/api/v1/${HOME}/nothings`, false, 404, 'the server could not find the requested resource'],
])('%s %s says what is used instead (embedded: %s)', async (method, path, embedded, code, message) => {
  const { app } = await aWorld({ embedded });
  const answer = await app.request(`http://127.0.0.1${path}`, {
    method,
    headers: { host: '127.0.0.1', 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });
  expect(answer.status).toBe(code);
  expect(await answer.json()).toMatchObject({
    kind: 'Status',
    reason: code === 404 ? 'NotFound' : 'MethodNotAllowed',
    message: expect.stringContaining(message) as string,
  });
});
