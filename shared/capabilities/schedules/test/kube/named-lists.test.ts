import { expect, test } from 'vitest';
import { reconcileCron } from '../../control/reconcile-cron.ts';
import { jobItemsOf } from '../../../../domain/items/job-items.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';

// A CronJob names a WorkList that is made anew by day.

const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';
const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';
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
