import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { JOBS, PODS, START, type World, aWorld, manifest } from '../a-world.ts';

const PATH = '/muster/v1/namespaces/default/jobs/sums/waits';

type Answer = { readonly summary: string | null; readonly launchRate: unknown; readonly waits: readonly object[] };

const ask = async (world: World): Promise<Answer> => (await (await world.get(PATH)).json()) as Answer;
const claims = (count: number, nonce = 0) =>
  Array.from({ length: count }, (_, index) => ({ index, attempt: 1, nonce, dueAt: plusMs(START, 8_000) }));
const claim = (count: number) => Array.from({ length: count }, (_, index) => ({ op: 'claim' as const, index }));

const aJob = async (spec: object = {}): Promise<World> => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { completions: 1000, parallelism: 1000, ...spec }));
  return world;
};

describe('GET /muster/v1/.../jobs/NAME/waits', () => {
  test('the launch rate: how many, how fast, how long', async () => {
    const world = await aJob();
    Object.assign(world.pace, { perSec: 20, fullPerSec: 20 });
    await world.commit('sums', claim(80), { startTime: START, inFlight: claims(80) });
    expect(await ask(world)).toEqual({
      apiVersion: 'muster.run/v1',
      kind: 'JobWaits',
      metadata: {
        namespace: 'default',
        name: 'sums',
        uid: '00000001-0000-4000-8000-000000000000',
        resourceVersion: expect.stringMatching(/^\d+$/) as unknown,
      },
      asOf: '2023-11-14T22:13:20Z',
      summary: '1000 wait: launch rate 20/s, about 50 s',
      launchRate: { perSecond: 20, inForcePerSecond: 20 },
      waits: [
        {
          cause: 'launchRate',
          count: 1000,
          message: 'launch rate 20/s',
          since: null,
          etaSeconds: 50,
          nextTrySeconds: null,
        },
      ],
    });
  });

  test('what ECS lacks, and when it is retried; and positions', async () => {
    const world = await aJob({ parallelism: 80 });
    const waitReason = 'You’ve reached the limit on the number of vCPUs you can run concurrently';
    await world.commit('sums', claim(80), { inFlight: claims(80, 1), waitReason });
    const { summary, launchRate, waits } = await ask(world);
    expect(summary).toBe(
      `1000 wait: 920 parallelism 80: the next starts when one ends; 80 ${waitReason}, next try in about 8 s`,
    );
    expect(launchRate).toBeNull();
    expect(waits).toMatchObject([
      { cause: 'quota', count: 80, etaSeconds: null, nextTrySeconds: 8 },
      { cause: 'parallelism', count: 920, etaSeconds: null, nextTrySeconds: null },
    ]);
  });

  test('back-off of each index, by the chunk that knows of it', async () => {
    const world = await aJob({ completions: 3, parallelism: 3, backoffLimitPerIndex: 2 });
    await world.commit('sums', claim(2), { startTime: START });
    await world.commit('sums', [
      { op: 'failed', index: 0, notBefore: plusMs(START, 10_000) },
      { op: 'failed', index: 1, notBefore: plusMs(START, 300_000) },
    ]);
    expect(await ask(world)).toMatchObject({
      summary: '2 wait: back-off of each index, next in about 10 s, last in about 5 min',
      waits: [
        { cause: 'launching', count: 1 },
        { cause: 'backOff', count: 2, etaSeconds: 300, nextTrySeconds: 10 },
      ],
    });
  });

  test("tasks that cannot start, in ECS's words of one of them", async () => {
    const world = await aJob({ completions: 4, parallelism: 4 });
    const ending = { exitCode: null, container: null };
    const image = 'CannotPullContainerError: no such image';
    const eni = 'Timeout waiting for network interface provisioning to complete.';
    await world.commit('sums', claim(4), { startTime: START });
    await world.record('sums', 1, 1, { ...ending, cause: 'StartFailed', reason: image });
    await world.record('sums', 3, 1, { ...ending, cause: 'Unplaced', reason: eni });
    const notBefore = plusMs(START, 20_000);
    await world.commit('sums', [
      { op: 'unstarted', index: 1, notBefore, since: START },
      { op: 'unstarted', index: 2, notBefore, since: START },
      { op: 'unstarted', index: 3, notBefore, since: null },
    ]);
    expect((await ask(world)).waits.slice(1)).toMatchObject([
      {
        cause: 'startFailed',
        count: 2,
        message: `${image} (index 1)`,
        since: '2023-11-14T22:13:20Z',
        nextTrySeconds: 20,
      },
      { cause: 'network', count: 1, message: `${eni} (index 3)`, nextTrySeconds: 20 },
    ]);
  });

  test('since when a Job is suspended', async () => {
    const world = await aJob({ suspend: true });
    expect(await ask(world)).toMatchObject({
      summary: '1000 wait: suspended',
      waits: [{ cause: 'suspended', since: '2023-11-14T22:13:20Z' }],
    });
  });

  test('nothing, once the Job is over', async () => {
    const world = await aJob();
    const verdict = { kind: 'complete', reason: 'SuccessPolicy', message: '', decidedBy: null } as const;
    await world.commit('sums', [], { phase: { kind: 'finished', verdict, since: START, at: START } });
    expect(await ask(world)).toMatchObject({ summary: null, waits: [] });
  });

  test('a Job that is not there, another method, another path', async () => {
    const world = await aWorld({ embedded: true });
    const host = { host: '127.0.0.1' };
    const missing = await world.get(PATH, host);
    expect([missing.status, await missing.json()]).toMatchObject([404, { reason: 'NotFound', kind: 'Status' }]);
    expect((await world.app.request(PATH, { method: 'DELETE', headers: host })).status).toBe(405);
    expect((await world.get('/muster/v1/namespaces/default/jobs/sums', host)).status).toBe(404);
    expect((await world.get(PATH, { host: 'evil.example' })).status).toBe(403);
  });

  test('of 100,000 indexes no record is read, and a few chunks at most', async () => {
    const world = await aJob({ completions: 100_000, parallelism: 1000 });
    const chunks = Array.from({ length: 25 }, (_, no) => ({
      version: 0,
      foldedSeq: 0,
      pending: Math.min(4096, 100_000 - no * 4096) - 40,
      starting: 0,
      running: 40,
      waiting: 0,
      stopping: 0,
      succeeded: 0,
      failed: 0,
      excluded: 0,
      firstPending: 40,
      soonestDue: plusMs(START, 5_000),
      startingSince: null,
      runningSince: null,
      indexSince: null,
      held: 0,
    }));
    const uid = await world.uidOf('sums');
    const status = await world.jobs.readStatus(uid);
    if (status === null) throw new Error('no status');
    const next = { ...status, version: status.version + 1, chunks };
    expect((await world.jobs.commitPass(uid, next, [])).kind).toBe('committed');
    expect(await ask(world)).toMatchObject({
      waits: [{ cause: 'parallelism', count: 99_000, message: expect.stringContaining('parallelism 1000') as unknown }],
    });
  });

  test('kubectl does not see it', async () => {
    const world = await aJob();
    for (const path of ['/apis', '/api', '/api/v1', '/apis/batch/v1', '/openapi/v3'])
      expect(await (await world.get(path)).text()).not.toMatch(/waits|muster\/v1/);
    expect((await world.get(PODS)).status).toBe(200);
  });
});
