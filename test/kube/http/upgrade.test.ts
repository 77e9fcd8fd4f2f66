import { expect, test } from 'vitest';
import { JOBS, aWorld } from '../a-world.ts';

test('a watch over a WebSocket is answered, and the answer ends: clients go on over plain HTTP', async () => {
  const world = await aWorld();
  const headers = { upgrade: 'websocket', connection: 'Upgrade' };
  const answer = await world.app.request(`http://127.0.0.1${JOBS}?watch=true`, { headers });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe('');
});
