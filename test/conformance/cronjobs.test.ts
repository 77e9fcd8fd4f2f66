import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import * as z from 'zod';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually } from '../e2e/kube-calls.ts';
import { type ANamespace, MERGE, aNamespace } from './a-namespace.ts';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const RefSchema = z.looseObject({ kind: z.string(), name: z.string(), uid: z.string() });
const CronJobSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  status: z.looseObject({ active: z.array(RefSchema).optional(), lastScheduleTime: z.string().optional() }).default({}),
});
type CronJob = z.output<typeof CronJobSchema>;

/** Every minute, with upstream's programs and limits. */
const aCronJob = (name: string, spec: object, command: readonly string[] = TRUE): object => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name, labels: { 'special-label': 'api' } },
  spec: {
    schedule: '*/1 * * * ?',
    concurrencyPolicy: 'Allow',
    ...spec,
    jobTemplate: {
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 1,
        template: {
          spec: { restartPolicy: 'OnFailure', containers: [{ name: 'c', image: 'busybox', command }] },
        },
      },
    },
  },
});
const TRUE = ['/bin/true'];
const FALSE = ['/bin/false'];
const SLEEP = ['sleep', '300'];
const FIVE_MINUTES_MS = 300_000;
/** Five minutes of watching, and a minute for what comes before. */
const LONG_MS = TEST_MS + FIVE_MINUTES_MS;

/** A namespace of its own with this CronJob. */
async function cronJobIn(namespace: string, manifest: object) {
  const ns = await aNamespace(local.runtime.url, namespace);
  const path = `/apis/batch/v1/namespaces/${ns.name}/cronjobs`;
  const { metadata } = CronJobSchema.parse(JSON.parse(await ns.ask('POST', path, manifest)));
  const read = async (): Promise<CronJob> =>
    CronJobSchema.parse(JSON.parse(await ns.ask('GET', `${path}/${metadata.name}`)));
  const active = async (): Promise<readonly string[]> => ((await read()).status.active ?? []).map(({ name }) => name);
  return {
    ns,
    path: `${path}/${metadata.name}`,
    metadata,
    read,
    active,
    untilActive: async (count: number): Promise<readonly string[]> => {
      let seen: readonly string[] = [];
      return eventually(
        async () => {
          seen = await active();
          return seen.length >= count ? seen : null;
        },
        () => `${namespace}: status.active is ${seen.join(' ')}`,
      );
    },
    jobs: async () => jobsIn(ns),
    /** The Jobs once they `hold`. */
    untilJobs: async (holds: (jobs: readonly JobState[]) => boolean): Promise<readonly JobState[]> => {
      let seen: readonly JobState[] = [];
      return eventually(
        async () => {
          seen = await jobsIn(ns);
          return holds(seen) ? seen : null;
        },
        () => `${namespace} has ${JSON.stringify(seen)}`,
      );
    },
    /** Reasons of its Events, as kubectl describe asks for them. */
    reasons: async (): Promise<readonly string[]> => {
      const { uid, name } = metadata;
      const selector = `involvedObject.kind=CronJob,involvedObject.name=${name},involvedObject.uid=${uid}`;
      const query = `fieldSelector=${encodeURIComponent(selector)}`;
      const answer = await ns.ask('GET', `/api/v1/namespaces/${ns.name}/events?${query}`);
      return EventsSchema.parse(JSON.parse(answer)).items.map(({ reason }) => reason);
    },
  };
}

const EventsSchema = z.object({ items: z.array(z.looseObject({ reason: z.string() })) });

type JobState = { readonly name: string; readonly end: string | null; readonly annotations: Record<string, string> };

async function jobsIn(ns: ANamespace): Promise<readonly JobState[]> {
  const { items } = await ns.list(ns.jobsPath);
  return items.map(({ metadata, status }) => {
    const { conditions = [] } = ConditionsSchema.parse(status);
    const end = conditions.find(({ type, status: is }) => ENDS.includes(type) && is === 'True')?.type ?? null;
    return { name: metadata.name, end, annotations: metadata.annotations };
  });
}
const ENDS = ['Complete', 'Failed'];
const ConditionsSchema = z.looseObject({
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).optional(),
});

const isActive = ({ end }: JobState): boolean => end === null;
const hasEnded = ({ end }: JobState): boolean => end !== null;

describe.concurrent('schedules, in real minutes', { timeout: LONG_MS }, () => {
  test('Allow runs Jobs concurrently', async ({ expect }) => {
    const cron = await cronJobIn('allow', aCronJob('concurrent', { concurrencyPolicy: 'Allow' }, SLEEP));
    await cron.untilActive(2);
    expect((await cron.jobs()).filter(isActive).length).toBeGreaterThanOrEqual(2);
    await cron.ns.ask('DELETE', cron.path);
  });

  test('a suspended CronJob creates no Jobs', async ({ expect }) => {
    const cron = await cronJobIn('suspended', aCronJob('suspended', { suspend: true }, SLEEP));
    const until = performance.now() + FIVE_MINUTES_MS;
    while (performance.now() < until) {
      expect(await cron.active()).toEqual([]);
      await sleep(2_000);
    }
    expect(await cron.jobs()).toEqual([]);
    await cron.ns.ask('DELETE', cron.path);
  });

  test('Forbid runs one Job at a time', async ({ expect }) => {
    // It would outlast the five minutes, and begins at a full minute.
    const cron = await cronJobIn('forbid', aCronJob('forbid', { concurrencyPolicy: 'Forbid' }, ['sleep', '100000']));
    const [first] = await cron.untilActive(1);
    const until = performance.now() + FIVE_MINUTES_MS;
    while (performance.now() < until) {
      expect(await cron.active()).toEqual([first]);
      expect((await cron.jobs()).map(({ name }) => name)).toEqual([first]);
      await sleep(2_000);
    }
    expect(await cron.reasons()).toContain('JobAlreadyActive');
    await cron.ns.ask('DELETE', cron.path);
  });

  test('Replace deletes the running Job', async ({ expect }) => {
    const cron = await cronJobIn('replace', aCronJob('replace', { concurrencyPolicy: 'Replace' }, SLEEP));
    const [first] = await cron.untilActive(1);
    expect((await cron.jobs()).filter(isActive)).toHaveLength(1);
    const jobs = await cron.untilJobs((all) => all.length > 0 && all.every(({ name }) => name !== first));
    expect(jobs.filter(isActive)).toHaveLength(1);
    await cron.ns.ask('DELETE', cron.path);
  });

  test('more than 100 missed times do not stop a CronJob', async ({ expect }) => {
    const long = Date.now() - 98 * 86_400_000;
    const lastScheduleTime = `${new Date(long).toISOString().slice(0, 19)}Z`;
    const cron = await cronJobIn('missed', aCronJob('missed', { concurrencyPolicy: 'Forbid' }, SLEEP));
    // A new object has no status, here as there; then somebody says when it was last scheduled.
    await cron.ns.ask('PATCH', `${cron.path}/status`, { status: { lastScheduleTime } }, MERGE);
    expect((await cron.read()).status.lastScheduleTime).toBe(lastScheduleTime);
    await cron.untilActive(1);
    expect((await cron.jobs()).filter(isActive)).toHaveLength(1);
    expect(await cron.reasons()).toEqual(expect.arrayContaining(['TooManyMissedTimes', 'SuccessfulCreate']));
    await cron.ns.ask('DELETE', cron.path);
  });

  test('normal running gives no warnings', async ({ expect }) => {
    const cron = await cronJobIn('normal', aCronJob('normal', {}));
    await cron.untilJobs((jobs) => jobs.length >= 2 && jobs.some(hasEnded));
    const reasons = new Set(await cron.reasons());
    expect(reasons).toContain('SuccessfulCreate');
    expect([...reasons].filter((each) => !['SuccessfulCreate', 'SawCompletedJob'].includes(each))).toEqual([]);
    await cron.ns.ask('DELETE', cron.path);
  });

  test('a Job says which scheduled time it is for', async ({ expect }) => {
    const cron = await cronJobIn('time', aCronJob('time', {}));
    const [job] = await cron.untilJobs((jobs) => jobs.length >= 1);
    const time = job?.annotations['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '';
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00(Z|[+-]\d\d:\d\d)$/);
    expect(job?.name).toBe(`time-${Date.parse(time) / 60_000}`);
    await cron.ns.ask('DELETE', cron.path);
  });

  test('a deleted Job leaves status.active', async ({ expect }) => {
    const cron = await cronJobIn('deleted', aCronJob('deleted', { concurrencyPolicy: 'Forbid' }, SLEEP));
    const [job = ''] = await cron.untilActive(1);
    await cron.ns.ask('DELETE', `${cron.ns.jobsPath}/${job}`);
    await cron.untilJobs((jobs) => jobs.every(({ name }) => name !== job));
    await eventually(
      async () => ((await cron.active()).includes(job) ? null : true),
      () => `${job} stays in status.active`,
    );
    await eventually(
      async () => ((await cron.reasons()).includes('MissingJob') ? true : null),
      () => 'there is no Event MissingJob',
    );
    expect(await cron.reasons()).not.toContain('SawCompletedJob');
    await cron.ns.ask('DELETE', cron.path);
  });

  /** How the first Job ended, and, once it is gone with its Pods, those that are left. */
  const history = async (name: string, limits: object, command: readonly string[]) => {
    const cron = await cronJobIn(name, aCronJob(name, limits, command));
    const [first] = (await cron.untilJobs((jobs) => jobs.some(hasEnded))).filter(hasEnded);
    await cron.untilJobs((jobs) => jobs.every((job) => job.name !== first?.name) && jobs.some(hasEnded));
    await eventually(
      async () => ((await cron.ns.pods(first?.name ?? '')).length === 0 ? true : null),
      () => `Pods of ${first?.name} are still there`,
    );
    const left = (await cron.jobs()).filter(hasEnded);
    await cron.ns.ask('DELETE', cron.path);
    return { first: first?.end, left: left.map((job) => job.end) };
  };

  test('the history of successes ends at its limit', async ({ expect }) => {
    const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 };
    expect(await history('successes', limits, TRUE)).toEqual({ first: 'Complete', left: ['Complete'] });
  });

  test('the history of failures ends at its limit', async ({ expect }) => {
    const limits = { successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 1 };
    expect(await history('failures', limits, FALSE)).toEqual({ first: 'Failed', left: ['Failed'] });
  });
});

test('a CronJob with a time zone that nobody knows is refused', { timeout: TEST_MS }, async ({ expect }) => {
  const ns = await aNamespace(local.runtime.url, 'zone');
  const path = `/apis/batch/v1/namespaces/${ns.name}/cronjobs`;
  const refused = await ns.tryTo('POST', path, aCronJob('zoned', { timeZone: 'bad-time-zone' }));
  expect(refused.status).toBe(422);
  expect(JSON.parse(refused.text)).toMatchObject({ reason: 'Invalid' });
});

test('a CronJob has every operation of the API, and its status has three', { timeout: TEST_MS }, async ({ expect }) => {
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
