import { expect, test } from 'vitest';
import { Stage } from '../support/a-stage.ts';

// The interleavings that a review of the design found, one directed test each.

test('a spec that is edited between a load and its commit is the one that the pass goes by', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 4, parallelism: 4 });
  const handler = stage.handler();
  await handler.pass(uid); // the cache knows generation 1
  stage.take('dispatch');
  await stage.change(uid, { suspend: true });
  const fresh = stage.handler();
  const held = fresh.hold('before', 'jobs.commitPass');
  const pass = fresh.pass(uid);
  await held.reached;
  await stage.change(uid, { parallelism: 1 });
  held.release();
  await pass;
  expect((await stage.status(uid)).generation).toBe(3);
  expect(fresh.counts.get('CommitsLost')).toBe(1);
});
