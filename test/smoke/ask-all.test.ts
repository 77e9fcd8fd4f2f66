import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KubeClient, connect, jobsPath } from '../../cli/client/kube-client.ts';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { askAll } from './ask-all.ts';
import { type Ground, createJob, endOf, indexed, shellJob } from './ground.ts';
import { NotAsked } from './not-asked.ts';
import { type Askable, askable, verdict } from './question.ts';

let local: ALocalRuntime;
let client: KubeClient;
beforeAll(async () => {
  local = await aLocalRuntime();
  client = await connect({ server: local.runtime.url, namespace: 'default', token: null, file: 'a test' });
});
afterAll(async () => local.close());

const groundIn = (namespace: string, signal = new AbortController().signal, patienceMs = 600_000): Ground => ({
  client,
  apiUrl: local.runtime.url,
  namespace,
  image: 'any',
  patienceMs,
  idleMs: 0,
  ecs: null,
  signal,
});

const asking = (name: string, observe: (ground: Ground) => Promise<boolean>): Askable =>
  askable({ name, asks: '?', assumed: 'true', observe, judge: (seen) => verdict([seen], String(seen)) });

const isThere = async (namespace: string): Promise<boolean> =>
  (await local.kube.ask('GET', `/api/v1/namespaces/${namespace}`)).status === 200;

test('rows in the order of the questions, whatever comes of each; the namespace and its Jobs are gone', async () => {
  const questions = [
    asking('job', async (ground) => {
      await createJob(ground, shellJob(ground, 'job', 'exit 0', indexed(1)));
      return (await endOf(ground, 'job')).status.succeeded === 1;
    }),
    asking('other', async () => false),
    asking('throws', async () => {
      throw new Error('it broke');
    }),
    asking('unasked', async () => {
      throw new NotAsked('no right');
    }),
    asking('stays', async (ground) => {
      await createJob(ground, shellJob(ground, 'stays', 'exec sleep 900', indexed(1)));
      return true;
    }),
  ];
  const told: string[] = [];
  const { rows, left } = await askAll(
    questions,
    groundIn('smoke-all'),
    ({ name }) => told.push(name),
    () => undefined,
  );
  expect(rows.map(({ name, as, seen }) => [name, as, seen])).toEqual([
    ['job', 'assumed', 'true'],
    ['other', 'not assumed', 'false'],
    ['throws', 'not assumed', 'it broke'],
    ['unasked', 'not asked', 'no right'],
    ['stays', 'assumed', 'true'],
  ]);
  expect(told.toSorted()).toEqual(['job', 'other', 'stays', 'throws', 'unasked']);
  expect(left).toBeNull();
  expect(await isThere('smoke-all')).toBe(false);
  expect((await client.list(jobsPath(null))).items).toEqual([]);
});

test('interrupted: what is open is not asked, and the namespace is gone', async () => {
  const over = new AbortController();
  const questions = [
    asking('stays', async (ground) => {
      await createJob(ground, shellJob(ground, 'stays', 'exec sleep 900', indexed(1)));
      over.abort();
      return (await endOf(ground, 'stays')).status.succeeded === 1;
    }),
  ];
  const { rows, left } = await askAll(
    questions,
    groundIn('smoke-cut', over.signal),
    () => undefined,
    () => undefined,
  );
  expect(rows.map(({ as, seen }) => [as, seen])).toEqual([['not asked', 'interrupted']]);
  expect(left).toBeNull();
  expect(await isThere('smoke-cut')).toBe(false);
});

test('what does not come in time is a row with the Job’s state', async () => {
  const question = asking('late', async (ground) => {
    await createJob(ground, shellJob(ground, 'late', 'exec sleep 900', indexed(1)));
    return (await endOf(ground, 'late')).status.succeeded === 1;
  });
  const { rows } = await askAll(
    [question],
    groundIn('smoke-late', undefined, 1),
    () => undefined,
    () => undefined,
  );
  const [row] = rows;
  expect(row).toMatchObject({ as: 'not assumed' });
  expect(row?.seen).toMatch(/^did not come: Job late: \d active, 0 succeeded, 0 failed/);
  expect(await isThere('smoke-late')).toBe(false);
});

test('the report names a namespace that cannot be removed, and keeps its rows', async () => {
  const stuck: KubeClient = { ...client, remove: async () => Promise.reject(new Error('503')) };
  const ground = { ...groundIn('smoke-stuck'), client: stuck };
  const { rows, left } = await askAll(
    [asking('one', async () => true)],
    ground,
    () => undefined,
    () => undefined,
  );
  expect(rows).toMatchObject([{ name: 'one', as: 'assumed' }]);
  expect(left).toBe('namespace smoke-stuck may still be there: 503');
});
