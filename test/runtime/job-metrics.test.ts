import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Deps } from '../../shared/control/process/deps.ts';
import { createJob } from '../../shared/control/lifecycle/job-changes.ts';
import { type ReconcileRequest, reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { asTaskArn } from '../../shared/domain/base/ids.ts';
import type { Fact } from '../../shared/domain/base/fact.ts';
import type { JobManifest } from '../../shared/domain/manifests/manifest.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';
import { type FlushedTelemetry, createLambdaTelemetry } from '../../shared/telemetry/lambda-telemetry.ts';
import { aJob } from '../support/a-job.ts';
import { aRuntime, anInbox } from './a-runtime.ts';
import { openNamespace } from '../support/a-namespace.ts';

const TIMESTAMP = 1_800_000_000_000;

/** What the commit of a pass takes, and so how long the pass. */
const COMMIT_MS = 12;

let printed: string[] = [];
beforeEach(() => {
  printed = [];
  vi.stubEnv('POWERTOOLS_DEV', 'true'); // the console that a test can listen to
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  vi.useFakeTimers({ now: TIMESTAMP, toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The lines that were printed since the last time, but for ours, which have no labels. */
const lines = (): readonly string[] => printed.splice(0).filter((line) => !line.includes('[["service"]]'));

/** The control code over a store in memory, whose commits take their time, with the telemetry of the functions. */
function aWorld() {
  const { runtime, pass } = aRuntime(anInbox().inbox);
  const telemetry: FlushedTelemetry = createLambdaTelemetry();
  const { jobs } = runtime.deps;
  const deps: Deps = {
    ...runtime.deps,
    telemetry,
    jobs: {
      ...jobs,
      async commitPass(...args) {
        pass(COMMIT_MS);
        return jobs.commitPass(...args);
      },
    },
  };
  /** One invocation: what it prints. */
  const invoke = async (...looks: readonly ReconcileRequest[]): Promise<readonly string[]> => {
    await reconcileBatch(looks, deps);
    telemetry.flush();
    return lines();
  };
  return { deps, invoke, pass, flush: () => telemetry.flush() };
}

/** The line of one set of labels as CloudWatch is to find it. */
function emf(labels: Readonly<Record<string, string>>, values: Readonly<Record<string, number | readonly number[]>>) {
  return JSON.stringify({
    _aws: {
      Timestamp: TIMESTAMP,
      CloudWatchMetrics: [
        {
          Namespace: 'Muster',
          Dimensions: [['service', ...Object.keys(labels)]],
          Metrics: Object.keys(values).map((Name) => ({ Name, Unit: Name.endsWith('_seconds') ? 'Seconds' : 'Count' })),
        },
      ],
    },
    service: 'muster',
    ...labels,
    ...values,
  });
}

const withSpec = (spec: StoredSpec, given: Partial<JobManifest['spec']>): StoredSpec => ({
  ...spec,
  manifest: { ...spec.manifest, spec: { ...spec.manifest.spec, ...given } },
});

const idOf = (index: number, attempt = 1) => ({
  index,
  attempt,
  nonce: 0,
  taskArn: asTaskArn(`task ${index}#${attempt}`),
});
const exited = (deps: Deps, index: number, exitCode: number, attempt = 1): Fact => {
  const at = deps.clock.now();
  const cause = exitCode === 0 ? 'Completed' : 'Error';
  return {
    ...idOf(index, attempt),
    kind: 'stopped',
    ending: { cause, exitCode, container: 'main', reason: '' },
    times: { createdAt: at, startedAt: at, stoppedAt: at },
    at,
  };
};

test('an Indexed Job from its first pass to its last: the very lines', async () => {
  const { deps, invoke, pass } = aWorld();
  const spec = withSpec(aJob({ completions: 3, parallelism: 3 }), {
    backoffLimitPerIndex: 0,
    podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [42] } }] },
  });
  const { uid } = spec.identity;
  await openNamespace(deps.objects, 'default', deps.clock.now());
  await createJob(spec, deps);

  expect(await invoke({ uid, facts: [] })).toEqual([
    emf({ reason: 'new', status: 'succeeded' }, { job_pods_creation_total: 3 }),
    emf(
      { completion_mode: 'Indexed', result: 'success', action: 'pods_created' },
      { job_syncs_total: 1, job_sync_duration_seconds: 0.012 },
    ),
  ]);

  // One succeeds, one fails in a way that the policy ignores, one fails for good.
  const facts = [exited(deps, 0, 0), exited(deps, 1, 42), exited(deps, 2, 1)];
  expect(await invoke({ uid, facts })).toEqual([
    emf({ completion_mode: 'Indexed', result: 'succeeded' }, { job_pods_finished_total: 1 }),
    emf({ completion_mode: 'Indexed', result: 'failed' }, { job_pods_finished_total: 1 }),
    emf({ action: 'Ignore' }, { pod_failures_handled_by_failure_policy_total: 1 }),
    emf({ event: 'add' }, { terminated_pods_tracking_finalizer_total: 3 }),
    emf({ event: 'delete' }, { terminated_pods_tracking_finalizer_total: 3 }),
    emf({ status: 'succeeded', backoffLimit: 'perIndex' }, { job_finished_indexes_total: 1 }),
    emf({ status: 'failed', backoffLimit: 'perIndex' }, { job_finished_indexes_total: 1 }),
    emf(
      { completion_mode: 'Indexed', result: 'success', action: 'tracking' },
      { job_syncs_total: 1, job_sync_duration_seconds: 0.012 },
    ),
  ]);

  pass(10_000); // the ignored one's back-off
  expect(await invoke({ uid, facts: [] })).toEqual([
    emf({ reason: 'recreate_failed', status: 'succeeded' }, { job_pods_creation_total: 1 }),
    emf(
      { completion_mode: 'Indexed', result: 'success', action: 'pods_created' },
      { job_syncs_total: 1, job_sync_duration_seconds: 0.012 },
    ),
  ]);

  expect(await invoke({ uid, facts: [exited(deps, 1, 0, 2)] })).toEqual([
    emf({ completion_mode: 'Indexed', result: 'succeeded' }, { job_pods_finished_total: 1 }),
    emf({ event: 'add' }, { terminated_pods_tracking_finalizer_total: 1 }),
    emf({ event: 'delete' }, { terminated_pods_tracking_finalizer_total: 1 }),
    emf({ status: 'succeeded', backoffLimit: 'perIndex' }, { job_finished_indexes_total: 1 }),
    emf({ completion_mode: 'Indexed', result: 'failed', reason: 'FailedIndexes' }, { jobs_finished_total: 1 }),
    emf(
      { completion_mode: 'Indexed', result: 'success', action: 'tracking' },
      { job_syncs_total: 1, job_sync_duration_seconds: 0.012 },
    ),
  ]);

  expect(await invoke({ uid, facts: [exited(deps, 1, 0, 2)] })).toEqual([]); // told again: the Job is over
});

test('an invocation over many Jobs prints a line for each set of labels, not for each Job', async () => {
  const { deps, invoke } = aWorld();
  await openNamespace(deps.objects, 'default', deps.clock.now());
  const looks: ReconcileRequest[] = [];
  for (let i = 0; i < 120; i++) {
    const spec = aJob({ uid: `uid-${i}`, name: `job-${i}`, completions: 1, parallelism: 1 });
    await createJob(spec, deps);
    looks.push({ uid: spec.identity.uid, facts: [] });
  }
  const [creations, first, second, ...none] = await invoke(...looks);
  expect(none).toEqual([]);
  expect(creations).toBe(emf({ reason: 'new', status: 'succeeded' }, { job_pods_creation_total: 120 }));
  const parsed = [first, second].map((line) => JSON.parse(line ?? '') as Record<string, unknown>);
  expect(parsed.map((line) => line['job_syncs_total'])).toEqual([120, undefined]);
  expect(parsed.map((line) => (line['job_sync_duration_seconds'] as number[]).length)).toEqual([99, 21]);
  for (const line of parsed) expect(line).toMatchObject({ completion_mode: 'Indexed', action: 'pods_created' });
});

test('a pass that loses the race for the commit counts nothing; one that loses every race is an error', async () => {
  const { deps, invoke, flush } = aWorld();
  await openNamespace(deps.objects, 'default', deps.clock.now());
  const spec = aJob();
  await createJob(spec, deps);
  const commitPass = deps.jobs.commitPass.bind(deps.jobs);
  let losses = 1;
  deps.jobs.commitPass = async (...args) => (losses-- > 0 ? { kind: 'lost' } : commitPass(...args));
  expect(await invoke({ uid: spec.identity.uid, facts: [] })).toEqual([
    emf({ reason: 'new', status: 'succeeded' }, { job_pods_creation_total: 2 }),
    emf(
      { completion_mode: 'Indexed', result: 'success', action: 'pods_created' },
      { job_syncs_total: 1, job_sync_duration_seconds: 0.012 },
    ),
  ]);
  flush();

  losses = 6;
  const facts = [exited(deps, 0, 0)];
  const error = { completion_mode: 'Indexed', result: 'error', action: 'reconciling' };
  expect(await invoke({ uid: spec.identity.uid, facts })).toEqual([
    emf(error, { job_syncs_total: 1, job_sync_duration_seconds: 0 }),
  ]);

  deps.jobs.commitPass = async () => Promise.reject(new Error('throttled'));
  expect(await invoke({ uid: spec.identity.uid, facts })).toEqual([
    emf(error, { job_syncs_total: 1, job_sync_duration_seconds: 0 }),
  ]);
});

test('what was committed is counted even where acting on it fails; the pass is an error', async () => {
  const { deps, invoke } = aWorld();
  await openNamespace(deps.objects, 'default', deps.clock.now());
  const spec = aJob();
  await createJob(spec, deps);
  deps.queues.dispatch = async () => Promise.reject(new Error('the queue is gone'));
  expect(await invoke({ uid: spec.identity.uid, facts: [] })).toEqual([
    emf({ reason: 'new', status: 'succeeded' }, { job_pods_creation_total: 2 }),
    emf(
      { completion_mode: 'Indexed', result: 'error', action: 'reconciling' },
      { job_syncs_total: 1, job_sync_duration_seconds: 0.012 },
    ),
  ]);
});

test("another controller's Job is counted when it is made, once, and never as a sync", async () => {
  const { deps, invoke, flush } = aWorld();
  await openNamespace(deps.objects, 'default', deps.clock.now());
  const spec = withSpec(aJob(), { managedBy: 'acme.example/jobs' });
  expect(await createJob(spec, deps)).toMatchObject({ kind: 'created' });
  const same = { ...spec, identity: aJob({ uid: 'uid-2' }).identity };
  expect(await createJob(same, deps)).toEqual({ kind: 'taken' });
  flush();
  expect(lines()).toEqual([emf({ controller_name: 'other' }, { jobs_by_external_controller_total: 1 })]);
  expect(await invoke({ uid: spec.identity.uid, facts: [] })).toEqual([]);
});
