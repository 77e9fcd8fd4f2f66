import { expect, test } from 'vitest';
import { NO_TIMES } from '../../../shared/domain/planner/ending.ts';
import { DONE, Stage } from '../../support/a-stage.ts';

// An operator's mistakes and changes: Jobs wait and continue, and no request of a token ever changes.

const DENIED = 'AccessDeniedException: User is not authorized to perform: ecs:RunTask';
const QUICK = { startMs: 100, runMs: 1_000, stopMs: 100, ending: DONE };
const FIRST = { index: 0, attempt: 1, nonce: 0 };

async function minutes(stage: Stage, count: number): Promise<void> {
  for (let n = 0; n < count * 6; n++) {
    stage.advance(10_000);
    await stage.settle();
  }
}

test.each(['from the first launch on', 'in the middle'])(
  'refused for want of a right for a while, %s: the Job waits, says why, spends nothing, and ends Complete',
  async (when) => {
    const stage = new Stage();
    stage.fate = QUICK;
    if (when === 'from the first launch on') stage.mistake = DENIED;
    const uid = await stage.job({ completions: 3, parallelism: 1, backoffLimit: 0 });
    await stage.settle();
    stage.mistake = DENIED;
    await minutes(stage, 10);
    expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'running' }, failed: 0, waitReason: DENIED });
    stage.mistake = null;
    await minutes(stage, 5);
    expect(await stage.status(uid)).toMatchObject({
      phase: { kind: 'finished', verdict: { kind: 'complete' } },
      failed: 0,
    });
  },
);

test('a launch that the installation is at fault for is counted, for the alarm of the operator', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  const handler = stage.handler();
  await handler.pass(uid);
  const [message] = stage.takeDispatches();
  await handler.dispatch([{ ...message!, launch: [FIRST] } as typeof message & object]); // this makes the template
  expect(handler.counts.get('LaunchesMisconfigured')).toBeUndefined();
  stage.mistake = DENIED;
  await handler.dispatch([message!]);
  expect(handler.counts.get('LaunchesMisconfigured')).toBe(1);
});

test.each([
  ['AccessDeniedException: Access to KMS is not allowed', 1],
  ['Timeout waiting for EphemeralStorage provisioning to complete.', undefined],
])(
  '%s: a task that ECS accepted and could not start spends nothing; the operator is called: %s',
  async (reason, called) => {
    const stage = new Stage();
    const ending = { cause: 'Unplaced', exitCode: null, container: null, reason } as const;
    stage.fate = { ...QUICK, ending };
    const uid = await stage.job({ completions: 1, parallelism: 1, backoffLimit: 0 });
    const handler = stage.handler();
    await handler.pass(uid);
    await stage.handler().dispatch(stage.takeDispatches());
    const facts = [{ ...FIRST, kind: 'stopped', taskArn: null, ending, times: NO_TIMES, at: stage.time }] as const;
    await handler.pass({ uid, facts });
    expect(handler.counts.get('LaunchesMisconfigured')).toBe(called);
    await minutes(stage, 30);
    expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'running' }, failed: 0 });
    stage.fate = QUICK;
    await minutes(stage, 12);
    expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'finished', verdict: { kind: 'complete' } } });
  },
);

test('another network reaches a Job that is running', async () => {
  const stage = new Stage();
  stage.fate = QUICK;
  const uid = await stage.job({ completions: 4, parallelism: 1, backoffLimit: 0 });
  await stage.settle();
  stage.placement = 'network 1';
  await minutes(stage, 5);
  expect(await stage.status(uid)).toMatchObject({
    phase: { kind: 'finished', verdict: { kind: 'complete' } },
    failed: 0,
  });
  expect((await stage.store.jobs.readTemplates(uid)).map(({ placement }) => placement)).toEqual(['', 'network 1']);
  expect(stage.conflicts).toEqual([]);
});

test('a launch with an unknown outcome is repeated unchanged, whatever template the Job has now', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  await stage.handler().pass(uid);
  const dead = stage.handler();
  const held = dead.hold('behind', 'tasks.run'); // the answer never comes
  const [message] = stage.takeDispatches();
  void dead.dispatch([{ ...message!, launch: [FIRST] } as typeof message & object]);
  await held.reached;
  stage.placement = 'network 1';
  const other = stage.handler();
  await other.dispatch([{ kind: 'pack', uid, launch: [{ ...FIRST, index: 1 }], stop: [] }]); // refused: the next template is stored
  expect(await stage.store.jobs.readTemplates(uid)).toHaveLength(2);
  stage.placement = ''; // and back, so that ECS checks the token
  stage.advance(60_000);
  await other.dispatch([{ kind: 'pack', uid, launch: [FIRST], stop: [] }]);
  expect(stage.conflicts).toEqual([]);
  expect(stage.tasks.all.size).toBe(1);
});

test('a launch that is refused for a missing permission while its task runs is found, and not repeated', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.handler().pass(uid);
  stage.take('wake');
  const [message] = stage.takeDispatches();
  const dead = stage.handler();
  const held = dead.hold('behind', 'tasks.run');
  void dead.dispatch([message!]);
  await held.reached;
  stage.events = [];
  stage.mistake = DENIED;
  stage.advance(180_000);
  stage.events = []; // the event of the task is lost
  await stage.handler().dispatch([message!]);
  await stage.handler().pass(uid);
  await stage.settle();
  expect((await stage.board(uid))[0]).toMatchObject({ attempt: 1, nonce: 0 });
  stage.mistake = null;
  await minutes(stage, 5);
  expect(stage.tasks.all.size).toBe(1);
});

test('a launch that is refused for one dispatcher and started by another is not repeated', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  await stage.handler().pass(uid);
  stage.take('dispatch');
  const pack = (id: typeof FIRST) => [{ kind: 'pack', uid, launch: [id], stop: [] }] as const;
  await stage.handler().dispatch(pack({ ...FIRST, index: 1 })); // there is a template
  stage.mistake = DENIED;
  const slow = stage.handler();
  const held = slow.hold('behind', 'tasks.run');
  const dispatched = slow.dispatch(pack(FIRST));
  await held.reached;
  stage.mistake = null;
  await stage.handler().dispatch(pack(FIRST));
  held.release();
  await dispatched;
  await stage.settle();
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'launched', attempt: 1, nonce: 0 });
  stage.advance(60_000);
  await stage.settle();
  expect(stage.tasks.all.size).toBe(2);
});
