import { expect, test } from 'vitest';
import { Config, uidOf } from '../../shared/capabilities/furiko/test/control/a-config.ts';
import { FURIKO_JOBS, aFurikoJob } from '../../shared/capabilities/furiko/test/kube/a-furiko-world.ts';
import { aQuota } from '../../shared/capabilities/quotas/test/control/a-quota.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { aWorld } from '../kube/a-world.ts';
import { MERGE, send } from '../kube/write/a-client.ts';

const ONE = { concurrency: { policy: 'Enqueue', maxConcurrency: 1 } };

test('Jobs that take turns wait for a quota, and one Event says so, however often that is tried', async () => {
  const config = await Config.begin(ONE);
  for (const name of ['a', 'b']) await config.run(name);
  await aQuota(config.handler().deps, { pods: '0' });
  await config.end('a');
  const events = async () =>
    (await config.statusOf(uidOf('b'))).events.map(({ reason, message, count }) => [reason, message, count]);
  expect(await events()).toEqual([['Suspended', 'Job suspended', 1]]);
  for (const seconds of [1, 61, 121, 181]) await config.look(seconds);
  expect(await config.letIn()).toEqual([]);
  const why = 'exceeded quota: team, requested: pods=1, used: pods=0, limited: pods=0';
  expect(await events()).toEqual([
    ['Suspended', 'Job suspended', 1],
    ['FailedResume', `Error resuming: ${why}; it is tried again each minute`, 1],
  ]);
  const key = { namespace: 'default', name: 'team' };
  const quota = await config.store.objects.read('ResourceQuota', key);
  await config.store.objects.commit('ResourceQuota', { key, was: quota!.version, document: null });
  await config.look(241);
  expect(await config.letIn()).toEqual(['b']);
});

test('a Furiko Job is limited by its own name, and its tasks get what it does not say', async () => {
  const world = await aWorld();
  const spec = { limits: [{ type: 'Container', max: { cpu: '2' } }] };
  const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'limits' }, spec };
  expect((await send(world, 'POST', '/api/v1/namespaces/default/limitranges', range)).code).toBe(201);
  const large = (cpu: string) => {
    const { pod } = templateOf(aFurikoJob('x'));
    const [main] = pod.spec.containers;
    const containers = [{ ...main, resources: { limits: { cpu } } }];
    return aFurikoJob('large', { taskTemplate: { pod: { spec: { containers } } } });
  };
  expect((await send(world, 'POST', FURIKO_JOBS, large('4'))).body.message).toBe(
    'jobs.execution.furiko.io "large" is forbidden: maximum cpu usage per Container is 2, but limit is 4',
  );
  const created = await send(world, 'POST', FURIKO_JOBS, aFurikoJob('plain'));
  expect(created.code).toBe(201);
  const labels = { metadata: { labels: { a: 'b' } } };
  expect((await send(world, 'PATCH', `${FURIKO_JOBS}/plain`, labels, MERGE)).code).toBe(200);
  const stored = await world.jobs.readSpec(asJobUid(created.body.metadata.uid));
  expect(stored?.manifest.spec.template.spec.containers[0]?.resources?.limits).toEqual({ cpu: '2' });
});

const templateOf = (furiko: ReturnType<typeof aFurikoJob>) =>
  furiko.spec.template.taskTemplate as { pod: { spec: { containers: readonly object[] } } };
