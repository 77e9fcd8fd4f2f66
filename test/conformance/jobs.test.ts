import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually } from '../e2e/kube-calls.ts';
import { type ANamespace, MERGE, aNamespace, has, inPhase, isComplete, isFailed } from './a-namespace.ts';
import { PROGRAMS, aJob } from './programs.ts';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

let namespaces = 0;
const fresh = async (): Promise<ANamespace> => aNamespace(local.runtime.url, `case-${(namespaces += 1)}`);

const INDEXED = { completionMode: 'Indexed' };
const PER_INDEX = { ...INDEXED, backoffLimit: undefined };
const COMPLETIONS_REACHED = 'CompletionsReached';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const FAILURES = 'batch.kubernetes.io/job-index-failure-count';

const runs =
  (count: number) =>
  (pods: Awaited<ReturnType<ANamespace['pods']>>): boolean =>
    pods.length === count && inPhase(pods, 'Running').length === count;

const byText = (one: string, other: string): number => one.localeCompare(other);

/** What a Job that is over says of what it had. */
const NOTHING_LEFT = { active: 0, ready: 0, terminating: 0 };

describe.concurrent('Jobs', { timeout: TEST_MS }, () => {
  test('a Job completes when its Pods succeed', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'succeed', script: PROGRAMS.succeed }));
    await ns.until('succeed', isComplete(COMPLETIONS_REACHED, 4));
    expect(inPhase(await ns.pods('succeed'), 'Succeeded')).toHaveLength(4);
  });

  test('an exit code that podFailurePolicy names fails the Job early', async ({ expect }) => {
    const ns = await fresh();
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }];
    const script = PROGRAMS.failOnce('fail-job');
    await ns.create(aJob({ name: 'fail-job', script, spec: { podFailurePolicy: { rules } } }));
    expect((await ns.until('fail-job', isFailed)).failed).toBeLessThan(6);
  });

  test('a failure whose exit code podFailurePolicy ignores does not count', async ({ expect }) => {
    const ns = await fresh();
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } }];
    const spec = { ...INDEXED, parallelism: 3, completions: 3, backoffLimit: 2, podFailurePolicy: { rules } };
    await ns.create(aJob({ name: 'ignored', script: PROGRAMS.failOncePerIndex('ignored'), spec }));
    expect((await ns.until('ignored', isComplete(COMPLETIONS_REACHED, 3))).failed).toBe(0);
  });

  test('Pods that are evicted match DisruptionTarget and do not count', async ({ expect }) => {
    const ns = await fresh();
    const onPodConditions = [{ type: 'DisruptionTarget', status: 'True' }];
    const rules = [{ action: 'Ignore', onPodConditions }];
    const spec = { ...INDEXED, parallelism: 3, completions: 3, backoffLimit: 2, podFailurePolicy: { rules } };
    await ns.create(aJob({ name: 'evicted', script: PROGRAMS.neverEndOncePerIndex('evicted'), spec }));
    await ns.until('evicted', ({ ready }) => ready === 3);
    const pods = await ns.untilPods('evicted', runs(3));
    await Promise.all(
      pods.map(async ({ metadata }) => {
        const pod = `/api/v1/namespaces/${ns.name}/pods/${metadata.name}`;
        await ns.ask('POST', `${pod}/eviction`, {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: metadata.name, namespace: ns.name },
        });
        await ns.untilPods('evicted', (left) => left.every((one) => one.metadata.uid !== metadata.uid));
        expect((await ns.tryTo('GET', pod)).status).toBe(404);
      }),
    );
    expect((await ns.until('evicted', isComplete(COMPLETIONS_REACHED, 3))).failed).toBe(0);
  });

  test('a Job that is created suspended has no Pods until it is resumed', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'later', script: PROGRAMS.succeed, spec: { suspend: true } }));
    await ns.until('later', has('Suspended'));
    expect(await ns.pods('later')).toEqual([]);
    await ns.update('later', (job) => ({ ...job, spec: { ...job.spec, suspend: false } }));
    await ns.until('later', isComplete(COMPLETIONS_REACHED, 4));
  });

  test('suspending a Job deletes its Pods', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'paused', script: PROGRAMS.neverEnd, spec: { suspend: false } }));
    await ns.untilPods('paused', runs(2));
    await ns.update('paused', (job) => ({ ...job, spec: { ...job.spec, suspend: true } }));
    await ns.untilPods('paused', (pods) => pods.length === 0);
    expect(has('Suspended')(await ns.status('paused'))).toBe(true);
  });

  test('podReplacementPolicy Failed replaces a Pod only after it has ended', async ({ expect }) => {
    const ns = await fresh();
    const spec = { parallelism: 1, completions: 1, backoffLimit: 1, podReplacementPolicy: 'Failed' };
    await ns.create(aJob({ name: 'replaced', script: PROGRAMS.slowToStop, spec }));
    const [pod] = await ns.untilPods('replaced', runs(1));
    await ns.ask('DELETE', `/api/v1/namespaces/${ns.name}/pods/${pod!.metadata.name}`, { gracePeriodSeconds: 30 });
    await ns.until('replaced', ({ active, failed, terminating }) => active === 0 && failed === 0 && terminating === 1);
    const after = await ns.until('replaced', ({ active, terminating }) => active === 1 && terminating === 0);
    expect(after.failed).toBe(1);
  });

  test('an Indexed Job runs every index once, under a hostname of its own', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'indexed', script: PROGRAMS.succeed, spec: INDEXED }));
    await ns.until('indexed', isComplete(COMPLETIONS_REACHED, 4));
    const told = inPhase(await ns.pods('indexed'), 'Succeeded').map(
      ({ metadata, spec }) => `${metadata.annotations[INDEX]} ${spec.hostname}`,
    );
    expect(told.toSorted(byText)).toEqual(['0 indexed-0', '1 indexed-1', '2 indexed-2', '3 indexed-3']);
  });

  test('Pods of an Indexed Job have their index as a label', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'labeled', script: PROGRAMS.succeed, spec: INDEXED }));
    await ns.until('labeled', isComplete(COMPLETIONS_REACHED, 4));
    const labels = (await ns.pods('labeled')).map(({ metadata }) => metadata.labels[INDEX] ?? '');
    expect(labels.toSorted(byText)).toEqual(['0', '1', '2', '3']);
  });

  test('a success policy on all indexes is met when all have succeeded', async ({ expect }) => {
    const ns = await fresh();
    const spec = { ...INDEXED, completions: 2, successPolicy: { rules: [{ succeededCount: 2 }] } };
    await ns.create(aJob({ name: 'all', script: PROGRAMS.succeed, spec }));
    await ns.until('all', has('SuccessCriteriaMet', 'SuccessPolicy'));
    expect(await ns.until('all', isComplete('SuccessPolicy', 2))).toMatchObject({ ...NOTHING_LEFT, failed: 0 });
  });

  test('a success policy on one index is met while others are pending', async ({ expect }) => {
    const ns = await fresh();
    const spec = { ...INDEXED, completions: 5, successPolicy: { rules: [{ succeededIndexes: '0' }] } };
    await ns.create(aJob({ name: 'one-index', script: PROGRAMS.failOddSucceedEven, spec }));
    await ns.until('one-index', has('SuccessCriteriaMet', 'SuccessPolicy'));
    const status = await ns.until('one-index', isComplete('SuccessPolicy', 1));
    expect(status).toMatchObject({ ...NOTHING_LEFT, completedIndexes: '0' });
  });

  test('a success policy on a count is met while others are pending', async ({ expect }) => {
    const ns = await fresh();
    const successPolicy = { rules: [{ succeededCount: 1 }] };
    const spec = { ...INDEXED, completions: 5, backoffLimit: 2 ** 31 - 1, successPolicy };
    await ns.create(aJob({ name: 'a-count', script: PROGRAMS.failOddSucceedEven, spec }));
    await ns.until('a-count', has('SuccessCriteriaMet', 'SuccessPolicy'));
    const status = await ns.until('a-count', isComplete('SuccessPolicy', 1));
    expect(status).toMatchObject({ ...NOTHING_LEFT, completedIndexes: '0' });
  });

  test('backoffLimitPerIndex runs all indexes although some fail', async ({ expect }) => {
    const ns = await fresh();
    const spec = { ...PER_INDEX, backoffLimitPerIndex: 1 };
    await ns.create(aJob({ name: 'per-index', script: PROGRAMS.failOddSucceedEven, spec }));
    expect(await ns.until('per-index', isFailed)).toMatchObject({
      failedIndexes: '1,3',
      completedIndexes: '0,2',
      failed: 4,
      succeeded: 2,
    });
  });

  test('more failed indexes than maxFailedIndexes end the Job', async ({ expect }) => {
    const ns = await fresh();
    const spec = { ...PER_INDEX, parallelism: 1, backoffLimitPerIndex: 0, maxFailedIndexes: 0 };
    await ns.create(aJob({ name: 'max-failed', script: PROGRAMS.fail, spec }));
    expect(await ns.until('max-failed', isFailed)).toMatchObject({ failedIndexes: '0', failed: 1 });
  });

  test('Pods say how often their index has failed', async ({ expect }) => {
    const ns = await fresh();
    const watch = await ns.watch(`/api/v1/namespaces/${ns.name}/pods?watch=1&labelSelector=job-name%3Dcounted`);
    const spec = { ...PER_INDEX, completions: 2, backoffLimitPerIndex: 1 };
    await ns.create(aJob({ name: 'counted', script: PROGRAMS.fail, spec }));
    const status = await ns.until('counted', isFailed);
    const created = (): readonly string[] =>
      watch.events
        .filter(({ type }) => type === 'ADDED')
        .map(({ object: { metadata } }) => `${metadata.annotations[INDEX]} after ${metadata.annotations[FAILURES]}`);
    await eventually(
      () => (created().length >= 4 ? true : null),
      () => `Pods were created with ${JSON.stringify(created())}`,
    );
    await watch.stop();
    expect(created().toSorted(byText)).toEqual(['0 after 0', '0 after 1', '1 after 0', '1 after 1']);
    expect(status).toMatchObject({ failedIndexes: '0,1', failed: 4, succeeded: 0 });
    expect(status.completedIndexes ?? '').toBe('');
  });

  test('FailIndex fails an index at its first failure', async ({ expect }) => {
    const ns = await fresh();
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }];
    const spec = { ...PER_INDEX, completions: 2, backoffLimitPerIndex: 1, podFailurePolicy: { rules } };
    await ns.create(aJob({ name: 'fail-index', script: PROGRAMS.failOddSucceedEven, spec }));
    expect(await ns.until('fail-index', isFailed)).toMatchObject({
      failedIndexes: '1',
      completedIndexes: '0',
      failed: 1,
      succeeded: 1,
    });
  });

  test('deleting a Job removes its Pods', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'removed', script: PROGRAMS.neverEnd }));
    await ns.untilPods('removed', runs(2));
    await ns.ask('DELETE', `${ns.jobsPath}/removed`, { propagationPolicy: 'Background' });
    await ns.untilPods('removed', (pods) => pods.length === 0);
    expect((await ns.tryTo('GET', `${ns.jobsPath}/removed`)).status).toBe(404);
  });

  test('a Job whose Pods run can be deleted in the foreground', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'foreground', script: PROGRAMS.neverEnd }));
    await ns.untilPods('foreground', runs(2));
    await ns.ask('DELETE', `${ns.jobsPath}/foreground`, { propagationPolicy: 'Foreground' });
    const gone = async () => ((await ns.tryTo('GET', `${ns.jobsPath}/foreground`)).status === 404 ? 'gone' : null);
    expect(await eventually(gone, () => 'the Job is still there')).toBe('gone');
  });

  test('a container that fails once is restarted in its Pod', async ({ expect }) => {
    const ns = await fresh();
    const script = '[ -e "$MUSTER_VOLUME_DATA/seen" ] || { touch "$MUSTER_VOLUME_DATA/seen"; exit 1; }';
    const container = { name: 'c', image: 'busybox', command: ['sh', '-c', script] };
    const pod = {
      restartPolicy: 'OnFailure',
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    };
    await ns.create(aJob({ name: 'restarted', script, pod }));
    await ns.until('restarted', isComplete(COMPLETIONS_REACHED, 4));
    const pods = inPhase(await ns.pods('restarted'), 'Succeeded');
    expect(pods.map(({ status }) => status.containerStatuses?.[0]?.restartCount)).toEqual([1, 1, 1, 1]);
  });

  test('a Pod that fails once is replaced, and the Job completes', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'fails-once', script: PROGRAMS.failOnce('fails-once') }));
    await ns.until('fails-once', has('SuccessCriteriaMet', COMPLETIONS_REACHED));
    expect(await ns.until('fails-once', isComplete(COMPLETIONS_REACHED, 4))).toMatchObject(NOTHING_LEFT);
  });

  test('a Job that passes its deadline fails', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'deadline', script: PROGRAMS.neverEnd, spec: { activeDeadlineSeconds: 1 } }));
    await ns.until('deadline', has('FailureTarget', 'DeadlineExceeded'));
    expect(await ns.until('deadline', has('Failed', 'DeadlineExceeded'))).toMatchObject(NOTHING_LEFT);
  });

  test('a Job that passes its backoffLimit fails with one Pod more', async ({ expect }) => {
    const ns = await fresh();
    const spec = { parallelism: 1, completions: 1, backoffLimit: 1 };
    await ns.create(aJob({ name: 'back-off', script: PROGRAMS.fail, spec }));
    await ns.until('back-off', has('FailureTarget', 'BackoffLimitExceeded'));
    expect(await ns.until('back-off', has('Failed', 'BackoffLimitExceeded'))).toMatchObject(NOTHING_LEFT);
    const pods = await ns.pods('back-off');
    expect([pods.length, inPhase(pods, 'Failed').length]).toEqual([2, 2]);
  });

  test('a Job that is over is deleted after its ttlSecondsAfterFinished', async ({ expect }) => {
    const ns = await fresh();
    const job = {
      ...aJob({ name: 'ttl', script: PROGRAMS.failOnce('ttl'), spec: { backoffLimit: 2, ttlSecondsAfterFinished: 2 } }),
      metadata: { name: 'ttl', finalizers: ['example.com/held'] },
    };
    await ns.create(job);
    const { completionTime } = await ns.until('ttl', isComplete(COMPLETIONS_REACHED, 4));
    const deletedAt = await eventually(
      async () => (await ns.job('ttl')).metadata.deletionTimestamp ?? null,
      () => 'the Job is kept',
    );
    expect(Date.parse(deletedAt) - Date.parse(completionTime ?? '')).toBeGreaterThanOrEqual(2_000);
    await ns.patch('ttl', MERGE, { metadata: { finalizers: null } });
    await eventually(
      async () => ((await ns.list(ns.jobsPath)).items.length === 0 ? true : null),
      () => 'the Job is still there',
    );
  });

  test('ninety Pods that ask for CPU run at a time', async ({ expect }) => {
    const ns = await fresh();
    const resources = { requests: { cpu: '250m' } };
    const containers = [{ name: 'c', image: 'busybox', command: ['sh', '-c', PROGRAMS.succeed], resources }];
    const spec = { parallelism: 90, completions: 90, backoffLimit: 0 };
    await ns.create(aJob({ name: 'ninety', script: '', spec, pod: { containers } }));
    await ns.until('ninety', isComplete(COMPLETIONS_REACHED, 90));
    expect(inPhase(await ns.pods('ninety'), 'Succeeded')).toHaveLength(90);
  });

  test('status.ready follows the Pods when a Job is suspended and resumed', async ({ expect }) => {
    const ns = await fresh();
    await ns.create(aJob({ name: 'ready', script: PROGRAMS.neverEnd, spec: { suspend: true } }));
    expect((await ns.until('ready', ({ ready }) => ready !== undefined)).ready).toBe(0);
    const suspend = async (isSuspended: boolean) =>
      ns.update('ready', (job) => ({ ...job, spec: { ...job.spec, suspend: isSuspended } }));
    await suspend(false);
    await ns.until('ready', ({ ready }) => ready === 2);
    await suspend(true);
    await ns.until('ready', ({ ready }) => ready === 0);
  });
});
