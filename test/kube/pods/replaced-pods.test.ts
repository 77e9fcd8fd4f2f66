import { expect, test } from 'vitest';
import type { Step } from '../../../shared/domain/scoreboard/transition.ts';
import { JOBS, PODS, START, arnOf, aWorld, linesOf, manifest } from '../a-world.ts';
import { list } from './some-pods.ts';

// TerminatingOrFailed: a Pod that is being deleted has counted, and may have a replacement, while its task still stops.

type Watched = {
  type: string;
  object: { metadata: { name: string; resourceVersion: string }; status: { phase: string } };
};

/** A Job whose first Pod is replaced; `steps`: what comes of its index in the same commit. */
async function aReplacedPod(steps: readonly (Step & { index: number; attempt?: number })[]) {
  const world = await aWorld();
  await world.post(
    JOBS,
    manifest('a', { completions: 1, parallelism: 1, podReplacementPolicy: 'TerminatingOrFailed' }),
  );
  await world.commit('a', [{ op: 'claim', index: 0 }], { startTime: START });
  await world.launch('a', [{ index: 0, attempt: 1 }]);
  await world.commit('a', [{ op: 'running', index: 0 }]);
  const before = (await list(world)).items[0]!;
  const replacedTasks = [{ index: 0, attempt: 1, nonce: 0, taskArn: arnOf(0, 1), since: START + 1000 }];
  await world.commit('a', [...steps, { op: 'lingers', index: 0 }], { failed: 1, replacedTasks } as object);
  const shown = async () =>
    (await list(world)).items.map(({ metadata, status }) => {
      const deleting = 'deletionTimestamp' in metadata ? ' Terminating' : '';
      return `${metadata.name === before.metadata.name ? 'first' : 'second'} ${status.phase}${deleting}`;
    });
  const end = async () => {
    await world.record(
      'a',
      0,
      1,
      { cause: 'Stopped', exitCode: 143, container: 'main', reason: '' },
      { as: 'failed', why: { kind: 'podReplaced' }, gone: true },
    );
    await world.commit('a', [{ op: 'removed', index: 0 }], { replacedTasks: [] });
  };
  const watched = async (from: number) =>
    (
      (await linesOf(
        await world.get(`${PODS}?watch=true&resourceVersion=${from}&timeoutSeconds=1`),
      )) as unknown as Watched[]
    )
      .filter(({ object }) => object.metadata.name === before.metadata.name)
      .map(({ type, object }) => {
        const deleting = 'deletionTimestamp' in object.metadata ? ' Terminating' : '';
        return `${type} ${object.status.phase}${deleting} ${object.metadata.resourceVersion}`;
      });
  return { world, before, shown, end, watched };
}

const AGAIN = [{ op: 'failed', index: 0, notBefore: null }] as const;
const NEVER = [{ op: 'failedForGood', index: 0 }] as const;

test.each([
  ['waits', AGAIN],
  ['is given up', NEVER],
])('a Pod that is replaced is listed until it has ended: its index %s', async (_, steps) => {
  const { world, before, shown, end, watched } = await aReplacedPod(steps);
  const { creationTimestamp, uid } = before.metadata;
  expect(await shown()).toEqual(['first Running Terminating']);
  expect((await list(world)).items[0]).toMatchObject({
    metadata: { creationTimestamp, uid, resourceVersion: '4' },
    status: { ...before.status },
  });
  expect(await watched(3)).toEqual(['MODIFIED Running Terminating 4']);
  await end();
  expect(await shown()).toEqual([]);
  expect(await watched(4)).toEqual(['DELETED Failed 5']);
  expect(await watched(3)).toEqual(['MODIFIED Running Terminating 4', 'DELETED Failed 5']);
});

test('next to its replacement, which has its launch slot, it is as it was', async () => {
  const { world, before, shown, end } = await aReplacedPod(AGAIN);
  await world.commit('a', [{ op: 'claim', index: 0, attempt: 2 }]);
  await world.launch('a', [{ index: 0, attempt: 2 }]);
  await world.commit('a', [{ op: 'running', index: 0, attempt: 2 }]);
  expect(await shown()).toEqual(['first Running Terminating', 'second Running']);
  const [first] = (await list(world)).items;
  expect(first).toMatchObject({
    metadata: { creationTimestamp: before.metadata.creationTimestamp },
    spec: before.spec,
    status: before.status,
  });
  // It is being deleted already.
  const path = `${PODS}/${before.metadata.name}`;
  expect((await world.app.request(path, { method: 'DELETE' })).status).toBe(200);
  expect([world.deletedPods, await shown()]).toEqual([[], ['first Running Terminating', 'second Running']]);
  await end();
  expect(await shown()).toEqual(['second Running']);
  expect((await world.get(path)).status).toBe(404);
});
