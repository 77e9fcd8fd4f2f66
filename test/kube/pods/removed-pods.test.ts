import { describe, expect, test } from 'vitest';
import { createJobCommands } from '../../../shared/control/lifecycle/job-changes.ts';
import { removeEnded } from '../../../shared/kube/pods/ended-pods.ts';
import { JOBS, PODS, START, type World, aWorld, linesOf, manifest } from '../a-world.ts';
import { aBusyJob, list } from './some-pods.ts';

// A Pod that has ended can be deleted, as in Kubernetes. What its end has counted, and its attempt's record, stay.

const remove = async (world: World, path: string, body: object = {}) =>
  world.app.request(`${PODS}${path}`, {
    method: 'DELETE',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', ...body }),
  });

const json = async (answer: Response | Promise<Response>) => (await (await answer).json()) as Record<string, unknown>;

/** Names of those that are listed, without the suffix, and their phases. */
const shown = async (world: World, query = '') =>
  (await list(world, query)).items.map(
    ({ metadata, status }) => `${metadata.name.replace(/-[a-z0-9]+$/, '')} ${status.phase}`,
  );

const named = async (world: World, phase: string) =>
  (await list(world)).items.find(({ status }) => status.phase === phase)?.metadata.name ?? '';

const ALL = ['sums-0 Failed', 'sums-0 Running', 'sums-1 Succeeded', 'sums-2 Pending', 'sums-3 Pending'];

const events = async (world: World, from: number) =>
  (
    (await linesOf(
      await world.get(`${PODS}?watch=true&resourceVersion=${from}&timeoutSeconds=1`),
    )) as unknown as Event[]
  ).map(
    ({ type, object: { metadata, status } }) =>
      `${type} ${metadata.name.replace(/-[a-z0-9]+$/, '')} ${status.phase} ${metadata.resourceVersion}`,
  );
type Event = {
  type: string;
  object: { metadata: { name: string; resourceVersion: string }; status: { phase: string } };
};

describe.each(['Failed', 'Succeeded'])('a Pod that has %s', (phase) => {
  test('is the answer, and then it is nowhere', async () => {
    const world = await aBusyJob();
    const name = await named(world, phase);
    const answer = await remove(world, `/${name}`);
    expect([answer.status, await json(answer)]).toMatchObject([
      200,
      {
        kind: 'Pod',
        metadata: {
          name,
          resourceVersion: '5',
          deletionTimestamp: '2023-11-14T22:13:20Z',
          deletionGracePeriodSeconds: 0,
        },
        status: { phase },
      },
    ]);
    expect((await world.get(`${PODS}/${name}`)).status).toBe(404);
    expect((await remove(world, `/${name}`)).status).toBe(404);
    expect(await shown(world)).toEqual(ALL.filter((each) => !each.endsWith(phase)));
    expect(await shown(world, `?fieldSelector=metadata.name%3D${name}`)).toEqual([]);
    expect(await shown(world, '?limit=2')).not.toContain(ALL.find((each) => each.endsWith(phase)));
    expect(world.deletedPods).toEqual([]);
  });

  test('a watch is sent its end, once, however late it comes', async () => {
    const world = await aBusyJob();
    await remove(world, `/${await named(world, phase)}`);
    const gone = `DELETED ${ALL.find((each) => each.endsWith(phase))} 5`;
    expect(await events(world, 4)).toEqual([gone]);
    expect((await events(world, 1)).filter((each) => each.startsWith('DELETED'))).toEqual([gone]);
    expect(await events(world, 5)).toEqual([]);
  });

  test('nothing that was counted changes, and its attempt is remembered', async () => {
    const world = await aBusyJob();
    const uid = await world.uidOf('sums');
    const statusOf = async () => ((await json(world.get(`${JOBS}/sums`))) as { status: object }).status;
    const attempts = async () =>
      json(world.get(`${JOBS.replace('/apis/batch/v1', '/muster/v1')}/sums/attempts?which=all`));
    const before = [await statusOf(), await attempts(), await world.jobs.readAttempts(uid, 0, 9)];
    const board = await world.jobs.readStatus(uid);
    await remove(world, `/${await named(world, phase)}`);
    expect([await statusOf(), await attempts(), await world.jobs.readAttempts(uid, 0, 9)]).toEqual(before);
    const { version, journal, alarms } = (await world.jobs.readStatus(uid))!;
    expect(await world.jobs.readStatus(uid)).toEqual({ ...board, version, journal, alarms });
  });

  test('stays in a dry run, and where a precondition does not hold', async () => {
    const world = await aBusyJob();
    const name = await named(world, phase);
    const answer = await remove(world, `/${name}`, { dryRun: ['All'] });
    expect([answer.status, await json(answer)]).toMatchObject([200, { metadata: { deletionGracePeriodSeconds: 0 } }]);
    expect((await remove(world, `/${name}`, { preconditions: { resourceVersion: '1' } })).status).toBe(409);
    expect((await remove(world, `/${name}`, { preconditions: { uid: 'other' } })).status).toBe(409);
    expect(await shown(world)).toEqual(ALL);
  });
});

test('a Pod whose Job is over, too', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { completions: 1, parallelism: 1 }));
  await world.record('sums', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit(
    'sums',
    [
      { op: 'claim', index: 0 },
      { op: 'succeeded', index: 0 },
    ],
    {
      startTime: START,
      phase: {
        kind: 'finished',
        verdict: { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null },
        since: START,
        at: START,
      },
    },
  );
  const status = async () => ((await json(world.get(`${JOBS}/sums`))) as { status: object }).status;
  const before = await status();
  expect((await remove(world, `/${await named(world, 'Succeeded')}`)).status).toBe(200);
  expect(await shown(world)).toEqual([]);
  expect(await status()).toEqual(before);
});

test('an eviction is a deletion', async () => {
  const world = await aBusyJob();
  const name = await named(world, 'Failed');
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
  expect((await world.post(`${PODS}/${name}/eviction`, eviction)).status).toBe(201);
  expect((await world.get(`${PODS}/${name}`)).status).toBe(404);
});

test('a collection: what has ended goes, by one commit, and what runs is stopped', async () => {
  const world = await aBusyJob();
  const { version = 0 } = (await world.jobs.readStatus(await world.uidOf('sums'))) ?? {};
  expect((await remove(world, '?dryRun=All')).status).toBe(200);
  expect(await shown(world)).toEqual(ALL);
  await remove(world, '?labelSelector=batch.kubernetes.io/job-completion-index%3D1');
  expect(await shown(world)).toEqual(ALL.filter((each) => !each.startsWith('sums-1')));
  expect(world.deletedPods).toEqual([]);
  expect((await remove(world, '?labelSelector=job-name%3Dsums')).status).toBe(200);
  expect(await shown(world)).toEqual(ALL.filter((each) => /Running|Pending/.test(each)));
  expect(world.deletedPods.map(({ index }) => index)).toEqual([0, 2, 3]);
  expect(await world.jobs.readStatus(await world.uidOf('sums'))).toMatchObject({ version: version + 2 });
});

test('of two who delete it at once, one does', async () => {
  const world = await aBusyJob();
  const name = await named(world, 'Succeeded');
  const answers = await Promise.all([1, 2, 3].map(async () => remove(world, `/${name}`)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
  expect((await events(world, 4)).length).toBe(1);
});

test('nor one that another process has removed, and not published yet', async () => {
  const world = await aBusyJob();
  await world.commit('sums', [{ op: 'removed', index: 1 }], { silent: true });
  expect(await shown(world)).toEqual(ALL);
  expect((await remove(world, `/${await named(world, 'Succeeded')}`)).status).toBe(404);
});

test('one that runs, or is being deleted, is not removed', async () => {
  const world = await aBusyJob();
  await world.commit('sums', [{ op: 'podDeleted', index: 2 }]);
  const reads = { ...world.deps, jobCommands: createJobCommands(world.deps) };
  const pods = [0, 1, 2, 3].map((index) => ({ index, attempt: index === 0 ? 2 : 1 }));
  expect(await removeEnded(await world.uidOf('sums'), 0, pods, reads)).toEqual([{ index: 1, attempt: 1 }]);
  expect(await removeEnded(await world.uidOf('sums'), 0, pods, reads)).toEqual([]);
});
