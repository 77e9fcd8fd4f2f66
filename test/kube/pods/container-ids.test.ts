import { expect, test } from 'vitest';
import { arnOf } from '../a-world.ts';
import { aBusyJob, list } from './some-pods.ts';

const taskId = (index: number, attempt: number): string => arnOf(index, attempt).split('/').at(-1) ?? '';

test('a container that has started has an id, another one for each task; one that waits has none', async () => {
  const { items } = await list(await aBusyJob());
  const ids = items.map(({ status }) => (status.containerStatuses?.[0] as { containerID?: string })?.containerID);
  expect(ids.slice(0, 2)).toEqual([`ecs://${taskId(0, 1)}/main`, `ecs://${taskId(0, 2)}/main`]);
  expect(ids[2]).toBe(`ecs://${taskId(1, 1)}/main`);
  expect(ids.slice(3)).toEqual([undefined, undefined]);
  expect(items[0]?.status.containerStatuses?.[0]?.state).toMatchObject({
    terminated: { containerID: `ecs://${taskId(0, 1)}/main` },
  });
});
