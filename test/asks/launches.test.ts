import { afterEach, expect, test } from 'vitest';
import { AwsError } from '../../local/wire/aws-error.ts';
import type { JobUid } from '../../shared/domain/base/ids.ts';
import { sweepTasks } from '../../shared/control/sweep/sweep.ts';
import { Account, type AccountOptions, failing, tokensOf } from './an-account.ts';

// What users of other controllers met when RunTask did not simply answer with a task. ECS is the embedded one, behind
// the real SDK client.

const CAPACITY = 'Capacity is unavailable at this time. Please try again later or in a different availability zone';

let account: Account;
afterEach(async () => account.close());

/** A Job on an account of its own, looked at for the first time: its claims wait to be dispatched. */
async function claimed(completions: number, options: AccountOptions = {}): Promise<JobUid> {
  account = await Account.open(options);
  const uid = await account.job({ completions, parallelism: completions });
  await account.handler().pass(uid);
  account.take('wake');
  return uid;
}

const RUNS: AccountOptions = { script: { startDelayMs: 1_000, runMs: 60_000 } };

/** Everything that may be spent by an attempt, by index: each ought to be nothing, and it is the first attempt. */
async function spent(uid: JobUid) {
  return (await account.board(uid)).map(({ attempt, failures, ignored, infra, spot }) => ({
    attempt,
    spent: failures + ignored + infra + spot,
  }));
}
const untouched = (count: number) => Array.from({ length: count }, () => ({ attempt: 1, spent: 0 }));

async function expectComplete(uid: JobUid, count: number): Promise<void> {
  expect(await account.status(uid)).toMatchObject({
    phase: { kind: 'finished', verdict: { kind: 'complete' } },
    failed: 0,
    chunks: [{ succeeded: count }],
  });
  expect(account.liveArns(uid)).toEqual([]);
}

test.each([
  ['times out after the task was started', 'answerLost'],
  ['never reaches ECS', 'notSent'],
  ['fails inside ECS (ServerException)', 'serverError'],
  ['is answered with neither a task nor a failure', 'empty'],
] as const)('RunTask %s: the same token again, one task', async (_name, how) => {
  const uid = await claimed(1, RUNS);
  account.runTask = (perform, nth) => {
    if (nth > 2) return perform();
    if (how === 'notSent') throw new AwsError('ServerException', 'Service Unavailable', { status: 503 });
    const answer = perform();
    if (how === 'serverError') throw new AwsError('ServerException', 'Internal failure', { status: 500 });
    return how === 'empty' ? { tasks: [], failures: [] } : answer;
  };
  if (how === 'answerLost') account.answersLost = 2;
  await account.elapse(30_000);
  expect(account.runs.length).toBeGreaterThanOrEqual(3);
  expect(tokensOf(account.runs)).toHaveLength(1);
  expect(new Set(account.runs.map(({ body }) => body)).size).toBe(1); // byte for byte
  expect(account.liveArns(uid)).toHaveLength(1);
  expect(await spent(uid)).toEqual(untouched(1));
  await account.elapseUntilOver(uid, 120_000);
  await expectComplete(uid, 1);
  expect(tokensOf(account.runs)).toHaveLength(1);
});

test('RunTask of a token that was used with other parameters (ConflictException): the task that it made is adopted', async () => {
  const uid = await claimed(1, RUNS);
  const arns: string[] = [];
  account.runTask = (perform, nth) => {
    if (nth === 1) {
      arns.push(...(perform().tasks ?? []).flatMap(({ taskArn }) => taskArn ?? []));
      throw new AwsError('ServerException', 'Internal failure', { status: 500 });
    }
    throw new AwsError('ConflictException', 'The client token was used before, with other parameters.', {
      resourceIds: arns,
    });
  };
  await account.elapse(10_000);
  expect((await account.store.jobs.readLaunches(uid, 0)).slots).toMatchObject([
    { state: 'launched', taskArn: arns[0] },
  ]);
  await account.elapseUntilOver(uid, 120_000);
  await expectComplete(uid, 1);
  expect(arns).toHaveLength(1);
});

test('RunTask: of ten launches of one pack four are refused in HTTP 200: the four go back, no attempt is spent', async () => {
  const uid = await claimed(10, { ...RUNS, quota: { tasks: 6 } });
  await account.settle();
  expect(account.runs).toHaveLength(10);
  expect(account.liveArns(uid)).toHaveLength(6);
  const board = await account.board(uid);
  expect(board.filter(({ state }) => state === 'launched')).toHaveLength(6);
  const back = board.filter(({ state }) => state === 'claimed');
  expect(back).toHaveLength(4);
  expect(back.every(({ nonce }) => nonce === 1)).toBe(true); // the old token would be answered with the old failure
  expect(await spent(uid)).toEqual(untouched(10));
  expect((await account.status(uid)).waitReason).toMatch(/reached the limit on the number of tasks/);

  await account.elapseUntilOver(uid, 600_000);
  await expectComplete(uid, 10);
  expect(await spent(uid)).toEqual(untouched(10));
  expect((await account.status(uid)).waitReason).toBeNull();
});

/** A RunTask that ECS refuses in HTTP 200, and carries out all the same. */
function refuseButRun(): void {
  account.runTask = (perform, nth) => {
    const answer = perform();
    return nth === 1 ? failing(CAPACITY) : answer;
  };
}

test.each([
  ['before its refusal is known', 'early'],
  ['after its refusal is known', 'late'],
  ['never, so that only the hourly sweep finds it', 'never'],
] as const)(
  'failures[], then the task runs all the same (ECS reports it %s): not doubled, one of two counts, none is left',
  async (_name, when) => {
    const uid = await claimed(1, { script: { startDelayMs: 1_000, runMs: 2 * 3_600_000 } });
    refuseButRun();
    await account.handler().dispatch(account.takeDispatches());
    const refusal = account.take('facts');
    account.advance(1_000);
    await settleEvents();
    if (when === 'early') await account.handler().pass(...account.takeRequests());
    if (when === 'never') account.take('facts');
    for (const body of refusal) account.mail.send('facts', body);

    let most = 0;
    let moments = 0; // at which two were live, a second apart
    for (let second = 0; second < 900; second++) {
      await account.elapse(1_000);
      const live = account.liveArns(uid).length;
      most = Math.max(most, live);
      if (live > 1) moments++;
      if (when === 'never' && second === 60) await sweepTasks({ after: null }, account.handler().deps);
    }
    expect(account.liveArns(uid)).toHaveLength(1);
    expect(most).toBeLessThanOrEqual(when === 'never' ? 2 : 1);
    expect(moments).toBeLessThanOrEqual(when === 'never' ? 60 : 0);
    expect(await spent(uid)).toEqual(untouched(1));
    await account.elapse(2 * 3_600_000, 60_000);
    await expectComplete(uid, 1);
  },
);

test('failures[], then the task runs all the same, and the Job is suspended: its task is stopped', async () => {
  const uid = await claimed(1, { script: { startDelayMs: 1_000, runMs: 2 * 3_600_000 } });
  refuseButRun();
  await account.handler().dispatch(account.takeDispatches());
  const refusal = account.take('facts');
  account.advance(1_000);
  await settleEvents();
  await account.handler().pass(...account.takeRequests());
  for (const body of refusal) account.mail.send('facts', body);
  await account.settle();
  await account.change(uid, { suspend: true });
  await account.elapse(60_000);
  expect(account.liveArns(uid)).toEqual([]);
  expect(await account.status(uid)).toMatchObject({ failed: 0, chunks: [{ pending: 1 }] });
});

const settleEvents = async (): Promise<void> => account.elapse(0);

test.each([
  ['ThrottlingException', ['ThrottlingException', 'Rate exceeded']],
  [
    'InvalidParameterException that says throttled',
    [
      'InvalidParameterException',
      'Error retrieving subnet information for [subnet-1]: Rate exceeded (ErrorCode: Throttling)',
    ],
  ],
  [
    'the PROVISIONING quota as an exception',
    ['ClientException', 'You’ve reached the limit on the number of tasks you can run concurrently'],
  ],
  ['LimitExceededException', ['LimitExceededException', 'The limit for the resource has been exceeded.']],
] as const)('RunTask: %s: back-off, no attempt is spent', async (_name, [type, message]) => {
  const uid = await claimed(3, RUNS);
  account.runTask = () => {
    throw new AwsError(type, message);
  };
  await account.elapse(60_000);
  for (const tries of triesByIndex(account.runs)) {
    expect(tries).toBeGreaterThanOrEqual(2);
    expect(tries).toBeLessThanOrEqual(62); // one a second, and the claim itself is sent again once a minute
  }
  expect(account.liveArns(uid)).toEqual([]);
  expect(await spent(uid)).toEqual(untouched(3));
  expect((await account.status(uid)).phase.kind).toBe('running');
  expect(account.mail.dead('dispatch')).toEqual([]);

  account.runTask = (perform) => perform();
  await account.elapseUntilOver(uid, 600_000);
  await expectComplete(uid, 3);
  expect(await spent(uid)).toEqual(untouched(3));
});

test('a throttle that lasts: each index is asked for less often, and never by more than one message', async () => {
  await claimed(3, RUNS);
  account.runTask = () => {
    throw new AwsError('ThrottlingException', 'Rate exceeded');
  };
  await account.elapse(60_000);
  const inFirstMinute = account.runs.length;
  await account.elapse(5 * 60_000);
  const inLastMinutes = (account.runs.length - inFirstMinute) / 5;
  expect(inFirstMinute).toBeLessThanOrEqual(3 * 30);
  expect(inLastMinutes).toBeLessThanOrEqual(inFirstMinute * 1.2);
});

/** How often RunTask was called for each index. */
function triesByIndex(runs: Account['runs']): readonly number[] {
  const tries = new Map<string, number>();
  for (const { group } of runs) {
    const index = group.split(':')[1] ?? '';
    tries.set(index, (tries.get(index) ?? 0) + 1);
  }
  return [...tries.values()];
}

test('TaskFailedToStart, containers []: infrastructure, tried again, the reason is shown', async () => {
  const uid = await claimed(1, { script: { runMs: 60_000 } });
  const reason = 'Timeout waiting for network interface provisioning to complete.';
  const taskArn = 'arn:aws:ecs:us-east-1:000000000000:task/muster/0123456789abcdef0123456789abcdef';
  account.runTask = (perform, nth) => (nth === 1 ? { tasks: [{ taskArn }], failures: [] } : perform());
  await account.settle();
  account.mail.send('facts', neverStarted(uid, taskArn, new Date(account.time).toISOString(), reason));
  await account.settle();
  expect(await spent(uid)).toEqual(untouched(1));
  expect((await account.status(uid)).failed).toBe(0);
  const [told] = await account.store.jobs.readAttempts(uid, 0, 0);
  expect(told?.ending).toMatchObject({ exitCode: null, container: null });
  expect(told?.ending.reason).toContain(reason);
  expect(told?.judgement).toEqual({ as: 'unstarted', why: { kind: 'unstarted', reason: told?.ending.reason } });

  await account.elapseUntilOver(uid, 300_000); // tried again, by itself
  expect(tokensOf(account.runs)).toHaveLength(2);
  expect(await spent(uid)).toEqual(untouched(1));
  await expectComplete(uid, 1);
});

/** STOPPED as users saw it: no container was ever made, and nothing says how it exited. */
const neverStarted = (uid: string, taskArn: string, at: string, stoppedReason: string): string =>
  JSON.stringify({
    source: 'aws.ecs',
    'detail-type': 'ECS Task State Change',
    detail: {
      taskArn,
      startedBy: uid,
      group: 'muster:0:1:0',
      lastStatus: 'STOPPED',
      desiredStatus: 'STOPPED',
      stopCode: 'TaskFailedToStart',
      stoppedReason,
      containers: [],
      overrides: { containerOverrides: [{ name: 'main' }] },
      version: 4,
      createdAt: at,
      stoppedAt: at,
    },
  });
