import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { JOBS, START, type World, aWorld, manifest } from '../a-world.ts';

const PATH = '/muster/v1/namespaces/default/jobs/sums/progress';
type Progress = {
  readonly metadata: { readonly resourceVersion: string };
  readonly job: { readonly metadata: { readonly resourceVersion: string }; readonly status: object };
  readonly counts: Record<string, number>;
  readonly indexes: Record<string, string> | null;
  readonly waits: { readonly summary: string | null };
};
const progressOf = async (world: World): Promise<Progress> => (await (await world.get(PATH)).json()) as Progress;

async function aJob(spec: object = {}): Promise<World> {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { completions: 8, parallelism: 8, ...spec }));
  return world;
}
const claims = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'claim' as const, index }));
const running = (...indexes: readonly number[]) => indexes.map((index) => ({ op: 'running' as const, index }));

describe('how far a Job is', () => {
  test('what every index does, and counts that add up', async () => {
    const world = await aJob();
    await world.commit('sums', claims(0, 1, 2, 3, 4, 5), { startTime: START });
    await world.commit('sums', [
      ...running(0, 1, 2, 3),
      { op: 'succeeded', index: 0 },
      { op: 'failed', index: 1, notBefore: plusMs(START, 60_000) },
      { op: 'stopping', index: 2 },
      { op: 'failedForGood', index: 5 },
    ]);
    const { counts, indexes, metadata, job } = await progressOf(world);
    expect(indexes).toEqual({
      succeeded: '0',
      retrying: '1',
      stopping: '2',
      running: '3',
      starting: '4',
      failed: '5',
      inherited: '',
      excluded: '',
      held: '',
      cancelled: '',
    });
    const { failedAttempts: _, ...byIndex } = counts;
    expect(byIndex).toEqual({
      succeeded: 1,
      retrying: 1,
      stopping: 1,
      running: 1,
      starting: 1,
      failed: 1,
      waiting: 2,
      inherited: 0,
      excluded: 0,
      held: 0,
      cancelled: 0,
    });
    expect(job.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('a Job that is over: what had failed is not tried again, the rest was not run', async () => {
    const world = await aJob({ parallelism: 2 });
    await world.commit('sums', [...claims(0), ...running(0)], { startTime: START });
    const verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: 0 } as const;
    await world.commit('sums', [{ op: 'failed', index: 0, notBefore: null }], {
      failed: 1,
      phase: { kind: 'finished', verdict, since: START, at: START },
    });
    const { counts, indexes } = await progressOf(world);
    expect(counts).toMatchObject({ failed: 1, retrying: 0, waiting: 7, failedAttempts: 1 });
    expect(indexes).toMatchObject({ failed: '0', retrying: '' });
  });

  test('a smaller Job has no indexes beyond its end', async () => {
    const world = await aJob();
    await world.commit('sums', [...claims(1, 6), ...running(1, 6), { op: 'succeeded', index: 6 }], {
      startTime: START,
    });
    const answer = await world.app.request(`${JOBS}/sums`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { completions: 4, parallelism: 4 } }),
    });
    expect(answer.status).toBe(200);
    expect(await progressOf(world)).toMatchObject({
      counts: { succeeded: 0, running: 1, waiting: 3 },
      indexes: { running: '1', succeeded: '' },
    });
  });

  test('for a very large Job only finished indexes are listed; a NonIndexed one has none', async () => {
    const large = await aJob({ completions: 20_000, parallelism: 20_000 });
    await large.commit('sums', [...claims(0, 1, 5_000), ...running(0), { op: 'succeeded', index: 5_000 }], {
      startTime: START,
    });
    const { counts, indexes } = await progressOf(large);
    expect(counts).toMatchObject({ succeeded: 1, running: 1, starting: 1, waiting: 19_997 });
    expect(indexes).toMatchObject({ succeeded: '5000', running: '', starting: '' });
    expect((await progressOf(await aJob({ completionMode: 'NonIndexed' }))).indexes).toBeNull();
  });

  test('for a Job that does not exist, and by other methods', async () => {
    const world = await aWorld();
    expect((await world.get(PATH)).status).toBe(404);
    expect((await world.post(PATH, {})).status).toBe(405);
  });
});
