import { expect, test } from 'vitest';
import { sweepQuotas } from '../../shared/capabilities/quotas/control/sweep-quotas.ts';
import { limitRangeDocument, quotaDocument } from '../../shared/capabilities/quotas/test/limit-documents.ts';
import { reconcileCron } from '../../shared/capabilities/schedules/control/reconcile-cron.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { aWorld } from '../kube/a-world.ts';
import { JOBS, job, send } from '../kube/write/a-client.ts';

const RANGES = '/api/v1/namespaces/default/limitranges';
const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';

const templateWith = (resources: object) => ({
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: ['true'], resources }] },
});

test('a CronJob is taken, and the Job of each slot is limited', async () => {
  const world = await aWorld();
  const limits = limitRangeDocument({ type: 'Container', max: { cpu: '2' } });
  expect((await send(world, 'POST', RANGES, limits)).code).toBe(201);
  const cron = (resources: object) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'often' },
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: templateWith(resources) } } },
  });
  const created = await send(world, 'POST', CRONS, cron({ limits: { cpu: '4' } }));
  expect(created.code).toBe(201);
  const slot = async (): Promise<void> => {
    await world.clock.sleep(300_000);
    await reconcileCron({ uid: created.body.metadata.uid, jobs: [] }, world.deps);
  };
  await slot();
  const events = await send(world, 'GET', '/api/v1/namespaces/default/events');
  expect(JSON.stringify(events.body)).toContain('maximum cpu usage per Container is 2, but limit is 4');
  await send(world, 'PUT', `${CRONS}/often`, cron({}));
  await slot();
  const { jobs } = await world.jobs.listJobs({ namespace: 'default', after: null, limit: 10 });
  const made = await world.jobs.readSpec(asJobUid(jobs[0]?.uid ?? ''));
  expect(made?.manifest.spec.template).toMatchObject({
    metadata: {
      annotations: { 'kubernetes.io/limit-ranger': expect.stringContaining('for container main') as unknown },
    },
    spec: { containers: [{ resources: { limits: { cpu: '2' } } }] },
  });
});

test('a CronJob counts as an object', async () => {
  const world = await aWorld();
  const cron = (name: string) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name },
    spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: templateWith({}) } } },
  });
  await send(world, 'POST', QUOTAS, quotaDocument({ 'count/cronjobs.batch': '1' }));
  expect((await send(world, 'POST', CRONS, cron('a'))).code).toBe(201);
  const refused = await send(world, 'POST', CRONS, cron('b'));
  expect([refused.code, refused.body.message]).toEqual([
    403,
    'cronjobs.batch "b" is forbidden: exceeded quota: team, requested: count/cronjobs.batch=1, used: count/cronjobs.batch=1, limited: count/cronjobs.batch=1',
  ]);
  expect((await send(world, 'POST', `${CRONS}?dryRun=All`, cron('b'))).code).toBe(403);
  expect((await send(world, 'GET', `${CRONS}/b`)).code).toBe(404);
  await send(world, 'DELETE', `${CRONS}/a`);
  await sweepQuotas(world.deps, 10_000);
  expect((await send(world, 'POST', CRONS, cron('b'))).code).toBe(201);
  expect((await send(world, 'POST', JOBS, job('b'))).code).toBe(201);
});
