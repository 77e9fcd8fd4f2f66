import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../shared/domain/base/time.ts';
import { JOBS, START, aWorld, manifest } from '../a-world.ts';
import { DONE } from '../../support/a-stage.ts';
import { openNamespace } from '../../support/a-namespace.ts';

const T0 = '2023-11-14T22:13:20Z';

describe('create', () => {
  test('stores a Job with its defaults and answers with it', async () => {
    const world = await aWorld();
    const answer = await world.post(JOBS, manifest('sums'));
    expect(answer.status).toBe(201);
    const job = await answer.json();
    expect(job).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'sums',
        namespace: 'default',
        uid: '00000001-0000-4000-8000-000000000000',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: T0,
      },
      spec: { backoffLimit: 6, suspend: false, podReplacementPolicy: 'Failed' },
      status: { ready: 0, terminating: 0, uncountedTerminatedPods: {} },
    });
    expect(await (await world.get(`${JOBS}/sums`)).json()).toEqual(job);
  });

  test('takes YAML, too', async () => {
    const world = await aWorld();
    const yaml = JSON.stringify(manifest('sums'), null, 1); // JSON is YAML
    const answer = await world.post(JOBS, yaml, { 'content-type': 'application/yaml' });
    expect(answer.status).toBe(201);
  });

  test('makes a name, and another one when that is taken', async () => {
    // A name comes from a uid's first digits: the first two are the same.
    const uids = [1, 1, 2].map((n, i) => `0000000${n}-0000-4000-8000-00000000000${i}`);
    const world = await aWorld({}, { newUid: () => uids.shift() ?? 'none left' });
    const nameless = manifest('', {}, { metadata: { generateName: 'sums-' } });
    const nameOf = async () =>
      ((await (await world.post(JOBS, nameless)).json()) as { metadata: { name: string } }).metadata.name;
    const [first, second] = [await nameOf(), await nameOf()];
    expect(first).toMatch(/^sums-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(second).toMatch(/^sums-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect([second === first, uids.length]).toEqual([false, 0]);
  });

  test('dryRun checks everything and stores nothing', async () => {
    const world = await aWorld();
    const answer = await world.post(`${JOBS}?dryRun=All`, manifest('sums'));
    expect([answer.status, ((await answer.json()) as { kind: string }).kind]).toEqual([201, 'Job']);
    expect((await world.get(`${JOBS}/sums`)).status).toBe(404);
    expect(await world.feed.head()).toBe(0);
    await world.post(JOBS, manifest('sums'));
    expect((await world.post(`${JOBS}?dryRun=All`, manifest('sums'))).status).toBe(409);
    const elsewhere = '/apis/batch/v1/namespaces/nowhere/jobs?dryRun=All';
    expect((await world.post(elsewhere, manifest('sums'))).status).toBe(404);
  });

  test('warns in a header of what is accepted with a difference', async () => {
    const world = await aWorld();
    const odd = { ...manifest('sums'), spec: { ...manifest('sums').spec, 'naïve"': 1 } };
    const answer = await world.post(`${JOBS}?fieldValidation=Warn`, odd);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('warning')).toBe('299 - "unknown field \\"spec.na?ve\\\\\\"\\""');
    expect(
      (await world.post(`${JOBS}?fieldValidation=Ignore`, { ...odd, metadata: { name: 'b' } })).headers.get('warning'),
    ).toBeNull();
  });
});

describe('status is rendered from the board', () => {
  const statusOf = async (world: Awaited<ReturnType<typeof aWorld>>) =>
    ((await (await world.get(`${JOBS}/sums`)).json()) as { status: unknown }).status;
  const started = async (spec = {}) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums', spec));
    return world;
  };

  test('running, over a stored chunk and a journal', async () => {
    const world = await started({ completions: 6, parallelism: 6 });
    await world.commit(
      'sums',
      [0, 1, 2, 3, 4].map((index) => ({ op: 'claim', index })),
      { startTime: START },
    );
    await world.commit(
      'sums',
      [0, 1, 2, 4].map((index) => ({ op: 'running', index })),
      { fold: true },
    );
    await world.commit(
      'sums',
      [0, 1, 2, 4].map((index) =>
        index === 4 ? { op: 'failed', index, notBefore: null } : { op: 'succeeded', index },
      ),
      { failed: 1 },
    );
    await world.commit('sums', [{ op: 'running', index: 3 }]);
    expect(await statusOf(world)).toEqual({
      active: 1,
      ready: 1,
      terminating: 0,
      succeeded: 3,
      failed: 1,
      completedIndexes: '0-2',
      startTime: T0,
      uncountedTerminatedPods: {},
    });
  });

  test('what is being stopped is terminating', async () => {
    const world = await started({ parallelism: 3 });
    await world.commit(
      'sums',
      [0, 1, 2]
        .map((index) => ({ op: 'running' as const, index }))
        .flatMap((s) => [{ op: 'claim' as const, index: s.index }, s]),
    );
    await world.commit('sums', [{ op: 'stopping', index: 2 }]);
    expect(await statusOf(world)).toMatchObject({ active: 2, ready: 2, terminating: 1 });
    await world.commit('sums', [], { phase: { kind: 'suspended', since: plusMs(START, 5000) } });
    const suspended = await statusOf(world);
    expect(suspended).toMatchObject({ ready: 0, terminating: 3 });
    expect(suspended).not.toHaveProperty('active');
    expect(suspended).toHaveProperty('conditions', [
      {
        type: 'Suspended',
        status: 'True',
        reason: 'JobSuspended',
        message: 'Job suspended',
        lastProbeTime: '2023-11-14T22:13:25Z',
        lastTransitionTime: '2023-11-14T22:13:25Z',
      },
    ]);
    await world.commit('sums', [], { phase: { kind: 'running' }, resumedAt: plusMs(START, 9000) });
    expect(await statusOf(world)).toHaveProperty('conditions', [
      expect.objectContaining({ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }),
    ]);
  });

  const conditions = async (world: Awaited<ReturnType<typeof aWorld>>) =>
    (
      (await statusOf(world)) as {
        conditions: { type: string; status: string; reason: string; message: string; lastTransitionTime: string }[];
      }
    ).conditions.map((c) => [c.type, c.status, c.reason, c.message, c.lastTransitionTime].join(' | '));

  test('complete: both conditions in order, all indexes, without reading the board', async () => {
    const world = await started();
    await world.commit(
      'sums',
      [0, 1, 2, 3].flatMap((index) => [
        { op: 'claim' as const, index },
        { op: 'succeeded' as const, index },
      ]),
    );
    const verdict = {
      kind: 'complete',
      reason: 'CompletionsReached',
      message: 'Reached expected number of succeeded pods',
      decidedBy: null,
    } as const;
    await world.commit('sums', [], {
      phase: { kind: 'finished', verdict, since: START, at: plusMs(START, 1000) },
      startTime: START,
    });
    expect(await conditions(world)).toEqual([
      'SuccessCriteriaMet | True | CompletionsReached | Reached expected number of succeeded pods | 2023-11-14T22:13:20Z',
      'Complete | True | CompletionsReached | Reached expected number of succeeded pods | 2023-11-14T22:13:21Z',
    ]);
    expect(await statusOf(world)).toMatchObject({
      succeeded: 4,
      completedIndexes: '0-3',
      completionTime: '2023-11-14T22:13:21Z',
    });
  });

  test('made larger: indexes that no pass has put on the board are in no state', async () => {
    const world = await aWorld();
    await world.post(
      JOBS,
      manifest('sums', {
        completionMode: 'Indexed',
        completions: 2,
        parallelism: 2,
        backoffLimitPerIndex: 0,
      }),
    );
    await world.commit('sums', [
      { op: 'claim', index: 0 },
      { op: 'succeeded', index: 0 },
      { op: 'claim', index: 1 },
      { op: 'succeeded', index: 1 },
    ]);
    const patched = await world.app.request(`${JOBS}/sums`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ spec: { completions: 10, parallelism: 10 } }),
    });
    const status = { succeeded: 2, completedIndexes: '0,1', failedIndexes: '' };
    expect(await patched.json()).toMatchObject({ spec: { completions: 10 }, status });
    expect(await statusOf(world)).toMatchObject(status);
  });

  test('failed: the interim condition while tasks stop, the terminal one after', async () => {
    const world = await started();
    const verdict = {
      kind: 'failed',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
      decidedBy: null,
    } as const;
    await world.commit('sums', [{ op: 'claim', index: 0 }], {
      phase: { kind: 'draining', verdict, since: START },
      failed: 7,
    });
    expect(await conditions(world)).toEqual([
      'FailureTarget | True | BackoffLimitExceeded | Job has reached the specified backoff limit | 2023-11-14T22:13:20Z',
    ]);
    expect(await statusOf(world)).toMatchObject({ failed: 7, terminating: 1 });
    await world.commit('sums', [{ op: 'released', index: 0 }], {
      phase: { kind: 'finished', verdict, since: START, at: plusMs(START, 2000) },
    });
    expect((await conditions(world)).map((c) => c.split(' | ')[0])).toEqual(['FailureTarget', 'Failed']);
    expect(await statusOf(world)).not.toHaveProperty('completionTime');
  });

  const SHOWN_BY: readonly (readonly [string, string])[] = [
    ['a GET', `${JOBS}/sums`],
    ['a list', JOBS],
    ['its progress', '/muster/v1/namespaces/default/jobs/sums/progress'],
  ];
  test.each(SHOWN_BY)('is not shown as over by %s before its Pods are shown as ended', async (_, path) => {
    const world = await started();
    await world.commit('sums', [{ op: 'claim', index: 0 }]);
    const verdict = { kind: 'failed', reason: 'DeadlineExceeded', message: 'too late', decidedBy: null } as const;
    await world.record('sums', 0, 1, DONE);
    await world.commit('sums', [{ op: 'succeeded', index: 0 }], {
      phase: { kind: 'finished', verdict, since: START, at: START },
      silent: true,
    });
    const podPhases = async () => {
      const pods = await (await world.get('/api/v1/namespaces/default/pods')).json();
      return (pods as { items: { status: { phase: string } }[] }).items.map(({ status }) => status.phase);
    };
    expect(await podPhases()).not.toContain('Succeeded');
    expect(await (await world.get(path)).text()).toContain('DeadlineExceeded');
    expect(await podPhases()).toEqual(['Succeeded']);
  });

  test('a chunk that is newer than STATUS is read again', async () => {
    const world = await started();
    await world.commit(
      'sums',
      [
        { op: 'claim', index: 0 },
        { op: 'succeeded', index: 0 },
      ],
      { fold: true },
    );
    const readChunks = world.jobs.readChunks.bind(world.jobs);
    let torn = true;
    world.jobs.readChunks = async (uid, nos) => {
      if (torn) {
        torn = false; // a pass commits between the reads of STATUS and of the chunk
        await world.commit(
          'sums',
          [
            { op: 'claim', index: 2 },
            { op: 'succeeded', index: 2 },
          ],
          { fold: true },
        );
      }
      return readChunks(uid, nos);
    };
    expect(await statusOf(world)).toMatchObject({ succeeded: 2, completedIndexes: '0,2' });
  });
});

describe('list', () => {
  const three = async () => {
    const world = await aWorld();
    await openNamespace(world.objects, 'other', START);
    for (const name of ['a', 'b', 'c'])
      await world.post(JOBS, manifest(name, {}, { metadata: { name, labels: { app: name } } }));
    await world.post('/apis/batch/v1/namespaces/other/jobs', manifest('a'));
    return world;
  };
  const names = async (response: Response | Promise<Response>) => {
    const list = (await (await response).json()) as { items: { metadata: { namespace: string; name: string } }[] };
    return list.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  };

  test.each([
    ['', ['default/a', 'default/b', 'default/c']],
    ['?labelSelector=app%3Db', ['default/b']],
    ['?labelSelector=app%20in%20(a,c)', ['default/a', 'default/c']],
    ['?labelSelector=app!%3Da', ['default/b', 'default/c']],
    ['?labelSelector=app,!x', ['default/a', 'default/b', 'default/c']],
    ['?labelSelector=app%20notin%20(a,b)', ['default/c']],
    ['?fieldSelector=metadata.name%3Dc', ['default/c']],
    ['?fieldSelector=metadata.name!%3Dc', ['default/a', 'default/b']],
    ['?fieldSelector=metadata.name%3Dnone', []],
  ])('%s', async (query, expected) => {
    const world = await three();
    expect(await names(world.get(JOBS + query))).toEqual(expected);
  });

  test('all namespaces', async () => {
    const world = await three();
    expect(await names(world.get('/apis/batch/v1/jobs'))).toEqual(['default/a', 'default/b', 'default/c', 'other/a']);
    const selected = '/apis/batch/v1/jobs?fieldSelector=metadata.namespace%3Dother';
    expect(await names(world.get(selected))).toEqual(['other/a']);
    expect(await names(world.get('/apis/batch/v1/namespaces/nowhere/jobs'))).toEqual([]);
  });

  test('page by page, in the version of the first page', async () => {
    const world = await three();
    const seen: string[] = [];
    let token = '';
    for (let page = 0; page < 10; page++) {
      const list = (await (await world.get(`/apis/batch/v1/jobs?limit=1&continue=${token}`)).json()) as {
        metadata: { resourceVersion: string; continue?: string };
        items: { metadata: { name: string } }[];
      };
      expect(list.metadata.resourceVersion).toBe('4');
      seen.push(...list.items.map(({ metadata }) => metadata.name));
      if (page === 0) await world.post(JOBS, manifest('d'));
      if (page === 1) await world.app.request(`${JOBS}/c`, { method: 'DELETE' });
      token = list.metadata.continue ?? '';
      if (token === '') break;
    }
    expect(seen).toEqual(['a', 'b', 'd', 'a']);
  });
});

describe('delete', () => {
  const gone = async (query: string, body?: unknown) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const answer = await world.app.request(`${JOBS}/sums${query}`, {
      method: 'DELETE',
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { answer, left: (await world.get(`${JOBS}/sums`)).status };
  };

  test.each<[string, unknown]>([
    ['', undefined],
    ['', { propagationPolicy: 'Background' }],
    ['', { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground', gracePeriodSeconds: 1 }],
    ['?propagationPolicy=Foreground', undefined],
    ['', { preconditions: { uid: '00000001-0000-4000-8000-000000000000' } }],
    ['', { preconditions: { resourceVersion: '1' } }],
  ])('%s %j', async (query, body) => {
    const { answer, left } = await gone(query, body);
    expect([answer.status, left]).toEqual([200, 404]);
    expect(await answer.json()).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'sums', group: 'batch', kind: 'jobs', uid: '00000001-0000-4000-8000-000000000000' },
    });
  });

  test.each<[string, unknown, number, string]>([
    ['', { propagationPolicy: 'Orphan' }, 400, 'propagationPolicy: "Orphan" is not supported'],
    ['?orphanDependents=true', undefined, 400, 'propagationPolicy: "Orphan" is not supported'],
    ['', { propagationPolicy: 'None' }, 400, 'propagationPolicy: Unsupported value: "None"'],
    ['', { propagationPolice: 'Background' }, 400, 'the body is no DeleteOptions'],
    [
      '',
      { preconditions: { uid: 'x' } },
      409,
      'Operation cannot be fulfilled on jobs.batch "sums": Precondition failed: UID in precondition: x, UID in object meta:',
    ],
    [
      '',
      { preconditions: { resourceVersion: '7' } },
      409,
      'Precondition failed: ResourceVersion in precondition: 7, ResourceVersion in object meta: 1',
    ],
    ['?dryRun=Some', undefined, 400, 'dryRun: supported values: "All"'],
  ])('refused: %s %j', async (query, body, code, message) => {
    const { answer, left } = await gone(query, body);
    expect([answer.status, left]).toEqual([code, 200]);
    expect(((await answer.json()) as { message: string }).message).toContain(message);
  });

  test('dryRun deletes nothing', async () => {
    expect((await gone('?dryRun=All')).left).toBe(200);
  });

  test('the name is free at once, and the new Job is another', async () => {
    const world = await aWorld();
    const uids = [];
    for (let i = 0; i < 2; i++) {
      uids.push(
        ((await (await world.post(JOBS, manifest('sums'))).json()) as { metadata: { uid: string } }).metadata.uid,
      );
      await world.app.request(`${JOBS}/sums`, { method: 'DELETE' });
    }
    expect(new Set(uids).size).toBe(2);
  });
});
