import { expect, test } from 'vitest';
import { PODS, aWorld } from '../../../../../test/kube/a-world.ts';
import { jobDocument } from '../../../../../test/support/job-document.ts';

// Where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

test('a quota is decided when a Job is admitted', async () => {
  const world = await aWorld();
  const path = PODS.replace(/pods$/, 'resourcequotas');
  const quota = (spec: object) => ({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'team' }, spec });
  for (const spec of [
    { hard: { 'requests.storage': '1Gi' } },
    { hard: { 'limits.cpu': '1' } },
    { scopes: ['BestEffort'] },
  ])
    expect((await world.post(path, quota(spec))).status).toBe(422);
  expect((await world.post(path, quota({ hard: { pods: '2' } }))).status).toBe(201);
  const wide = jobDocument({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
  const refused = await world.post(PODS.replace('/api/v1', '/apis/batch/v1').replace(/pods$/, 'jobs'), wide);
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('exceeded quota: team, requested: pods=3, used: pods=0, limited: pods=2'),
  ]);
});

test('a LimitRange acts on the template of a Job, when it is created', async () => {
  const world = await aWorld();
  const path = PODS.replace(/pods$/, 'limitranges');
  const jobs = PODS.replace('/api/v1', '/apis/batch/v1').replace(/pods$/, 'jobs');
  const range = (limits: object) => ({
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits' },
    spec: { limits: [limits] },
  });
  for (const limits of [
    { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
    { type: 'Container', max: { gpu: '1' } },
  ])
    expect((await world.post(path, range(limits))).status).toBe(422);
  expect((await world.post(path, range({ type: 'Container', max: { cpu: '2' } }))).status).toBe(201);
  const withCpu = (cpu: string) => {
    const document = jobDocument();
    const [main] = document.spec.template.spec.containers;
    const containers = [{ ...main, resources: { limits: { cpu } } }];
    return {
      ...document,
      spec: {
        ...document.spec,
        template: { ...document.spec.template, spec: { ...document.spec.template.spec, containers } },
      },
    };
  };
  const refused = await world.post(jobs, withCpu('4'));
  expect([refused.status, await refused.text()]).toEqual([
    403,
    expect.stringContaining('is forbidden: maximum cpu usage per Container is 2, but limit is 4'),
  ]);
  const plain = await world.post(jobs, jobDocument());
  expect(await plain.json()).toMatchObject({
    spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '2' }, requests: { cpu: '2' } } }] } } },
  });
});
