import { beforeEach, describe, expect, test } from 'vitest';
import { POD, aSubmitWorld, fixture, job } from '../../../../../test/runtime/a-submit-world.ts';

const cron = (name: string, jobTemplate: object = {}, annotations: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, annotations },
  spec: { schedule: '@yearly', suspend: true, jobTemplate: { spec: { template: { spec: POD } }, ...jobTemplate } },
});

let w: Awaited<ReturnType<typeof aSubmitWorld>>;
beforeEach(async () => {
  w = await aSubmitWorld();
});
const FROM = { kind: 'CronJob', name: 'report' };

describe('a Job of the template of a CronJob', () => {
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
      cron(
        'a',
        {
          metadata: { annotations: { 'muster.run/rerun-of': 'none' } },
          spec: { completions: 1, completionMode: 'Indexed', template: { spec: POD } },
        },
        on('uploads/*'),
      ),
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

test.each<[string, object, RegExp]>([
  ['an unknown kind', { from: { kind: 'Pod', name: 'a' } }, /from.kind: must be CronJob or Job$/],
  [
    'a template and a manifest',
    { from: FROM, manifest: {} },
    /must have manifest \(a Job\) or from \(the CronJob or Job whose template it has\), and not both/,
  ],
  ['a CronJob that is missing', { from: FROM }, /^cronjobs.batch "report" not found$/],
])('%s is refused', async (_, body, message) => {
  await w.submit([body]);
  expect(w.letters).toMatchObject([{ reason: expect.stringMatching(message) as unknown }]);
  expect(await w.jobs()).toEqual([]);
});
