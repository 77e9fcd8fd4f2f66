import { describe, expect, test } from 'vitest';
import { START, JOBS, PODS, type World, aWorld, manifest } from '../a-world.ts';

const VERDICT = { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'too often', decidedBy: null } as const;

/** A world in which the Job `sums` has failed: of its four indexes, 0 and 2 have succeeded. */
async function afterFailure(): Promise<World> {
  const world = await aWorld();
  expect((await world.post(JOBS, manifest('sums'))).status).toBe(201);
  const steps = [0, 2].flatMap((index) => [
    { op: 'claim', index } as const,
    { op: 'running', index } as const,
    { op: 'succeeded', index } as const,
  ]);
  await world.commit('sums', steps, { phase: { kind: 'finished', verdict: VERDICT, since: START, at: START } });
  return world;
}

const annotated = (name: string, annotations: object, spec: object = {}) =>
  manifest(name, spec, { metadata: { name, annotations } });
const again = (name = 'again', indexes?: string) =>
  annotated(name, {
    'muster.run/rerun-of': 'sums',
    ...(indexes === undefined ? {} : { 'muster.run/indexes': indexes }),
  });

type Shown = { readonly status: object; readonly metadata: object };
const shown = async (world: World, name: string): Promise<Shown> =>
  (await (await world.get(`${JOBS}/${name}`)).json()) as Shown;

describe('a rerun', () => {
  test('shows from the start what it has inherited, in its answer, its reads, and its watch', async () => {
    const world = await afterFailure();
    const answer = await world.post(JOBS, again());
    const created = (await answer.json()) as Shown;
    expect([answer.status, created.status]).toMatchObject([201, { succeeded: 2, completedIndexes: '0,2' }]);
    expect(await shown(world, 'again')).toEqual(created);
  });

  test('shows it in a dry run, too, which stores nothing', async () => {
    const world = await afterFailure();
    const tried = (await (await world.post(`${JOBS}?dryRun=All`, again())).json()) as Shown;
    expect(tried.status).toMatchObject({ succeeded: 2, completedIndexes: '0,2' });
    expect((await world.get(`${JOBS}/again`)).status).toBe(404);
  });

  test('has no Pods for what it has inherited, and none for what it leaves out', async () => {
    const world = await afterFailure();
    await world.post(JOBS, again('again', '3'));
    const step = { index: 3 };
    await world.commit('again', [
      { op: 'claim', ...step },
      { op: 'running', ...step },
    ]);
    const { items } = (await (await world.get(`${PODS}?labelSelector=job-name%3Dagain`)).json()) as {
      items: readonly { metadata: { annotations: Record<string, string> } }[];
    };
    expect(items.map(({ metadata }) => metadata.annotations['batch.kubernetes.io/job-completion-index'])).toEqual([
      '3',
    ]);
    const progress = await world.get('/muster/v1/namespaces/default/jobs/again/progress');
    expect(await progress.json()).toMatchObject({
      counts: { succeeded: 2, inherited: 2, excluded: 1, running: 1, waiting: 0 },
      indexes: { inherited: '0,2', excluded: '1', running: '3', succeeded: '' },
    });
  });

  test.each([
    [undefined, '2/4'],
    ['3', '2/3'],
    ['2,3', '1/3'],
  ])('of indexes %s, the table shows %s', async (indexes, completions) => {
    const world = await afterFailure();
    await world.post(JOBS, again('again', indexes));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = (await (await world.get(`${JOBS}/again`, { accept })).json()) as {
      rows: readonly { cells: readonly unknown[] }[];
    };
    expect(table.rows[0]?.cells[2]).toBe(completions);
  });

  test('a change of its labels keeps what it has inherited', async () => {
    const world = await afterFailure();
    await world.post(JOBS, again());
    const patch = { metadata: { labels: { team: 'a' } } };
    const patched = await world.app.request(`${JOBS}/again`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(patch),
    });
    expect([patched.status, await patched.json()]).toMatchObject([200, { status: { completedIndexes: '0,2' } }]);
  });
});

describe('refused with 422 and the path, and a dry run says the same', () => {
  const RERUN = 'metadata.annotations[muster.run/rerun-of]';
  test.each<[because: string, document: object, field: string]>([
    ['no such Job', annotated('again', { 'muster.run/rerun-of': 'other' }), RERUN],
    ['other completions', annotated('again', { 'muster.run/rerun-of': 'sums' }, { completions: 5 }), RERUN],
    ['index beyond completions', again('again', '4'), 'metadata.annotations[muster.run/indexes]'],
    [
      'successes that nobody had',
      annotated('again', { 'muster.run/inherited': '0-3' }),
      'metadata.annotations[muster.run/inherited]',
    ],
  ])('%s', async (_, document, field) => {
    const world = await afterFailure();
    for (const query of ['', '?dryRun=All']) {
      const answer = await world.post(`${JOBS}${query}`, document);
      expect([answer.status, await answer.json()]).toMatchObject([422, { details: { causes: [{ field }] } }]);
    }
    expect((await world.get(`${JOBS}/again`)).status).toBe(404);
  });

  test('fields that only the server has are not read', async () => {
    const world = await afterFailure();
    const forged = { ...manifest('forged'), inherited: '0-3', status: { succeeded: 4, completedIndexes: '0-3' } };
    expect((await world.post(`${JOBS}?fieldValidation=Strict`, forged)).status).toBe(400);
    expect((await world.post(`${JOBS}?fieldValidation=Ignore`, forged)).status).toBe(201);
    const { status } = await shown(world, 'forged');
    expect(status).not.toHaveProperty('succeeded');
    expect((await world.jobs.readSpec(await world.uidOf('forged')))?.inherited).toBeUndefined();
  });
});
