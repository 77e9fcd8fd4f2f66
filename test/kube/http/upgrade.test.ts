import { describe, expect, test } from 'vitest';
import { JOBS, aWorld } from '../a-world.ts';

test('a watch over a WebSocket is answered, and the answer ends: clients go on over plain HTTP', async () => {
  const world = await aWorld();
  const headers = { upgrade: 'websocket', connection: 'Upgrade' };
  const answer = await world.app.request(`http://127.0.0.1${JOBS}?watch=true`, { headers });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
});

const POD = '/api/v1/namespaces/default/pods/pi-5526p';

describe('what nobody can do to a task is refused with what to do instead', () => {
  test.each([
    ['GET', 'exec?command=ls&stdout=true', 'websocket', 'exec into pod "pi-5526p" is not supported'],
    [
      'POST',
      'exec?command=ls&stdout=true',
      'SPDY/3.1',
      'read its log with kubectl logs pi-5526p, or run the command as',
    ],
    ['GET', 'attach', 'websocket', 'follow its output with kubectl logs -f pi-5526p'],
    ['POST', 'attach', 'SPDY/3.1', 'attach to pod "pi-5526p" is not supported'],
    ['GET', 'portforward?ports=80', 'websocket', 'kubectl get pod pi-5526p -o wide'],
    ['POST', 'portforward', 'SPDY/3.1', 'port-forward to pod "pi-5526p" is not supported'],
    ['PATCH', 'ephemeralcontainers', null, 'debug of pod "pi-5526p" is not supported'],
    ['GET', 'proxy/metrics', null, 'the proxy of pod "pi-5526p" is not supported'],
  ])('%s %s, upgrade to %s', async (method, path, upgrade, message) => {
    const world = await aWorld();
    const answer = await world.app.request(`http://127.0.0.1${POD}/${path}`, {
      method,
      headers: upgrade === null ? {} : { upgrade, connection: 'Upgrade' },
    });
    expect(answer.status).toBe(405);
    expect(await answer.json()).toMatchObject({
      kind: 'Status',
      reason: 'MethodNotAllowed',
      message: expect.stringContaining(message) as string,
    });
  });
});
