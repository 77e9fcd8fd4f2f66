import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { contextOf } from '../../local/event-source/mapping.ts';
import { sweepDeadLetters } from '../../shared/control/sweep/sweep-dead-letters.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { freshNamespace } from '../../shared/domain/manifests/namespace.ts';
import type { DeadLetter, SubmissionRefusal } from '../../shared/ports/dead-letters.ts';
import { kubeApiOf } from '../../shared/runtime/api.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { submitHandler } from '../../shared/runtime/submit-handler.ts';
import { aRuntime, anEvent, anInbox } from './a-runtime.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../fixtures/submissions/${name}.json`, import.meta.url), 'utf8');

const POD = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'alpine', command: ['true'] }] };
const cron = (name: string, jobTemplate: object = {}, annotations: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, annotations },
  spec: { schedule: '@yearly', suspend: true, jobTemplate: { spec: { template: { spec: POD } }, ...jobTemplate } },
});
const job = (name: string | undefined, more: object = {}, metadata: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...(name === undefined ? {} : { name }), ...metadata },
  spec: { template: { spec: POD }, ...more },
});

type Shown = {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly ownerReferences?: readonly object[];
  };
  readonly spec: {
    readonly completions?: number;
    readonly completionMode: string;
    readonly suspend: boolean;
    readonly template: { readonly spec: { readonly containers: readonly { readonly env?: readonly object[] }[] } };
  };
};

/** The submit function over a store in memory, and the API to look at it with. */
async function world() {
  const letters: { body: string; reason: string; refusal: SubmissionRefusal | undefined }[] = [];
  const { inbox, retried } = anInbox();
  const noting = {
    ...inbox,
    deadLetter: async (body: string, reason: string, refusal?: SubmissionRefusal) =>
      letters.push({ body, reason, refusal }) > 0,
  };
  const made = aRuntime(noting);
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const deadQueue: DeadLetter[] = [];
  const runtime: Runtime = { ...made.runtime, deps: { ...made.runtime.deps, hash } };
  const { deps } = runtime;
  await deps.objects.commit('Namespace', {
    key: { namespace: '', name: 'default' },
    was: 0,
    document: freshNamespace('default', 'ns-uid', deps.clock.now()) as never,
  });
  const app = kubeApiOf(runtime);
  const ask = async (method: string, path: string, body?: object) => {
    const response = await app.request(path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const answer: unknown = await response.json();
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer as { readonly items: readonly Shown[] } & Shown;
  };
  const path = (kind: string, name = '') => `/apis/batch/v1/namespaces/default/${kind}${name === '' ? '' : `/${name}`}`;
  let given = runtime;
  const handler = submitHandler(() => given);
  return {
    runtime,
    letters,
    retried,
    ask,
    path,
    /** With other deps for the handler from now on. */
    over: (deps2: Partial<Runtime['deps']>) => void (given = { ...runtime, deps: { ...runtime.deps, ...deps2 } }),
    jobs: async () => (await ask('GET', path('jobs'))).items,
    /** The messages that come again. */
    submit: async (bodies: readonly (string | object)[], firstId = 0) => {
      const event = anEvent(bodies.map((body) => (typeof body === 'string' ? body : JSON.stringify(body))));
      const records = event.Records.map((record, i) => ({ ...record, messageId: `m${firstId + i}` }));
      const { batchItemFailures } = await handler({ Records: records }, contextOf('submit', 30_000));
      return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    },
    events: async (namespace = 'default') => {
      for (const [i, { body, reason, refusal }] of letters.splice(0).entries())
        deadQueue.push({
          queue: 'submit',
          id: `d${i}-${deadQueue.length}`,
          body,
          reason,
          refusal,
          sentAt: asEpochMs(5),
        });
      await sweepDeadLetters(
        {
          dead: {
            take: async (queue) =>
              queue === 'submit' ? deadQueue.splice(0).map((each) => ({ ...each, receipt: '' })) : [],
            remove: async () => undefined,
          },
          deadLetters: runtime.deadLetters.deadLetters,
        },
        runtime.deps,
      );
      const { items } = await ask(
        'GET',
        `/api/v1/namespaces/${namespace}/events?fieldSelector=involvedObject.kind=Namespace`,
      );
      return items as unknown as readonly {
        readonly message: string;
        readonly count: number;
        readonly reason: string;
      }[];
    },
  };
}

let w: Awaited<ReturnType<typeof world>>;
beforeEach(async () => {
  w = await world();
});
const FROM = { kind: 'CronJob', name: 'report' };

describe('a Job of a template', () => {
  test("has the template's spec, a name of its own, and goes when the CronJob does, which does not count it", async () => {
    const { metadata } = await w.ask(
      'POST',
      w.path('cronjobs'),
      cron('report', { metadata: { labels: { team: 'a' } } }),
    );
    expect(await w.submit([{ from: FROM }])).toEqual([]);
    const [made] = await w.jobs();
    expect(made?.metadata).toMatchObject({
      name: expect.stringMatching(/^report-[a-z0-9]{12}$/) as string,
      labels: { team: 'a', 'muster.run/submitted-from': 'report' },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'report', uid: metadata.uid }],
    });
    expect(made?.spec.suspend).toBe(false);
    expect(w.letters).toEqual([]);
  });

  test('has the items and variables of the message, first and literally', async () => {
    const container = {
      ...POD.containers[0],
      env: [
        { name: 'A', value: 'old' },
        { name: 'B', value: 'see $(A)' },
      ],
    };
    const template = { spec: { ...POD, containers: [container], initContainers: [{ ...container, name: 'init' }] } };
    await w.ask(
      'POST',
      w.path('cronjobs'),
      cron('report', { spec: { completions: 7, completionMode: 'Indexed', template } }),
    );
    await w.submit([{ from: FROM, items: ['x', 'y z'], env: { A: '$(B) $5', N: 3 }, name: 'mine' }]);
    const made = await w.ask('GET', w.path('jobs', 'mine'));
    expect(made.metadata.annotations).toMatchObject({ 'muster.run/items': 'ITEM\nx\ny z\n' });
    expect(made.spec).toMatchObject({ completions: 2, completionMode: 'Indexed' });
    const env = [
      { name: 'A', value: '$$(B) $$5' },
      { name: 'N', value: '3' },
      { name: 'B', value: 'see $(A)' },
    ];
    expect(made.spec.template.spec).toMatchObject({ containers: [{ env }], initContainers: [{ env }] });
  });

  test('of a Job: without what the server made for that one, and it runs though that one is suspended', async () => {
    const old = await w.ask(
      'POST',
      w.path('jobs'),
      job('old', { suspend: true, completions: 3, completionMode: 'Indexed' }),
    );
    await w.submit([{ from: { kind: 'Job', name: 'old' }, name: 'new' }]);
    const made = await w.ask('GET', w.path('jobs', 'new'));
    expect(made.metadata.uid).not.toBe(old.metadata.uid);
    expect(made.spec).toMatchObject({ suspend: false, completions: 3 });
    expect(JSON.stringify(made)).not.toContain(old.metadata.uid);
    expect(made.metadata.ownerReferences).toBeUndefined();
  });

  test('whose list is empty is one of no indexes, where its message says that nothing to do is fine', async () => {
    const spec = { completionMode: 'Indexed', completions: 9, maxFailedIndexes: 4, backoffLimitPerIndex: 1 };
    const annotations = {
      'muster.run/items': 'cpu\n1\n2\n',
      'muster.run/batch': '2',
      'muster.run/resources-from-items': 'true',
    };
    const { completions: _nine, ...listed } = spec;
    const jobTemplate = {
      metadata: { annotations },
      spec: { ...listed, maxFailedIndexes: 1, template: { spec: POD } },
    };
    await w.ask('POST', w.path('cronjobs'), cron('report', jobTemplate));
    await w.ask('POST', w.path('cronjobs'), cron('plain', { spec: { ...spec, template: { spec: POD } } }));
    const empty = { items: [], allowEmpty: true };
    await w.submit([
      { from: FROM, name: 'listed', ...empty },
      { from: { ...FROM, name: 'plain' }, name: 'plain', ...empty },
      { from: FROM, name: 'awaited', items: [], taskToken: 'T' },
      { from: FROM, name: 'refused', items: [] },
    ]);
    const jobs = await w.jobs();
    expect(jobs.map(({ metadata }) => metadata.name).toSorted()).toEqual(['awaited', 'listed', 'plain']);
    for (const { spec: made, metadata } of jobs) {
      expect(made).toMatchObject({ completionMode: 'Indexed', completions: 0 });
      expect(made).not.toHaveProperty('maxFailedIndexes');
      expect(Object.keys(metadata.annotations ?? {})).toEqual(
        metadata.name === 'awaited' ? ['muster.run/task-token'] : [],
      );
    }
    expect(w.letters).toMatchObject([{ reason: expect.stringContaining('items: must have an item') as string }]);
  });

  test('has the token of the task that waits for it', async () => {
    await w.ask('POST', w.path('cronjobs'), cron('report'));
    await w.submit([fixture('step-functions'), { manifest: job('direct'), taskToken: 'T' }]);
    const shown = await w.jobs();
    expect(shown.map(({ metadata }) => metadata.annotations?.['muster.run/task-token'] ?? '').toSorted()).toEqual([
      expect.stringMatching(/^AQCE/),
      'T',
    ]);
    expect(shown.find(({ metadata }) => metadata.name !== 'direct')?.spec.completions).toBe(2);
  });
});

describe('once', () => {
  test.each(['sns-notification', 'eventbridge-own', 'eventbridge-transformed', 'scheduler', 'step-functions'])(
    '%s, doubled: in a batch, later, and after the Job was deleted',
    async (name) => {
      await w.ask('POST', w.path('cronjobs'), cron('report'));
      expect(await w.submit([fixture(name), fixture(name)])).toEqual([]);
      expect(await w.submit([fixture(name)], 10)).toEqual([]);
      const [made, ...others] = await w.jobs();
      expect(others).toEqual([]);
      await w.ask('DELETE', w.path('jobs', made!.metadata.name));
      expect(await w.submit([fixture(name)], 20)).toEqual([]);
      expect(await w.jobs()).toEqual([]);
      expect(w.letters).toEqual([]);
    },
  );

  test('also when the template is gone, or the name, by the time of the double', async () => {
    await w.ask('POST', w.path('cronjobs'), cron('report'));
    const message = { from: FROM, name: 'mine' };
    await w.submit([message]);
    await w.ask('DELETE', w.path('cronjobs', 'report'));
    await w.submit([message]);
    await w.ask('POST', w.path('jobs'), job('mine'));
    await w.submit([message]);
    expect(w.letters).toEqual([]);
    expect(await w.jobs()).toHaveLength(1);
  });

  test('a message that says nothing of its own: by its id in SQS', async () => {
    await w.ask('POST', w.path('cronjobs'), cron('report'));
    await w.submit([{ from: FROM }, { from: FROM }]);
    await w.submit([{ from: FROM }]);
    expect(await w.jobs()).toHaveLength(2);
  });

  test('a name that a Job of another source has is refused', async () => {
    await w.ask('POST', w.path('jobs'), job('taken'));
    const { uid } = (await w.ask('GET', w.path('jobs', 'taken'))).metadata;
    expect(await w.submit([{ manifest: job('taken') }])).toEqual([]);
    expect((await w.ask('GET', w.path('jobs', 'taken'))).metadata.uid).toBe(uid);
    expect(w.letters.map(({ reason }) => reason)).toEqual(['jobs.batch "taken" already exists']);
    await w.submit([{ manifest: job('mine') }, { manifest: job('mine') }]);
    await w.submit([{ manifest: job('mine', { parallelism: 2 }) }]);
    expect(w.letters.map(({ reason }) => reason).slice(1)).toEqual(['jobs.batch "mine" already exists']);
  });

  test('names that are generated', async () => {
    await w.submit([{ manifest: job(undefined) }, { manifest: job(undefined, {}, { generateName: 'some-' }) }]);
    const names = (await w.jobs()).map(({ metadata }) => metadata.name).toSorted();
    expect(names).toEqual([
      expect.stringMatching(/^some-[a-z0-9]{12}$/),
      expect.stringMatching(/^submitted-[a-z0-9]{12}$/),
    ]);
  });
});

describe('objects of S3', () => {
  const on = (place: string) => ({ 'muster.run/on-object-created': place });

  test('make one Job each, though S3 notifies twice and by two ways', async () => {
    await w.ask('POST', w.path('cronjobs'), cron('load', {}, on('uploads/incoming/*.csv')));
    await w.ask('POST', w.path('cronjobs'), cron('other', {}, on('uploads/outgoing/*')));
    await w.submit([fixture('s3-notification'), fixture('s3-notification'), fixture('s3-test-event')]);
    await w.submit([fixture('s3-notification'), fixture('s3-through-eventbridge')], 10);
    const [made, ...others] = await w.jobs();
    expect(others).toEqual([]);
    expect(made?.metadata.labels['muster.run/submitted-from']).toBe('load');
    expect(made?.spec.template.spec.containers[0]?.env).toEqual([
      { name: 'S3_BUCKET', value: 'uploads' },
      { name: 'S3_KEY', value: 'incoming/März 2026 + $$1.csv' },
      { name: 'S3_VERSION_ID', value: '096fKKXTRTtl3on89fVO.nfljtsv6qko' },
      { name: 'S3_SIZE', value: '1024' },
    ]);
    expect(w.letters).toEqual([]);
    await w.submit([fixture('s3-notification').replace('0055AED6DCD90281E5', '0055AED6DCD90281E6')], 20);
    expect(await w.jobs()).toHaveLength(2);
  });

  test('follow the CronJobs: made, changed, and deleted meanwhile, without reading all of them again', async () => {
    let lists = 0;
    const { objects } = w.runtime.deps;
    w.over({
      objects: {
        ...objects,
        list: async (kind, page) => {
          lists += kind === 'CronJob' ? 1 : 0;
          return objects.list(kind, page);
        },
      },
    });
    const nth = (i: number) => fixture('s3-notification').replace('0055AED6DCD90281E5', `A${i}`);
    await w.submit([nth(1)]);
    expect(w.letters).toHaveLength(1);
    expect(w.letters[0]?.reason).toBe(
      'no CronJob has the annotation muster.run/on-object-created for uploads/incoming/März 2026 + $1.csv',
    );
    await w.ask('POST', w.path('cronjobs'), cron('load', {}, on('uploads/*')));
    await w.ask('POST', w.path('cronjobs'), cron('load-too', {}, on('uploads/*')));
    await w.submit([nth(2)]);
    expect(await w.jobs()).toHaveLength(2);
    await w.ask('DELETE', w.path('cronjobs', 'load-too'));
    await w.ask('PUT', w.path('cronjobs', 'load'), cron('load'));
    await w.submit([nth(3)]);
    await w.ask('PUT', w.path('cronjobs', 'load'), cron('load', {}, on('elsewhere/*')));
    await w.submit([nth(4)]);
    expect(w.letters).toHaveLength(3);
    expect(new Set(w.letters.map(({ reason }) => reason)).size).toBe(1); // none finds a CronJob that is gone
    expect(await w.jobs()).toHaveLength(1); // the other went with its CronJob
    expect(lists).toBe(1);
  });

  test('all Jobs of an object are made, also if one is refused', async () => {
    await w.ask(
      'POST',
      w.path('cronjobs'),
      cron('a', { metadata: { annotations: { 'muster.run/work-list': 'none' } } }, on('uploads/*')),
    );
    await w.ask('POST', w.path('cronjobs'), cron('b', {}, on('uploads/*')));
    expect(await w.submit([fixture('s3-notification')])).toEqual([]);
    expect((await w.jobs()).map(({ metadata }) => metadata.labels['muster.run/submitted-from'])).toEqual(['b']);
    expect(w.letters).toHaveLength(1);
  });

  test('a pattern that is none is refused on the CronJob', async () => {
    await expect(w.ask('POST', w.path('cronjobs'), cron('load', {}, on('uploads')))).rejects.toThrow(
      /must be BUCKET\/KEY, where each \* in the key stands for any text/,
    );
  });
});

describe('a refusal', () => {
  test.each<[string, string | object, number, RegExp]>([
    ['no JSON', 'hello', 400, /^json parse error/],
    ['an unknown kind', { from: { kind: 'Pod', name: 'a' } }, 400, /from.kind: must be CronJob or Job/],
    ['a CronJob that is missing', { from: FROM }, 404, /^cronjobs.batch "report" not found$/],
    ['a Job that is missing', { from: { kind: 'Job', name: 'x' } }, 404, /^jobs.batch "x" not found$/],
    ['a namespace that is missing', { manifest: job('a'), namespace: 'typo' }, 404, /^namespaces "typo" not found$/],
    [
      'a template in a namespace that is missing',
      { from: FROM, namespace: 'typo' },
      404,
      /^namespaces "typo" not found$/,
    ],
    [
      'two namespaces',
      { manifest: job('a', {}, { namespace: 'b' }), namespace: 'default' },
      400,
      /does not match the namespace/,
    ],
    ['a field that is wrong', { manifest: job('a', { parallelism: -1 }) }, 422, /spec.parallelism: Invalid value: -1/],
    ['a field that is unknown', { manifest: job('a', { paralelism: 1 }) }, 400, /unknown field "spec.paralelism"/],
    ['another kind of object', { manifest: { apiVersion: 'v1', kind: 'Pod' } }, 400, /Pod/],
    [
      'a manifest that is too large',
      { manifest: job('a', {}, { annotations: { x: 'y'.repeat(262_144) } }) },
      413,
      /limit is 262144/,
    ],
    [
      'a WorkList that is missing',
      { manifest: job('a', {}, { annotations: { 'muster.run/work-list': 'x' } }) },
      422,
      /work-list\]: Not found: "x"/,
    ],
  ])('%s: at once, with its Status, and nothing is stored', async (_, body, code, message) => {
    expect(await w.submit([body, { manifest: job('bystander') }])).toEqual([]);
    expect((await w.jobs()).map(({ metadata }) => metadata.name)).toEqual(['bystander']);
    const [letter, ...others] = w.letters;
    expect(others).toEqual([]);
    expect(letter?.body).toBe(typeof body === 'string' ? body : JSON.stringify(body));
    expect(letter?.reason).toMatch(message);
    expect(JSON.parse(letter?.refusal?.status ?? '')).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(letter?.refusal?.namespace).toBe('default');
    const [event] = await w.events();
    expect(event).toMatchObject({
      reason: 'SubmissionRefused',
      type: 'Warning',
      count: 1,
      involvedObject: { kind: 'Namespace', name: 'default', uid: 'ns-uid', apiVersion: 'v1' },
    });
    expect(event?.message).toMatch(message);
  });

  test('equal ones are one Event, in their own namespace', async () => {
    await w.ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    await w.submit([{ from: FROM, namespace: 'team' }, { from: FROM, namespace: 'team' }, 'hello']);
    expect(await w.events('team')).toMatchObject([{ count: 2, message: 'cronjobs.batch "report" not found' }]);
    expect(await w.events('default')).toMatchObject([{ count: 1 }]);
    const { items } = await w.ask('GET', '/api/v1/events');
    expect(items).toHaveLength(2);
    const page = await w.ask('GET', '/api/v1/events?limit=1');
    const { continue: token } = page.metadata as unknown as { readonly continue: string };
    const next = await w.ask('GET', `/api/v1/events?limit=1&continue=${token}`);
    expect([...page.items, ...next.items]).toEqual(items);
    const name = items[0]!.metadata.name;
    expect((await w.ask('GET', `/api/v1/namespaces/default/events/${name}`)).metadata.name).toBe(name);
  });

  test('a namespace that is being deleted takes nothing', async () => {
    await w.ask('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    const { objects } = w.runtime.deps;
    w.over({
      objects: {
        ...objects,
        async read(kind, key) {
          const found = await objects.read(kind, key);
          if (kind !== 'Namespace' || key.name !== 'team' || found === null) return found;
          return {
            ...found,
            document: {
              ...found.document,
              status: { phase: 'Terminating' },
              metadata: { ...found.document.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
            },
          };
        },
      },
    });
    await w.submit([{ manifest: job('late'), namespace: 'team' }]);
    expect(w.letters.map(({ reason }) => reason)).toEqual([
      'jobs.batch "late" is forbidden: unable to create new content in namespace team because it is being terminated',
    ]);
  });

  test('an error of the store is none: the message comes again, and then makes its Job', async () => {
    const { jobs } = w.runtime.deps;
    w.over({ jobs: { ...jobs, createJob: async () => Promise.reject(new Error('socket hang up')) } });
    expect(await w.submit([{ manifest: job('a') }, 'hello', { manifest: job('b') }])).toEqual(['m0', 'm2']);
    expect(w.retried).toHaveLength(2);
    expect(w.letters).toHaveLength(1);
    w.over({});
    expect(await w.submit([{ manifest: job('a') }])).toEqual([]);
    expect((await w.jobs()).map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});
