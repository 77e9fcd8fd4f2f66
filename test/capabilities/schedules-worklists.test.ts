import { describe, expect, test } from 'vitest';
import { reconcileCron } from '../../shared/capabilities/schedules/control/reconcile-cron.ts';
import { admitCronJob } from '../../shared/capabilities/schedules/schema/cron-admission.ts';
import { WORK_LIST_ROWS } from '../../shared/capabilities/worklists/kinds/index.ts';
import { jobItemsOf } from '../../shared/domain/items/job-items.ts';
import { pathWithin } from '../../shared/domain/kinds/api-kind.ts';
import { fieldErrorText } from '../../shared/schema/object/field-error.ts';
import { aServer } from '../cli/a-server.ts';
import { aWorld } from '../kube/a-world.ts';

// A CronJob names a WorkList, which may be made anew by day.

const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';
const LISTS = pathWithin(WORK_LIST_ROWS.WorkList, 'default');
const SLOT_MS = 300_000;

test('each Job of a CronJob works on the WorkList that has the name when it is created', async () => {
  const world = await aWorld();
  const container = { name: 'main', image: 'busybox', command: ['cat', '$(FILE)'] };
  const created = await world.post(CRONS, {
    metadata: { name: 'listed' },
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        metadata: { annotations: { 'muster.run/work-list': 'files', 'muster.run/batch': '2' } },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
      },
    },
  });
  expect(created.status).toBe(201);
  const { uid } = ((await created.json()) as { metadata: { uid: string } }).metadata;
  const nextSlot = async (): Promise<void> => {
    await world.clock.sleep(SLOT_MS);
    await reconcileCron({ uid, jobs: [] }, world.deps);
  };
  const jobs = async () => {
    const page = await world.jobs.listJobs({ namespace: 'default', after: null, limit: 10 });
    return Promise.all(
      page.jobs.map(async (job) => {
        const manifest = (await world.jobs.readSpec(job.uid))!.manifest;
        const source = jobItemsOf(manifest)?.source;
        return [manifest.spec.completions, source?.kind === 'pinned' ? source.count : null];
      }),
    );
  };
  const listed = async (items: readonly string[]): Promise<void> => {
    await world.app.request(`${LISTS}/files`, { method: 'DELETE' });
    const rows = items.map((item) => [item]);
    const answer = await world.post(LISTS, {
      apiVersion: 'muster.run/v1',
      kind: 'WorkList',
      metadata: { name: 'files' },
      spec: { columns: ['FILE'], items: rows },
    });
    expect(answer.status).toBe(201);
  };

  await nextSlot();
  expect(await jobs()).toEqual([]);
  const events = (await world.crons.read(uid))?.state.events.map(({ reason, message }) => `${reason}: ${message}`);
  expect(events).toEqual([expect.stringMatching(/^FailedCreate: .*Not found: "files"/)]);

  await listed(['a', 'b', 'c']);
  await nextSlot();
  expect(await jobs()).toEqual([[2, 3]]);

  await listed(['a', 'b', 'c', 'd', 'e']);
  await nextSlot();
  expect(await jobs()).toEqual([
    [2, 3],
    [3, 5],
  ]);
});

test('its list is kept, because every Job needs it', async () => {
  const server = await aServer();
  server.file('list.txt', Array.from({ length: 10_001 }, (_, n) => `file-${n}.txt\n`).join(''));
  const line = 'run zip --image busybox --per-completion-env F=@list.txt --schedule @daily -- echo $F';
  expect((await server.run(line)).code).toBe(0);
  const { items } = (await server.json(LISTS)) as {
    items: readonly { metadata: { name: string } }[];
  };
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['zip']);
  expect(items[0]?.metadata).not.toHaveProperty('labels');
});

describe('the template of a CronJob', () => {
  const faults = (document: unknown): readonly string[] => {
    const context = { namespace: 'default', uid: 'u', nameSuffix: 'x7k2p', fieldValidation: 'Strict' } as const;
    const admission = admitCronJob(document, context);
    return admission.kind === 'invalid'
      ? admission.errors.map((f) => `${f.path}: ${fieldErrorText(f)}`)
      : [admission.kind];
  };
  const container = { name: 'hello', image: 'busybox', command: ['sh', '-c', 'date'] };
  const pod = { template: { spec: { containers: [container], restartPolicy: 'OnFailure' } } };
  const listed = (annotations: Record<string, string>, job: object = {}) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'nightly' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { metadata: { annotations }, spec: { ...pod, ...job } } },
  });
  const AT = 'spec.jobTemplate.metadata.annotations';

  test('has one work list', () => {
    expect(faults(listed({ 'muster.run/items': 'file\na.txt', 'muster.run/work-list': 'files' }))).toEqual([
      `${AT}[muster.run/work-list]: Forbidden: a Job has one work list: leave out muster.run/items`,
    ]);
  });

  test('pins no list: only the server does', () => {
    expect(faults(listed({ 'muster.run/work-list': 'files', 'muster.run/pinned-items': '{' }))).toEqual([
      expect.stringContaining(`${AT}[muster.run/pinned-items]: Invalid value: "{": unknown annotation`),
    ]);
  });

  test('names a list that is looked up when a Job is created', () => {
    for (const job of [{}, { completionMode: 'Indexed' }, { completions: 3, completionMode: 'Indexed' }])
      expect(faults(listed({ 'muster.run/work-list': 'files', 'muster.run/batch': '20' }, job))).toEqual(['ok']);
    expect(
      faults(listed({ 'muster.run/work-list': 'files' }, { maxFailedIndexes: 1, backoffLimitPerIndex: 1 })),
    ).toEqual(['ok']);
    expect(faults(listed({ 'muster.run/work-list': 'files' }, { completions: 2_000_000_000 }))).toEqual([
      expect.stringContaining('spec.jobTemplate.spec.completions'),
    ]);
  });
});
