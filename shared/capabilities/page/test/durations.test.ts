import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../domain/base/time.ts';
import { JOBS, START, type World, aWorld, manifest } from '../../../../test/kube/a-world.ts';
import { BAD, DONE } from '../../../../test/support/a-stage.ts';

const PATH = '/muster/v1/namespaces/default/jobs/sums';

type Durations = {
  readonly sample: object;
  readonly runSeconds: Record<string, object | null>;
  readonly startSeconds: object;
  readonly histogram: readonly object[];
};
type Timeline = {
  readonly sample: object;
  readonly running: number;
  readonly buckets: readonly {
    readonly from: string;
    readonly started: number;
    readonly ended: number;
    readonly failed: number;
  }[];
};

async function aJob(spec: object = {}): Promise<World> {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { completions: 8, parallelism: 8, ...spec }));
  return world;
}

/** Attempts that ran for a second, a second after their creation. */
async function ranBriefly(world: World): Promise<void> {
  await world.commit(
    'sums',
    [
      { op: 'claim', index: 0 },
      { op: 'claim', index: 1 },
      { op: 'claim', index: 2 },
      { op: 'running', index: 0 },
    ],
    { startTime: START },
  );
  await world.record('sums', 0, 1, BAD);
  await world.record('sums', 0, 2, DONE, { createdAt: START, startedAt: START });
  await world.record('sums', 1, 1, DONE, { startedAt: null });
  await world.record('sums', 2, 1, DONE, { as: 'released' });
}

describe('durations', () => {
  test('are those of attempts that ran, by how they ended', async () => {
    const world = await aJob();
    await ranBriefly(world);
    const answer = (await (await world.get(`${PATH}/durations`)).json()) as Durations;
    expect(answer.sample).toEqual({ attempts: 4, indexes: 8, ofIndexes: 8, complete: true });
    expect(answer.runSeconds).toEqual({
      succeeded: { count: 1, min: 3, p50: 3, p90: 3, p95: 3, p99: 3, max: 3, mean: 3 },
      failed: { count: 1, min: 1, p50: 1, p90: 1, p95: 1, p99: 1, max: 1, mean: 1 },
      other: { count: 1, min: 1, p50: 1, p90: 1, p95: 1, p99: 1, max: 1, mean: 1 },
    });
    expect(answer.startSeconds).toMatchObject({ count: 3, min: 0, max: 1 });
    expect(answer.histogram[0]).toMatchObject({ failed: 1, other: 1 });
  });

  test('of a large Job are those of some thousand indexes, and it says so', async () => {
    const world = await aJob({ completions: 1_000_000, parallelism: 100_000 });
    await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
    await world.record('sums', 0, 1, DONE);
    let reads = 0;
    const { jobs } = world.deps;
    const readAttempts = jobs.readAttempts.bind(jobs);
    const counted: typeof readAttempts = async (...given) => {
      reads++;
      return readAttempts(...given);
    };
    Object.assign(jobs, { readAttempts: counted });
    const answer = (await (await world.get(`${PATH}/durations`)).json()) as Durations;
    expect(answer.sample).toEqual({ attempts: 1, indexes: 1, ofIndexes: 1_000_000, complete: false });
    expect(reads).toBe(1);
  });
});

describe('the timeline', () => {
  test('is from the start of the Job to now, or of the time that is asked for', async () => {
    const world = await aJob();
    await ranBriefly(world);
    await world.clock.sleep(10_000);
    const whole = (await (await world.get(`${PATH}/timeline?buckets=10`)).json()) as Timeline;
    expect(whole.running).toBe(1);
    expect(whole.buckets.map(({ started, ended, failed }) => [started, ended, failed])).toEqual([
      [1, 0, 0],
      [0, 0, 0],
      [2, 0, 0],
      [0, 4, 1],
      ...Array.from({ length: 6 }, () => [0, 0, 0]),
    ]);
    const moment = (ms: number): string => new Date(plusMs(START, ms)).toISOString();
    const part = (await (
      await world.get(`${PATH}/timeline?from=${moment(2_000)}&to=${moment(3_000)}&buckets=1`)
    ).json()) as Timeline;
    expect(part.buckets).toEqual([{ from: moment(2_000), to: moment(3_000), started: 2, ended: 4, failed: 1, ran: 3 }]);
  });

  test('refuses what is no range', async () => {
    const world = await aJob();
    for (const query of [
      'from=yesterday',
      'to=1',
      'buckets=0',
      'buckets=501',
      'buckets=x',
      'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    ])
      expect((await world.get(`${PATH}/timeline?${query}`)).status, query).toBe(400);
    expect((await (await world.get(`${PATH}/timeline`)).json()) as Timeline).toMatchObject({ running: 0 });
  });

  test('of no Job, and by other methods', async () => {
    const world = await aWorld();
    for (const part of ['durations', 'timeline']) {
      expect((await world.get(`${PATH}/${part}`)).status).toBe(404);
      expect((await world.post(`${PATH}/${part}`, {})).status).toBe(405);
    }
  });
});
