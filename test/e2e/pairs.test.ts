import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { play } from '../../shared/capabilities/simulate/test/a-simulation.ts';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { JOBS, PATIENCE_MS, TEST_MS, eventually, indexed, linesOf, shellJob } from './kube-calls.ts';

// The same Job twice: with real processes on the embedded runtime, and simulated in virtual time. All pairs share one
// runtime and go on at once, so that back-offs of 10 s are waited for together. What decides an outcome never depends on
// which of two processes is faster: a process that must not end sleeps until it is stopped.

type Pair = {
  readonly spec: object;
  readonly pod?: object;
  /** What an attempt does, in a folder of the Job's own, where `i` is its index. */
  readonly sh: string;
  /** The same for the simulation. */
  readonly attempts: readonly object[];
  /** What both must come to: two may agree and be wrong. */
  readonly comes: { readonly to: string } & Readonly<Record<string, unknown>>;
};

const SLEEP = 'exec sleep 600';
const NEVER = { end: 'never' };
/** One rule of a podFailurePolicy, about exit code 42. */
const on42 = (action: string) => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }] },
});
const onFailure = { restartPolicy: 'OnFailure' };

const PAIRS: Readonly<Record<string, Pair>> = {
  'back-off-limit': {
    spec: { ...indexed(3, 3), backoffLimit: 1 },
    sh: `[ $i = 1 ] && exit 3; ${SLEEP}`,
    attempts: [{ index: 1, exitCode: 3 }, NEVER],
    comes: { to: 'Failed BackoffLimitExceeded', failed: 4 },
  },
  'limit-per-index': {
    spec: { ...indexed(4, 4), backoffLimitPerIndex: 1 },
    sh: '[ $i = 1 ] && exit 3; [ $i = 3 ] && [ $MUSTER_ATTEMPT = 1 ] && exit 4; exit 0',
    attempts: [
      { index: 1, exitCode: 3 },
      { index: 3, attempt: 0, exitCode: 4 },
    ],
    comes: { to: 'Failed FailedIndexes', succeeded: 3, failed: 3, completedIndexes: '0,2,3', failedIndexes: '1' },
  },
  'max-failed-indexes': {
    spec: { ...indexed(4, 4), backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
    sh: `[ $i -lt 2 ] && exit 3; ${SLEEP}`,
    attempts: [{ index: '0,1', exitCode: 3 }, NEVER],
    comes: { to: 'Failed MaxFailedIndexesExceeded', failed: 4, failedIndexes: '0,1' },
  },
  'fail-job': {
    spec: { ...indexed(2, 2), ...on42('FailJob') },
    sh: `[ $i = 1 ] && exit 42; ${SLEEP}`,
    attempts: [{ index: 1, exitCode: 42 }, NEVER],
    comes: { to: 'Failed PodFailurePolicy', failed: 2 },
  },
  'fail-index': {
    spec: { ...indexed(3, 3), backoffLimitPerIndex: 3, ...on42('FailIndex') },
    sh: '[ $i = 1 ] && exit 42; exit 0',
    attempts: [{ index: 1, exitCode: 42 }],
    comes: { to: 'Failed FailedIndexes', succeeded: 2, failed: 1, completedIndexes: '0,2', failedIndexes: '1' },
  },
  ignore: {
    spec: { ...indexed(2, 2), backoffLimit: 0, ...on42('Ignore') },
    sh: '[ $i = 1 ] && [ $MUSTER_ATTEMPT = 1 ] && exit 42; exit 0',
    attempts: [{ index: 1, attempt: 0, exitCode: 42 }],
    comes: { to: 'Complete CompletionsReached', succeeded: 2, completedIndexes: '0,1' },
  },
  'success-by-list': {
    spec: { ...indexed(3, 3), successPolicy: { rules: [{ succeededIndexes: '1' }] } },
    sh: `[ $i = 1 ] && exit 0; ${SLEEP}`,
    attempts: [{ index: 1 }, NEVER],
    comes: { to: 'Complete SuccessPolicy', succeeded: 1, completedIndexes: '1' },
  },
  'success-by-count': {
    spec: { ...indexed(3, 3), successPolicy: { rules: [{ succeededIndexes: '1' }, { succeededCount: 2 }] } },
    sh: `[ $i = 1 ] || exit 0; ${SLEEP}`,
    attempts: [{ index: '0,2' }, NEVER],
    comes: { to: 'Complete SuccessPolicy', succeeded: 2, completedIndexes: '0,2' },
  },
  'restarts-and-recovers': {
    spec: indexed(2, 2),
    pod: onFailure,
    sh: '[ $i = 0 ] && exit 0; [ $MUSTER_ATTEMPT = 3 ]',
    attempts: [{ index: 1, attempt: '0-1', exitCode: 1 }],
    comes: { to: 'Complete CompletionsReached', succeeded: 2, completedIndexes: '0,1' },
  },
  'restarts-too-often': {
    spec: { ...indexed(2, 2), backoffLimit: 2 },
    pod: onFailure,
    sh: `[ $i = 1 ] && exit 3; ${SLEEP}`,
    attempts: [{ index: 1, exitCode: 3 }, NEVER],
    comes: { to: 'Failed BackoffLimitExceeded', failed: 2 },
  },
  // The process that comes first fails; the other waits for its replacement, so that both succeed.
  'work-queue': {
    spec: { parallelism: 2 },
    sh: 'mkdir first 2>/dev/null && exit 3; echo x >> here; until [ $(wc -l < here) = 2 ]; do sleep 0.1; done',
    attempts: [
      { index: 0, attempt: 0, exitCode: 3 },
      { index: 1, run: '30s' },
    ],
    comes: { to: 'Complete CompletionsReached', succeeded: 2, failed: 1 },
  },
  'three-of-a-kind': {
    spec: { completions: 3, parallelism: 2 },
    sh: 'mkdir first 2>/dev/null && exit 3; exit 0',
    attempts: [{ index: 0, attempt: 0, exitCode: 3 }],
    comes: { to: 'Complete CompletionsReached', succeeded: 3, failed: 1 },
  },
  deadline: {
    spec: { ...indexed(2, 2), activeDeadlineSeconds: 2 },
    sh: SLEEP,
    attempts: [NEVER],
    comes: { to: 'Failed DeadlineExceeded', failed: 2 },
  },
};

const ASLEEP = 'asleep';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
  await local.kube.create(asleep);
  for (const [name, pair] of Object.entries(PAIRS)) await create(name, pair);
}, PATIENCE_MS);
afterAll(async () => local.close());

const asleep = shellJob(ASLEEP, 'echo x >> asleep', { ...indexed(3, 3), suspend: true });

test('a Job is gone when its time to live is over, and its last status is the simulated one', {
  timeout: TEST_MS,
}, async () => {
  const name = 'time-to-live';
  const pair: Pair = {
    spec: { ...indexed(1, 1), ttlSecondsAfterFinished: 3 },
    sh: 'exit 0',
    attempts: [],
    comes: { to: 'Complete CompletionsReached', succeeded: 1, completedIndexes: '0' },
  };
  await create(name, pair);
  let last: Status | null = null;
  await eventually(
    async () => {
      const seen = await statusOf(name);
      if (seen !== null && isFinished(seen)) last = seen;
      return seen === null ? 'gone' : null;
    },
    () => `the Job is still ${JSON.stringify(last)}`,
  );
  const simulated = await simulatedStatus(name, pair);
  // On a machine that stood still for all of those seconds nobody has seen how it ended.
  expect(settled(last ?? simulated, name)).toEqual(settled(simulated, name));
});

describe('a Job ends as it was simulated', { timeout: TEST_MS }, () => {
  test.each(Object.entries(PAIRS))('%s', async (name, pair) => {
    let real: Status | null = null;
    await eventually(
      async () => {
        real = await statusOf(name);
        return real !== null && isFinished(real) ? true : null;
      },
      () => `Job ${name} is ${JSON.stringify(real)}`,
    );
    const simulated = await simulatedStatus(name, pair);
    expect(settled(real, name)).toEqual(settled(simulated, name));
  });
});

test('a suspended Job stays Suspended, with nothing of it started', { timeout: TEST_MS }, async () => {
  const { report, end } = await play(asleep);
  expect(end).toMatchObject({ kind: 'endless' });
  // Created before all others, which have ended by now.
  expect(settled(await statusOf(ASLEEP), ASLEEP)).toEqual(settled(report.final, ASLEEP));
  expect(linesOf(local.workspaceDir, 'asleep')).toEqual([]);
});

// --- both sides

const documentOf = (name: string, { sh, spec, pod = {} }: Pair): object =>
  shellJob(name, `cd ${name}; i=$JOB_COMPLETION_INDEX; ${sh}`, spec, pod);

async function create(name: string, pair: Pair): Promise<void> {
  mkdirSync(join(local.workspaceDir, name));
  await local.kube.create(documentOf(name, pair));
}

/** The status that the simulation ends with, which is as the pair says. */
async function simulatedStatus(name: string, pair: Pair): Promise<Status> {
  const { report } = await play(documentOf(name, pair), { attempts: pair.attempts });
  const { conditions = [], succeeded, failed, completedIndexes, failedIndexes } = report.final;
  const { type = '', reason = '' } = conditions.at(-1) ?? {};
  expect({ to: `${type} ${reason}`, succeeded, failed, completedIndexes, failedIndexes }).toEqual(pair.comes);
  return report.final;
}

const StatusSchema = z.looseObject({
  conditions: z
    .array(z.object({ type: z.string(), status: z.string() }).loose())
    .readonly()
    .optional(),
});
type Status = z.output<typeof StatusSchema>;

/** The Job's status, whole, as the API shows it; null: there is no such Job. */
async function statusOf(name: string): Promise<Status | null> {
  const { status, text } = await local.kube.ask('GET', `${JOBS}/${name}`);
  if (status === 404) return null;
  return z.object({ status: StatusSchema }).parse(JSON.parse(text)).status;
}

const isFinished = ({ conditions = [] }: Status): boolean =>
  conditions.some(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'));

const TIMES = ['startTime', 'completionTime', 'lastProbeTime', 'lastTransitionTime'];

/** A status of which times say no more than that they are there, and Pods' names end in `*`. */
function settled(status: object | null, name: string): unknown {
  const text = JSON.stringify(status, (key, value: unknown) => (TIMES.includes(key) ? 'a time' : value));
  return JSON.parse(text.replaceAll(new RegExp(`(${name}-\\d+-)[a-z0-9]{5}\\b`, 'g'), '$1*'));
}
