import { expect, test } from 'vitest';
import { Stage } from '../support/a-stage.ts';

test('a Job that is created is told once', async () => {
  const stage = new Stage();
  const uid = await stage.job();
  await stage.handler().deps.publisher.publish(
    { uid, namespace: 'default', name: 'work', createdAt: stage.time },
    await stage.status(uid),
  );
  expect(await stage.store.feed.head()).toBe(1);
});
