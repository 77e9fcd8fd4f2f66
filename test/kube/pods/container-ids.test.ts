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

test('a container between two tasks has the id of the one before, and so has its last end after the restart', async () => {
  const world = await aBusyJob({ backoffLimit: 6 });
  const ending = { cause: 'Error', exitCode: 4, container: 'main', reason: 'exited' } as const;
  await world.record('sums', 2, 1, ending, { as: 'restarted', why: { kind: 'exited', exitCode: 4 } });
  await world.commit('sums', [
    { op: 'running', index: 2 },
    { op: 'restart', index: 2, notBefore: null },
  ]);
  const shown = async () =>
    (await list(world)).items.find(
      ({ metadata }) => metadata.labels['batch.kubernetes.io/job-completion-index'] === '2',
    )?.status.containerStatuses?.[0];
  const first = `ecs://${taskId(2, 1)}/main`;
  expect(await shown()).toMatchObject({
    containerID: first,
    state: { waiting: {} },
    lastState: { terminated: { exitCode: 4, containerID: first } },
  });
  await world.commit('sums', [{ op: 'relaunch', index: 2 }]);
  await world.launch('sums', [{ index: 2, attempt: 1, nonce: 1 }]);
  await world.commit('sums', [{ op: 'running', index: 2 }]);
  const second = arnOf(2, 1, 1).split('/').at(-1);
  expect(await shown()).toMatchObject({
    containerID: `ecs://${second}/main`,
    state: { running: {} },
    lastState: { terminated: { exitCode: 4, containerID: first } },
  });
});
