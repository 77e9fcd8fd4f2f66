import { describe, expect, test } from 'vitest';
import { type Why, whyText } from '../../../shared/domain/scoreboard/why.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { Ending } from '../../../shared/domain/base/fact.ts';
import type { Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { JOBS, PODS, START, type World, aWorld, manifest } from '../a-world.ts';

// Why a Pod failed is shown everywhere.

const NOT_FOUND: Ending = {
  cause: 'Error',
  exitCode: 128,
  container: 'main',
  reason: 'CannotStartContainerError: python: command not found; looked in PATH /usr/bin:/bin',
};
const EXITED: Ending = { cause: 'Error', exitCode: 1, container: 'main', reason: 'Essential container in task exited' };
const STOPPED: Ending = { cause: 'Stopped', exitCode: 143, container: 'main', reason: 'Muster: no longer wanted' };
const DEADLINE: Verdict = {
  kind: 'failed',
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
  decidedBy: null,
};
const finished = (verdict: Verdict) => ({
  phase: { kind: 'finished', verdict, since: plusMs(START, 3000), at: plusMs(START, 3000) } as const,
});
const LIMIT: Verdict = {
  kind: 'failed',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
  decidedBy: 0,
};

/** Index 0 has run, and ended like this. */
async function aFailedJob(
  ending: Ending,
  {
    verdict = LIMIT,
    startedAt,
    why = { kind: 'exited', exitCode: ending.exitCode },
    spec = {},
  }: {
    readonly verdict?: Verdict;
    readonly startedAt?: null;
    readonly why?: Why;
    readonly spec?: object;
  } = {},
): Promise<World> {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', spec));
  await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
  await world.launch('sums', [{ index: 0, attempt: 1 }]);
  await world.record('sums', 0, 1, ending, { why, ...(startedAt === null ? { startedAt } : {}) });
  await world.commit('sums', [{ op: 'failed', index: 0, notBefore: null }], { failed: 1, ...finished(verdict) });
  return world;
}

type Pod = {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly reason?: string;
    readonly message?: string;
    readonly containerStatuses: readonly { readonly state: object; readonly lastState: object }[];
  };
};
async function podOf(world: World): Promise<Pod> {
  const { items } = (await (await world.get(PODS)).json()) as { items: Pod[] };
  expect(items).toHaveLength(1);
  return items[0]!;
}
/** What `kubectl get pods` shows as STATUS. */
async function statusCell(world: World): Promise<unknown> {
  const answer = await world.get(PODS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  const { rows } = (await answer.json()) as { rows: { cells: unknown[] }[] };
  return rows[0]?.cells[2];
}
async function eventsOf(world: World, kind: 'Job' | 'Pod'): Promise<readonly string[]> {
  const path = `/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3D${kind},type%3DWarning`;
  const { items } = (await (await world.get(path)).json()) as { items: { reason: string; message: string }[] };
  return items.map(({ reason, message }) => `${reason}: ${message.replace(/sums-0-[a-z0-9]{5}/, 'sums-0')}`);
}
const logOf = async (world: World): Promise<Response> => world.get(`${PODS}/${(await podOf(world)).metadata.name}/log`);

describe('a program that is not there', () => {
  const given = async () => aFailedJob(NOT_FOUND, { startedAt: null });

  test("the Pod's status says StartError, with the words that say what is wrong", async () => {
    const world = await given();
    expect((await podOf(world)).status.containerStatuses[0]?.state).toMatchObject({
      terminated: { exitCode: 128, reason: 'StartError', message: NOT_FOUND.reason },
    });
    expect(await statusCell(world)).toBe('StartError');
  });

  test('so do the Events of the Pod and of its Job', async () => {
    const world = await given();
    expect(await eventsOf(world, 'Pod')).toEqual([`Failed: Error: ${NOT_FOUND.reason}`]);
    expect(await eventsOf(world, 'Job')).toEqual([
      'PodFailed: Pod sums-0 failed: StartError: python: command not found; looked in PATH /usr/bin:/bin',
    ]);
  });

  test('there is no log, and the answer says why: an empty one would say nothing', async () => {
    const answer = await logOf(await given());
    expect(answer.status).toBe(400);
    const told = (await answer.json()) as { message: string };
    expect(told.message).toMatch(
      /^container "main" in pod "sums-0-[a-z0-9]{5}" never started: StartError: python: command not found; looked in PATH/,
    );
    const message = expect.stringMatching(/^StartError: python: command not found; looked in PATH/) as unknown;
    expect(told).toMatchObject({ details: { causes: [{ reason: 'ContainerNeverStarted', message, field: '' }] } });
  });

  test('while it waits to be retried, its Pod and its log say the same', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
    await world.launch('sums', [{ index: 0, attempt: 1 }]);
    await world.record('sums', 0, 1, NOT_FOUND, {
      as: 'restarted',
      why: { kind: 'exited', exitCode: 128 },
      startedAt: null,
    });
    await world.commit('sums', [{ op: 'restart', index: 0, notBefore: plusMs(START, 60_000) }]);
    expect((await podOf(world)).status.containerStatuses[0]).toMatchObject({
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: expect.stringContaining('StartError: python: command not found') as string,
        },
      },
      lastState: { terminated: { exitCode: 128, reason: 'StartError' } },
    });
    const answer = await logOf(world);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(
      'is waiting to start: CrashLoopBackOff: back-off restarting failed container',
    );
  });
});

test('exit 1: what ECS says of every container that exits is left out', async () => {
  const world = await aFailedJob(EXITED);
  expect((await podOf(world)).status.containerStatuses[0]?.state).toEqual({
    terminated: {
      exitCode: 1,
      reason: 'Error',
      containerID: 'ecs://00000000000000000000000000000001/main',
      startedAt: '2023-11-14T22:13:22Z',
      finishedAt: '2023-11-14T22:13:23Z',
    },
  });
  expect(await statusCell(world)).toBe('Error');
  expect(await eventsOf(world, 'Job')).toEqual(['PodFailed: Pod sums-0 failed: exit code 1']);
});

describe('what ran when its Job failed', () => {
  const why = ({ reason, message }: Verdict): Why => ({ kind: 'jobFailed', reason, message, decidedBy: null });

  test('a deadline is named by the Pod that it has killed', async () => {
    const world = await aFailedJob(STOPPED, { verdict: DEADLINE, why: why(DEADLINE) });
    const { status } = await podOf(world);
    expect(status).toMatchObject({ reason: 'DeadlineExceeded', message: DEADLINE.message });
    expect(status.containerStatuses[0]?.state).toMatchObject({
      terminated: { exitCode: 143, reason: 'DeadlineExceeded', message: DEADLINE.message },
    });
    expect(await statusCell(world)).toBe('DeadlineExceeded');
    expect(await eventsOf(world, 'Job')).toEqual([]); // it caused nothing
  });

  test('any other end is the reason why it was stopped', async () => {
    const world = await aFailedJob(STOPPED, { why: why(LIMIT) });
    expect((await podOf(world)).status).toMatchObject({ reason: 'Stopped', message: whyText(why(LIMIT)) });
    expect(await statusCell(world)).toBe('Error');
  });

  test('in a Job that failed of its deadline, what had failed before keeps its own words', async () => {
    const world = await aFailedJob(EXITED, { verdict: DEADLINE });
    expect(await statusCell(world)).toBe('Error');
  });
});

describe('what has failed, for programs', () => {
  type Failures = { failedAttempts: number; more: boolean; groups: Record<string, unknown>[] };
  const failuresOf = async (world: World): Promise<Failures> =>
    (await (await world.get('/muster/v1/namespaces/default/jobs/sums/failures')).json()) as Failures;

  test('alike failures are one group, with the last lines of the first of them', async () => {
    const world = await aFailedJob(EXITED);
    world.print(0, 1, 'main', 'Traceback (most recent call last):', '  File "a.py", line 3', ' ', 'KeyError: 7', '');
    expect(await failuresOf(world)).toMatchObject({
      kind: 'JobFailures',
      failedAttempts: 1,
      more: false,
      groups: [
        {
          reason: 'Error',
          cause: 'exit code 1',
          exitCode: 1,
          verdict: 'failed: exit code 1',
          count: 1,
          indexes: '0',
          lastAt: '2023-11-14T22:13:23Z',
          example: { index: 0, attempt: 1, pod: expect.stringMatching(/^sums-0-/) as string },
        },
      ],
    });
    const { groups } = await failuresOf(world);
    expect(groups[0]).toMatchObject({ example: { log: expect.arrayContaining(['KeyError: 7']) as unknown } });
    expect(world.logReads()).toBe(2); // one per group and question
  });

  test('a Job that does not exist', async () => {
    const world = await aWorld();
    expect((await world.get('/muster/v1/namespaces/default/jobs/nope/failures')).status).toBe(404);
    expect((await world.post('/muster/v1/namespaces/default/jobs/nope/failures', {})).status).toBe(405);
  });
});
