import { describe, expect, it } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const BASE = '/apis/batch/v1/namespaces/default/cronjobs';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const pod = { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' };
const cronJob = (name: string, changes: { readonly metadata?: object; readonly spec?: object } = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, ...changes.metadata },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: { spec: pod } } }, ...changes.spec },
});

type Shown = {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly [field: string]: unknown;
  };
  readonly spec: { readonly [field: string]: unknown };
  readonly [field: string]: unknown;
};

async function aStage() {
  const world = await aWorld();
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await world.app.request(path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      warning: response.headers.get('warning'),
      body: text.startsWith('{') ? (JSON.parse(text) as Shown) : text,
    };
  };
  const object = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Shown> => {
    const answer = await send(method, path, body, headers);
    if (typeof answer.body === 'string') throw new Error(answer.body);
    return answer.body;
  };
  const patch = async (name: string, body: unknown, type = 'merge-patch+json', query = '') =>
    send('PATCH', `${BASE}/${name}${query}`, body, { 'content-type': `application/${type}` });
  const jobOf = async (owner: Shown, name: string) => {
    const ownerReferences = [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: owner.metadata.name, uid: owner.metadata.uid, controller: true },
    ];
    const annotations = { 'cronjob.kubernetes.io/instantiate': 'manual' };
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, annotations, ownerReferences },
      spec: { template: { spec: pod } },
    };
    expect((await send('POST', JOBS, job)).status).toBe(201);
  };
  const jobs = async () => {
    const { items } = (await object('GET', JOBS)) as unknown as { items: readonly Shown[] };
    return items.map(({ metadata }) => metadata.name);
  };
  return { ...world, send, object, patch, jobOf, jobs };
}

describe('a CronJob is created', () => {
  it('with its defaults, and without a warning', async () => {
    const { send, object } = await aStage();
    const { status, warning, body } = await send('POST', `${BASE}?fieldManager=kubectl-create`, cronJob('nightly'));
    expect(status).toBe(201);
    expect(warning).toBeNull();
    expect(body).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: {
        name: 'nightly',
        namespace: 'default',
        uid: '00000001-0000-4000-8000-000000000000',
        resourceVersion: '1',
        generation: 1,
        creationTimestamp: '2023-11-14T22:13:20Z',
        managedFields: [{ manager: 'kubectl-create', operation: 'Update' }],
      },
      spec: { concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
      status: {},
    });
    expect(await object('GET', `${BASE}/nightly`)).toEqual(body);
    expect(await object('GET', `${BASE}/nightly/status`)).toEqual(body);
  });

  it.each<[string, number, unknown, object]>([
    ['twice', 409, cronJob('there'), { reason: 'AlreadyExists', message: 'cronjobs.batch "there" already exists' }],
    [
      'with a wrong schedule',
      422,
      cronJob('new', { spec: { schedule: 'x' } }),
      {
        reason: 'Invalid',
        message:
          'CronJob.batch "new" is invalid: spec.schedule: Invalid value: "x": expected exactly 5 fields, found 1: [x]',
        details: {
          name: 'new',
          group: 'batch',
          kind: 'CronJob',
          causes: [
            {
              reason: 'FieldValueInvalid',
              message: 'Invalid value: "x": expected exactly 5 fields, found 1: [x]',
              field: 'spec.schedule',
            },
          ],
        },
      },
    ],
    ['with an unknown field', 400, cronJob('new', { spec: { schedul: 1 } }), { reason: 'BadRequest' }],
    ['broken', 400, '{', { reason: 'BadRequest' }],
    ['empty', 400, '', { reason: 'BadRequest' }],
  ])('not: %s', async (_, status, document, refusal) => {
    const { send, object } = await aStage();
    await send('POST', BASE, cronJob('there'));
    const answer = await send('POST', `${BASE}?fieldValidation=Strict`, document);
    expect(answer).toMatchObject({ status, body: { kind: 'Status', code: status, ...refusal } });
    expect(await object('GET', BASE)).toMatchObject({ items: [{ metadata: { name: 'there' } }] });
  });

  it('not if it is too large for a row, including its managed fields', async () => {
    const { send, object } = await aStage();
    const annotations = Object.fromEntries(Array.from({ length: 3_400 }, (_, n) => [String(n).padStart(60, 'a'), '']));
    const large = cronJob('large', { metadata: { annotations } });
    const tooLarge = { status: 413, body: { kind: 'Status', reason: 'RequestEntityTooLarge' } };
    expect(await send('POST', BASE, large)).toMatchObject(tooLarge);
    await send('POST', BASE, cronJob('large'));
    expect(await send('PUT', `${BASE}/large`, large)).toMatchObject(tooLarge);
    expect(await object('GET', `${BASE}/large`)).toMatchObject({ metadata: { generation: 1 } });
  });

  it('not where there is no namespace', async () => {
    const { send } = await aStage();
    const answer = await send('POST', '/apis/batch/v1/namespaces/nowhere/cronjobs', cronJob('c'));
    expect(answer).toMatchObject({ status: 404, body: { message: 'namespaces "nowhere" not found' } });
  });

  it('not really: dryRun', async () => {
    const { send } = await aStage();
    const answer = await send('POST', `${BASE}?dryRun=All`, cronJob('nightly'));
    expect(answer).toMatchObject({ status: 201, body: { metadata: { name: 'nightly' } } });
    expect((await send('GET', `${BASE}/nightly`)).status).toBe(404);
    await send('POST', BASE, cronJob('nightly'));
    expect((await send('POST', `${BASE}?dryRun=All`, cronJob('nightly'))).status).toBe(409);
    expect((await send('POST', '/apis/batch/v1/namespaces/no/cronjobs?dryRun=All', cronJob('c'))).status).toBe(404);
  });
});

describe('CronJobs are shown', () => {
  it('as a list, of a namespace and of all, by labels and by name, page by page', async () => {
    const { send, object } = await aStage();
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    for (const name of ['c', 'a', 'b']) await send('POST', BASE, cronJob(name, { metadata: { labels: { is: name } } }));
    await send('POST', '/apis/batch/v1/namespaces/other/cronjobs', cronJob('z'));
    const names = async (path: string) => {
      const { items } = (await object('GET', path)) as unknown as { items: readonly Shown[] };
      return items.map(({ metadata }) => metadata.name);
    };
    expect(await object('GET', BASE)).toMatchObject({
      kind: 'CronJobList',
      apiVersion: 'batch/v1',
      metadata: { resourceVersion: '4' },
    });
    expect(await names(BASE)).toEqual(['a', 'b', 'c']);
    expect(await names('/apis/batch/v1/cronjobs')).toEqual(['a', 'b', 'c', 'z']);
    expect(await names(`${BASE}?labelSelector=is+in+(a,c)`)).toEqual(['a', 'c']);
    expect(await names(`${BASE}?fieldSelector=metadata.name%3Db`)).toEqual(['b']);
    expect(await names('/apis/batch/v1/cronjobs?fieldSelector=metadata.namespace%3Dother')).toEqual(['z']);
    const page = (await object('GET', '/apis/batch/v1/cronjobs?limit=3')) as unknown as {
      metadata: { continue: string };
    };
    expect(await names(`/apis/batch/v1/cronjobs?limit=3&continue=${page.metadata.continue}`)).toEqual(['z']);
    expect((await send('GET', `${BASE}?fieldSelector=spec.suspend%3Dtrue`)).status).toBe(400);
    expect((await send('GET', `${BASE}?labelSelector=a%3D%3D%3Db`)).status).toBe(400);
  });

  it('as a table', async () => {
    const { send, object } = await aStage();
    await send('POST', BASE, cronJob('nightly', { spec: { timeZone: 'Europe/Berlin' } }));
    const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const cells = ['nightly', '*/5 * * * *', 'Europe/Berlin', 'False', 0, '<none>', '0s', 'main', 'busybox', '<none>'];
    expect(await object('GET', BASE, undefined, accept)).toMatchObject({ kind: 'Table', rows: [{ cells }] });
    expect(await object('GET', `${BASE}/nightly`, undefined, accept)).toMatchObject({
      kind: 'Table',
      rows: [{ cells }],
    });
  });

  it('as they change, to watches', async () => {
    const { app, send, patch } = await aStage();
    await send('POST', BASE, cronJob('a', { metadata: { labels: { is: 'a' } } }));
    await send('POST', BASE, cronJob('b'));
    await patch('a', { metadata: { labels: { is: 'b' } } });
    await send('DELETE', `${BASE}/b`);
    const events = async (query: string) => {
      const response = await app.request(`${BASE}?watch=true&timeoutSeconds=1${query}`);
      const lines = (await response.text()).split('\n').filter((line) => line !== '');
      return lines.map((line) => {
        const { type, object } = JSON.parse(line) as { type: string; object: Shown };
        return `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`;
      });
    };
    expect(await events('&resourceVersion=1')).toEqual(['ADDED b 2', 'MODIFIED a 3', 'DELETED b 4']);
    expect(await events('&resourceVersion=1&labelSelector=is%3Da')).toEqual(['DELETED a 3']);
    expect(await events('&resourceVersion=1&labelSelector=is%3Db')).toEqual(['ADDED a 3']);
    expect(await events('&resourceVersion=0')).toEqual(['ADDED a 3']);
    expect(await events('&resourceVersion=0&fieldSelector=metadata.name%3Db')).toEqual([]);
  });
});

describe('a CronJob is changed', () => {
  it('by PUT: the spec counts as a generation, the rest does not', async () => {
    const { send, object } = await aStage();
    const created = await object('POST', BASE, cronJob('nightly'));
    expect(await object('PUT', `${BASE}/nightly`, created)).toEqual(created);
    const labelled = await object('PUT', `${BASE}/nightly`, cronJob('nightly', { metadata: { labels: { a: 'b' } } }));
    expect(labelled).toMatchObject({
      metadata: {
        generation: 1,
        resourceVersion: '2',
        uid: created.metadata.uid,
        creationTimestamp: created.metadata['creationTimestamp'],
      },
    });
    const suspended = await object('PUT', `${BASE}/nightly`, cronJob('nightly', { spec: { suspend: true } }));
    expect(suspended).toMatchObject({ metadata: { generation: 2, resourceVersion: '3' }, spec: { suspend: true } });
    expect((await send('PUT', `${BASE}/nightly`, created)).status).toBe(409);
    expect((await send('PUT', `${BASE}/nightly`, cronJob('other'))).status).toBeGreaterThanOrEqual(400);
    expect((await send('PUT', `${BASE}/none`, cronJob('none'))).status).toBe(404);
    expect(await object('GET', `${BASE}/nightly`)).toEqual(suspended);
  });

  it.each([
    ['merge-patch+json', { spec: { schedule: '@daily' } }],
    ['json-patch+json', [{ op: 'replace', path: '/spec/schedule', value: '@daily' }]],
    ['strategic-merge-patch+json', { spec: { schedule: '@daily' } }],
  ])('by %s', async (type, body) => {
    const { object, patch } = await aStage();
    await object('POST', BASE, cronJob('nightly'));
    const { status, body: patched } = await patch('nightly', body, type);
    expect(status).toBe(200);
    expect(patched).toMatchObject({ metadata: { generation: 2 }, spec: { schedule: '@daily', suspend: false } });
    expect(await object('GET', `${BASE}/nightly`)).toEqual(patched);
    expect((await patch('nightly', body, type)).body).toEqual(patched);
  });

  it('container by container, where the patch says so', async () => {
    const { object, patch } = await aStage();
    await object('POST', BASE, cronJob('nightly'));
    const containers = [{ name: 'main', image: 'alpine' }];
    const { body } = await patch(
      'nightly',
      { spec: { jobTemplate: { spec: { template: { spec: { containers } } } } } },
      'strategic-merge-patch+json',
    );
    expect(body).toMatchObject({
      spec: { jobTemplate: { spec: { template: { spec: { containers, restartPolicy: 'Never' } } } } },
    });
  });

  it('by server-side apply, which creates it, and reports who owns what', async () => {
    const { patch } = await aStage();
    const apply = (schedule: string, query: string) =>
      patch('nightly', cronJob('nightly', { spec: { schedule } }), 'apply-patch+yaml', query);
    expect(await apply('@daily', '?fieldManager=a')).toMatchObject({ status: 201 });
    expect(await apply('@daily', '?fieldManager=a')).toMatchObject({
      status: 200,
      body: { metadata: { resourceVersion: '1' } },
    });
    expect(await apply('@hourly', '?fieldManager=b')).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    expect(await apply('@hourly', '?fieldManager=b&force=true')).toMatchObject({
      status: 200,
      body: { spec: { schedule: '@hourly' } },
    });
  });

  it('not to what could not be created, and then nothing is stored', async () => {
    const { object, patch } = await aStage();
    const created = await object('POST', BASE, cronJob('nightly'));
    const { status, body } = await patch('nightly', { spec: { schedule: '99 * * * *', timeZone: 'Mars' } });
    expect(status).toBe(422);
    expect(body).toMatchObject({ details: { causes: [{ field: 'spec.schedule' }, { field: 'spec.timeZone' }] } });
    expect(await object('GET', `${BASE}/nightly`)).toEqual(created);
  });
});

describe('a CronJob is deleted', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['no word about its Jobs', undefined, ['alone']],
    ['Background', { propagationPolicy: 'Background' }, ['alone']],
    ['Foreground', { propagationPolicy: 'Foreground' }, ['alone']],
    ['Orphan', { propagationPolicy: 'Orphan' }, ['alone', 'nightly-1', 'nightly-2']],
  ])('%s', async (_, body, left) => {
    const { send, object, jobOf, jobs } = await aStage();
    const owner = await object('POST', BASE, cronJob('nightly'));
    for (const name of ['nightly-1', 'nightly-2']) await jobOf(owner, name);
    await send('POST', JOBS, { metadata: { name: 'alone' }, spec: { template: { spec: pod } } });
    expect(await send('DELETE', `${BASE}/nightly`, body)).toMatchObject({
      status: 200,
      body: {
        kind: 'Status',
        status: 'Success',
        details: { name: 'nightly', group: 'batch', kind: 'cronjobs', uid: owner.metadata.uid },
      },
    });
    expect((await send('GET', `${BASE}/nightly`)).status).toBe(404);
    expect(await jobs()).toEqual(left);
    expect((await send('DELETE', `${BASE}/nightly`)).status).toBe(404);
  });

  it('only if it is the one that was meant, and not in a dry run', async () => {
    const { send, object, jobOf, jobs } = await aStage();
    const owner = await object('POST', BASE, cronJob('nightly'));
    await jobOf(owner, 'nightly-1');
    const refused = [{ preconditions: { uid: 'x' } }, { preconditions: { resourceVersion: '99' } }];
    for (const body of refused) expect((await send('DELETE', `${BASE}/nightly`, body)).status).toBe(409);
    expect((await send('DELETE', `${BASE}/nightly?dryRun=All`)).status).toBe(200);
    expect(await object('GET', `${BASE}/nightly`)).toEqual(owner);
    expect(await jobs()).toEqual(['nightly-1']);
    const preconditions = { uid: owner.metadata.uid, resourceVersion: owner.metadata.resourceVersion };
    expect((await send('DELETE', `${BASE}/nightly`, { preconditions })).status).toBe(200);
  });

  it('once its last finalizer is gone', async () => {
    const { send, object, patch, jobOf, jobs } = await aStage();
    const owner = await object('POST', BASE, cronJob('nightly', { metadata: { finalizers: ['example.com/hold'] } }));
    await jobOf(owner, 'nightly-1');
    expect(await send('DELETE', `${BASE}/nightly`)).toMatchObject({
      status: 200,
      body: { kind: 'CronJob', metadata: { deletionTimestamp: '2023-11-14T22:13:20Z', generation: 2 } },
    });
    expect(await jobs()).toEqual(['nightly-1']);
    expect(
      (await patch('nightly', { metadata: { finalizers: ['example.com/more', 'example.com/hold'] } })).status,
    ).toBe(422);
    expect((await patch('nightly', { metadata: { labels: { still: 'here' } } })).body).toMatchObject({
      metadata: { deletionTimestamp: '2023-11-14T22:13:20Z', deletionGracePeriodSeconds: 0, labels: { still: 'here' } },
    });
    expect((await patch('nightly', { metadata: { finalizers: null } })).status).toBe(200);
    expect((await send('GET', `${BASE}/nightly`)).status).toBe(404);
    expect(await jobs()).toEqual([]);
  });

  it('together with others: deletecollection', async () => {
    const { send, object } = await aStage();
    for (const name of ['a', 'b', 'c']) await send('POST', BASE, cronJob(name, { metadata: { labels: { is: name } } }));
    expect((await send('DELETE', `${BASE}?labelSelector=is!%3Db`)).status).toBe(200);
    expect(await object('GET', BASE)).toMatchObject({ items: [{ metadata: { name: 'b' } }] });
  });
});

describe('its scheduler', () => {
  it.each<[string, string, object, boolean]>([
    ['its schedule', '', { spec: { schedule: '@daily' } }, true],
    ['suspend', '', { spec: { suspend: true } }, true],
    ['its jitter', '', { metadata: { annotations: { 'muster.run/jitter-seconds': '7' } } }, true],
    ['how it catches up', '', { metadata: { annotations: { 'muster.run/catch-up': 'all' } } }, true],
    ['another annotation', '', { metadata: { annotations: { note: 'x' } } }, false],
    ['a label', '', { metadata: { labels: { note: 'x' } } }, false],
    ['its status', '/status', { status: { lastScheduleTime: '2023-11-14T22:10:00Z' } }, false],
  ])('a change of %s', async (_, path, change, isNews) => {
    const { object, patch, crons, wakeUps } = await aStage();
    const { uid } = (await object('POST', BASE, cronJob('nightly'))).metadata;
    await crons.write({ ...(await crons.read(uid))!, alarmAt: null });
    const before = wakeUps();
    expect((await patch(`nightly${path}`, change)).status).toBe(200);
    expect([(await crons.read(uid))?.alarmAt !== null, wakeUps() - before]).toEqual([isNews, isNews ? 1 : 0]);
  });
});

describe('what is no request', () => {
  it.each([
    ['POST', '/apis/batch/v1/cronjobs', 405],
    ['POST', `${BASE}/nightly`, 405],
    ['PUT', BASE, 405],
    ['DELETE', `${BASE}/nightly/status`, 405],
    ['GET', `${BASE}/nightly/scale`, 404],
    ['GET', `${BASE}/nightly`, 404],
  ])('%s %s: %d', async (method, path, status) => {
    const { send } = await aStage();
    expect(await send(method, path, method === 'GET' ? undefined : {})).toMatchObject({
      status,
      body: { kind: 'Status' },
    });
  });
});
