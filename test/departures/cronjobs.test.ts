import { expect, test } from 'vitest';
import { aWorld } from '../kube/a-world.ts';

// What becomes of CronJobs, where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

const CRONJOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const pod = { template: { spec: { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' } } };

async function aStage() {
  const { app, clock, objects } = await aWorld();
  const send = async (method: string, path: string, body?: unknown) =>
    app.request(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const names = async (path: string): Promise<readonly string[]> => {
    const list = (await (await send('GET', path)).json()) as { items: readonly { metadata: { name: string } }[] };
    return list.items.map(({ metadata }) => metadata.name);
  };
  const cronJob = async (metadata: object = {}) => {
    const spec = { schedule: '* * * * *', jobTemplate: { metadata, spec: pod } };
    return send('POST', CRONJOBS, { metadata: { name: 'nightly' }, spec });
  };
  return { send, names, cronJob, clock, objects };
}

test('a CronJob makes no Jobs yet', async () => {
  const { names, cronJob, clock } = await aStage();
  const created = await cronJob();
  expect(created.headers.get('warning')).toContain('does not run schedules yet');
  await clock.sleep(10 * 60_000);
  expect(await names(CRONJOBS)).toEqual(['nightly']);
  expect(await names(JOBS)).toEqual([]);
});

test('what none of its Jobs could have is refused with the CronJob', async () => {
  const { names, cronJob } = await aStage();
  const refused = await cronJob({ labels: { 'no label': 'x' } });
  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ details: { causes: [{ field: 'spec.jobTemplate.metadata.labels' }] } });
  expect(await names(CRONJOBS)).toEqual([]);
});

test('the Jobs of a CronJob are deleted before it is, whatever the propagation', async () => {
  for (const propagationPolicy of ['Background', 'Foreground']) {
    const { send, names, cronJob, objects } = await aStage();
    const { metadata } = (await (await cronJob()).json()) as { metadata: { uid: string } };
    const ownerReferences = [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: metadata.uid, controller: true },
    ];
    await send('POST', JOBS, { metadata: { name: 'nightly-1', ownerReferences }, spec: pod });
    expect(await names(JOBS)).toEqual(['nightly-1']);
    const deleted = await send('DELETE', `${CRONJOBS}/nightly`, { propagationPolicy });
    expect(await deleted.json()).toMatchObject({ status: 'Success' });
    expect(await names(JOBS)).toEqual([]);
    const changes = await objects.changes('CronJob', 0, 10);
    expect(changes.kind === 'rows' ? changes.rows.map(({ type }) => type) : []).toEqual([
      'ADDED',
      'MODIFIED',
      'DELETED',
    ]);
  }
});
