import { expect, test } from 'vitest';
import { Stage } from '../../support/a-stage.ts';

test('a launch names the claims of its Job that are still unanswered before it, so that they go first', async () => {
  const stage = new Stage();
  const handler = stage.handler();
  const uid = await stage.job({ completions: 4, parallelism: 1 });
  const asked: unknown[] = [];
  for (const parallelism of [1, 2, 4]) {
    await stage.change(uid, { parallelism });
    await handler.pass(...stage.takeRequests());
    for (const message of stage.takeDispatches())
      if (message.kind === 'pack') asked.push([message.launch.map(({ index }) => index), message.ahead]);
  }
  expect(asked).toEqual([
    [[0], undefined],
    [[1], 1],
    [[2, 3], 2],
  ]);
});
