import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from '../e2e/kube-calls.ts';
import { MERGE, aNamespace } from './a-namespace.ts';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const CronJobSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  status: z.looseObject({ lastScheduleTime: z.string().optional() }).default({}),
});

const aCronJob = (name: string, spec: object): object => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, labels: { 'special-label': 'api' } },
  spec: {
    concurrencyPolicy: 'Allow',
    ...spec,
    jobTemplate: {
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 1,
        template: {
          spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c', image: 'busybox', command: ['/bin/true'] }] },
        },
      },
    },
  },
});

test('a CronJob with a time zone that nobody knows is refused', { timeout: TEST_MS }, async () => {
  const ns = await aNamespace(local.runtime.url, 'zone');
  const path = `/apis/batch/v1/namespaces/${ns.name}/cronjobs`;
  const refused = await ns.tryTo(
    'POST',
    path,
    aCronJob('zoned', { schedule: '*/1 * * * ?', timeZone: 'bad-time-zone' }),
  );
  expect(refused.status).toBe(422);
  expect(JSON.parse(refused.text)).toMatchObject({ reason: 'Invalid' });
});

test('a CronJob has every operation of the API, and its status has three', { timeout: TEST_MS }, async () => {
  const ns = await aNamespace(local.runtime.url, 'operations');
  const path = `/apis/batch/v1/namespaces/${ns.name}/cronjobs`;
  const selector = 'labelSelector=special-label%3Dapi';
  const call = async (method: string, at: string, body?: object, type?: string) =>
    CronJobSchema.parse(JSON.parse(await ns.ask(method, at, body, type)));
  const list = async (at: string) =>
    z
      .object({ metadata: z.object({ resourceVersion: z.string() }), items: z.array(CronJobSchema) })
      .parse(JSON.parse(await ns.ask('GET', `${at}?${selector}`)));
  const spec = { schedule: '* */1 * * ?', successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 };

  const created = await call('POST', path, aCronJob('test-api', spec));
  expect((await call('GET', `${path}/test-api`)).metadata.uid).toBe(created.metadata.uid);
  const listed = await list(path);
  expect(listed.items).toHaveLength(1);
  expect((await list('/apis/batch/v1/cronjobs')).items).toHaveLength(1);

  const query = `watch=1&${selector}&resourceVersion=${listed.metadata.resourceVersion}`;
  const watches = [await ns.watch(`${path}?${query}`), await ns.watch(`/apis/batch/v1/cronjobs?${query}`)];
  const annotation = { metadata: { annotations: { patched: 'true' } } };
  expect((await call('PATCH', `${path}/test-api`, annotation, MERGE)).metadata.annotations).toEqual({
    patched: 'true',
  });
  const read = await call('GET', `${path}/test-api`);
  const metadata = { ...read.metadata, annotations: { ...read.metadata.annotations, updated: 'true' } };
  const updated = await call('PUT', `${path}/test-api`, { ...read, metadata });
  expect(updated.metadata.annotations).toEqual({ patched: 'true', updated: 'true' });
  for (const watch of watches) {
    const { type } = await watch.until(({ object }) => object.metadata.annotations['patched'] === 'true');
    expect(type).toBe('MODIFIED');
    await watch.stop();
  }

  const first = { lastScheduleTime: '2026-11-22T10:00:00Z' };
  const noted = { metadata: { annotations: { patchedstatus: 'true' } }, status: first };
  const patched = await call('PATCH', `${path}/test-api/status`, noted, MERGE);
  expect([patched.status, patched.metadata.annotations['patchedstatus']]).toEqual([first, 'true']);
  const second = { lastScheduleTime: '2026-11-22T10:01:00Z' };
  expect((await call('PUT', `${path}/test-api/status`, { ...patched, status: second })).status).toEqual(second);
  expect((await call('GET', `${path}/test-api/status`)).metadata.uid).toBe(created.metadata.uid);

  await call('POST', path, aCronJob('for-removal', spec));
  await ns.ask('DELETE', `${path}/for-removal`);
  expect((await ns.tryTo('GET', `${path}/for-removal`)).status).toBe(404);
  await ns.ask('DELETE', `${path}?${selector}`);
  expect((await list(path)).items).toEqual([]);
});
