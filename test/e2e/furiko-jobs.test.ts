import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually, linesOf } from './kube-calls.ts';

// Jobs of Furiko, from what their users write to how they end, with real processes as tasks.

const JOBS = '/apis/execution.furiko.io/v1alpha1/namespaces/default/jobs';
const LATER = '2099-01-01T00:00:00Z';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

const FinishedSchema = z.object({
  result: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
});
const IndexSchema = z.object({
  state: z.string(),
  result: z.string().optional(),
  reason: z.string().optional(),
  hash: z.string(),
  createdTasks: z.number(),
});
const StatusSchema = z.object({
  phase: z.string(),
  state: z.string(),
  condition: z.looseObject({ finished: FinishedSchema.optional() }),
  createdTasks: z.number(),
  tasks: z
    .array(z.object({ retryIndex: z.number(), status: z.object({ state: z.string(), result: z.string().optional() }) }))
    .default([]),
  parallelStatus: z.object({ complete: z.boolean(), indexes: z.array(IndexSchema) }).optional(),
});
type Status = z.output<typeof StatusSchema>;

const job = (name: string, script: string, template: object, spec: object = {}): object => ({
  apiVersion: 'execution.furiko.io/v1alpha1',
  kind: 'Job',
  metadata: { name },
  spec: {
    ...spec,
    template: {
      ...template,
      taskTemplate: {
        pod: { spec: { containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', script] }] } },
      },
    },
  },
});

async function create(manifest: object): Promise<void> {
  expect(await local.kube.ask('POST', JOBS, manifest)).toMatchObject({ status: 201 });
}

async function ended(name: string): Promise<Status> {
  let seen = '';
  return eventually(
    async () => {
      seen = (await local.kube.ask('GET', `${JOBS}/${name}`)).text;
      const { status } = z.object({ status: StatusSchema }).parse(JSON.parse(seen));
      return status.state === 'Finished' ? status : null;
    },
    () => `Job ${name} is ${seen}`,
  );
}

/** Each index as `State/Result (reason)`, with how many tasks it has had. */
const indexesOf = ({ parallelStatus }: Status): readonly string[] =>
  (parallelStatus?.indexes ?? []).map(
    ({ state, result = '', reason, createdTasks }) =>
      `${createdTasks} ${state}/${result}${reason === undefined ? '' : ` (${reason})`}`,
  );

const linesIn = (file: string): readonly string[] => linesOf(local.workspaceDir, file);

/** The key `slow` runs until it is stopped; the others wait until it runs. */
const besideSlow = (name: string, rest: string): string =>
  `if [ \${task.index_key} = slow ]; then touch ${name}; exec sleep 600; fi
   while [ ! -e ${name} ]; do sleep 0.1; done; ${rest}`;

const OUT_OF_ATTEMPTS = 'RetryLimitExceeded';

// furiko.md 4.1 to 4.5: what becomes of a Job, and of its indexes.
describe.concurrent('a Job of Furiko', { timeout: TEST_MS }, () => {
  test.each<[string, string, object, string, string, readonly string[]]>([
    ['all', 'true', { withKeys: ['a', 'b'] }, 'Succeeded', '', ['1 Terminated/Succeeded', '1 Terminated/Succeeded']],
    [
      'all-but-one',
      besideSlow('all-but-one', 'exit 3'),
      { withKeys: ['bad', 'slow'] },
      'Failed',
      OUT_OF_ATTEMPTS,
      ['1 Terminated/Failed', '1 Terminated/Killed (AllSuccessful failed)'],
    ],
    [
      'any',
      besideSlow('any', 'true'),
      { withKeys: ['good', 'slow'], completionStrategy: 'AnySuccessful' },
      'Succeeded',
      '',
      ['1 Terminated/Succeeded', '1 Terminated/Killed (ended by AnySuccessful)'],
    ],
    [
      'any-after-a-failure',
      `[ \${task.index_key} = bad ] && { touch failing; exit 1; }
       while [ ! -e failing ]; do sleep 0.1; done; sleep 1`,
      { withKeys: ['bad', 'good'], completionStrategy: 'AnySuccessful' },
      'Succeeded',
      '',
      ['1 Terminated/Failed', '1 Terminated/Succeeded'],
    ],
    [
      'any-of-none',
      'false',
      { withMatrix: { os: ['mac', 'linux'], node: ['20'] }, completionStrategy: 'AnySuccessful' },
      'Failed',
      OUT_OF_ATTEMPTS,
      ['1 Terminated/Failed', '1 Terminated/Failed'],
    ],
  ])('%s', async (name, script, parallelism, phase, reason, indexes) => {
    await create(job(name, script, { parallelism }));
    const status = await ended(name);
    expect([status.phase, status.condition.finished?.reason ?? '', indexesOf(status)]).toEqual([
      phase,
      reason,
      indexes,
    ]);
    expect(status.parallelStatus?.complete).toBe(true);
  });

  test('has its attempts for each index, and one after the other', async () => {
    const script = '[ ${task.retry_index} = ${task.index_num} ]';
    await create(job('attempts', script, { parallelism: { withCount: 3 }, maxAttempts: 3 }));
    const status = await ended('attempts');
    expect([status.phase, status.createdTasks, indexesOf(status)]).toEqual([
      'Succeeded',
      6,
      ['1 Terminated/Succeeded', '2 Terminated/Succeeded', '3 Terminated/Succeeded'],
    ]);
    expect(status.tasks.map(({ retryIndex, status: { result = '' } }) => `${retryIndex} ${result}`).toSorted()).toEqual(
      ['0 Failed', '0 Failed', '0 Succeeded', '1 Failed', '1 Succeeded', '2 Succeeded'],
    );
  });

  test('without parallelism has one task, and fails when its attempts are used up', async () => {
    await create(job('single', 'false', { maxAttempts: 2 }));
    const { phase, createdTasks, condition, parallelStatus } = await ended('single');
    expect([phase, createdTasks, condition.finished?.message, parallelStatus]).toEqual([
      'Failed',
      2,
      'the task has failed in all of its 2 attempts',
      undefined,
    ]);
  });

  test('that is killed when its time comes ends its tasks', async () => {
    const script = 'echo started >> killed; exec sleep 600';
    const template = { parallelism: { withCount: 2 }, maxAttempts: 9 };
    await create(job('killed', script, template));
    await eventually(
      () => linesIn('killed').length === 2 || null,
      () => `started: ${linesIn('killed').length}`,
    );
    const killTimestamp = new Date(Date.now() + 1_000).toISOString();
    const answer = await local.kube.ask('PUT', `${JOBS}/killed`, job('killed', script, template, { killTimestamp }));
    expect(answer).toMatchObject({ status: 200 });
    const status = await ended('killed');
    expect([status.phase, indexesOf(status)]).toEqual([
      'Killed',
      ['1 Terminated/Killed (the Job was killed)', '1 Terminated/Killed (the Job was killed)'],
    ]);
  });
});

// Each is a row of docs/furiko.md, by its name.
describe.concurrent('faults of Furiko that Muster does not have', { timeout: TEST_MS }, () => {
  test('two indexes with one hash: the second never runs, and counts as succeeded', async () => {
    const count = 70;
    await create(job('hashes', 'echo ${task.index_num} >> hashes', { parallelism: { withCount: count } }));
    const { phase, parallelStatus, tasks } = await ended('hashes');
    const { indexes = [] } = parallelStatus ?? {};
    expect([phase, tasks.length, indexes[58]?.hash]).toEqual(['Succeeded', count, indexes[69]?.hash]);
    expect(indexes.every(({ createdTasks }) => createdTasks === 1)).toBe(true);
    expect(
      linesIn('hashes')
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: count }, (_, index) => index));
  });

  test.each([
    ['an empty list in a matrix makes no cells, or too many', { withMatrix: { a: ['1'], b: [] } }, 'withMatrix[b]'],
    ['a key, or a value of a matrix, twice: the second never runs', { withKeys: ['x', 'x'] }, 'withKeys[1]'],
    [
      'a key, or a value of a matrix, twice: the second never runs',
      { withMatrix: { a: ['x', 'x'] } },
      'withMatrix[a][1]',
    ],
  ])('%s: %o', async (_, parallelism, path) => {
    const { status, text } = await local.kube.ask('POST', JOBS, job('refused', 'true', { parallelism }));
    expect([status, text]).toEqual([422, expect.stringContaining(`spec.template.parallelism.${path}: `)]);
  });

  test('a `killTimestamp` for later keeps tasks from starting, and stops retries at once', async () => {
    const script = '[ ${task.retry_index} = 1 ]';
    await create(job('retried', script, { maxAttempts: 2 }, { killTimestamp: LATER }));
    expect(await ended('retried')).toMatchObject({ phase: 'Succeeded', createdTasks: 2 });
  });

  test('a Job that succeeds before its `killTimestamp` is `Killed`', async () => {
    await create(job('in-time', 'true', {}, { killTimestamp: LATER }));
    expect(await ended('in-time')).toMatchObject({
      phase: 'Succeeded',
      condition: { finished: { result: 'Success' } },
    });
  });

  test('bystanders of `AnySuccessful` have failed', async () => {
    const parallelism = { withKeys: ['slow', 'good'], completionStrategy: 'AnySuccessful' };
    for (const maxAttempts of [1, 2]) {
      const name = `bystander-${maxAttempts}`;
      await create(job(name, besideSlow(name, 'true'), { parallelism, maxAttempts }));
      expect(indexesOf(await ended(name))[0]).toBe('1 Terminated/Killed (ended by AnySuccessful)');
    }
  });

  test("`${task.name}` in an option's value is replaced", async () => {
    const substitutions = { 'option.evil': '${task.name} $(HOME) ${job.name}' };
    await create(job('injected', "echo '${option.evil}' > injected", {}, { substitutions }));
    expect((await ended('injected')).phase).toBe('Succeeded');
    expect(linesIn('injected')).toEqual(['${task.name} $(HOME) ${job.name}']);
  });
});
