import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { TEST_MS, eventually } from './kube-calls.ts';

let it: ALocalRuntime;
beforeAll(async () => {
  it = await aLocalRuntime({ driver: 'simulated' });
}, TEST_MS);
afterAll(async () => it.close());

const COUNT = 200;
const names = Array.from({ length: COUNT }, (_, i) => `burst-${i}`);
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command: ['true'] }] } };
const KINDS = [
  { path: '/api/v1/namespaces', body: { apiVersion: 'v1', kind: 'Namespace' } },
  {
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    body: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template } } },
    },
  },
  {
    path: '/apis/batch/v1/namespaces/default/jobs',
    body: { apiVersion: 'batch/v1', kind: 'Job', spec: { suspend: true, template } },
  },
];

test.each(KINDS)(
  '$path: 200 are created at once, and deleted at once',
  async ({ path, body }) => {
    const ask = async (method: string, url: string, document?: object): Promise<number> =>
      (await it.kube.ask(method, url, document)).status;
    const created = await Promise.all(names.map(async (name) => ask('POST', path, { ...body, metadata: { name } })));
    expect(new Set(created)).toEqual(new Set([201]));
    const deleted = await Promise.all(names.map(async (name) => ask('DELETE', `${path}/${name}`)));
    expect(new Set(deleted)).toEqual(new Set([200]));
    let left: readonly number[] = [];
    await eventually(
      async () => {
        left = await Promise.all(names.map(async (name) => ask('GET', `${path}/${name}`)));
        return left.every((status) => status === 404) || null;
      },
      () => `GETs are answered with ${[...new Set(left)].join(', ')}`,
    );
  },
  TEST_MS,
);
