import { expect, test } from 'vitest';
import { JOBS, START, aWorld, manifest } from '../a-world.ts';
import { list } from './some-pods.ts';

type Job = { metadata: { resourceVersion: string }; status: Record<string, unknown> };

test('a Job shows the numbers of its Pods of the same version, whatever has been committed since', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { parallelism: 4, completions: 4 }));
  await world.commit(
    'sums',
    [0, 1, 2, 3].map((index) => ({ op: 'claim', index })),
    { startTime: START },
  );
  const read = async (): Promise<Job> => (await (await world.get(`${JOBS}/sums`)).json()) as Job;
  const before = await read();
  expect(before.status).toMatchObject({ active: 4, ready: 0, terminating: 0 });
  await world.record('sums', 1, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit(
    'sums',
    [
      { op: 'launched', index: 0 },
      { op: 'running', index: 0 },
      { op: 'succeeded', index: 1 },
      { op: 'stopping', index: 2 },
    ],
    { silent: true, failed: 3 },
  );
  expect(await read()).toEqual(before);
  const { items } = (await (await world.get(JOBS)).json()) as { items: Job[] };
  expect(items.map(({ status }) => status)).toEqual([before.status]);
  const pods = await list(world);
  expect(pods.items.map(({ status }) => status.phase)).toEqual(['Pending', 'Pending', 'Pending', 'Pending']);
  expect(pods.items.filter(({ metadata }) => 'deletionTimestamp' in metadata)).toEqual([]);
  await world.commit('sums', [{ op: 'launched', index: 3 }]);
  const after = await read();
  expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
  expect(after.status).toMatchObject({ active: 2, ready: 1, terminating: 1, succeeded: 1, completedIndexes: '1' });
});
