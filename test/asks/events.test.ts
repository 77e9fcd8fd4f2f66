import { afterEach, describe, expect, test } from 'vitest';
import { LOST } from '../../shared/domain/planner/ending.ts';
import type { SimulatedContainer } from '../../local/ecs/driver/simulated-driver.ts';
import { invariant } from '../../shared/domain/base/invariant.ts';
import { DONE, Stage } from '../support/a-stage.ts';
import { Account, tokensOf } from './an-account.ts';
import { anEvent } from './an-event.ts';

// What users of other controllers met in ECS's events about tasks: doubled, shuffled, lost, early, contradictory.

const HOUR_MS = 3_600_000;

let open: Account | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});
const anAccount = async (options: Parameters<typeof Account.open>[0]): Promise<Account> =>
  (open = await Account.open(options));

/** A task's group names its index, attempt and nonce. */
const attemptIn = (group: string): number => Number(group.split(':')[2]);

describe('each event twice, shuffled, one in ten dropped', () => {
  const INDEXES = 60;

  test.each([1, 2, 3, 4, 5])('final counters equal the truth, each index is counted once (seed %i)', async (seed) => {
    const truth = { succeeded: [] as number[], failed: [] as string[] };
    const decide = ({ index, group }: SimulatedContainer) => {
      const attempt = attemptIn(group);
      const bad = index !== null && index % 7 === 3 && attempt <= 1 + (index % 2);
      if (bad) truth.failed.push(`${index}/${attempt}`);
      else truth.succeeded.push(index ?? -1);
      return { runMs: 1_000 * ((index ?? 0) % 11), exitCode: bad ? 1 : 0 };
    };
    const account = await anAccount({
      script: { decide },
      events: { duplicate: 1, drop: 0.1, shuffleMs: 5_000, seed },
    });
    const uid = await account.job({ completions: INDEXES, parallelism: 20, backoffLimit: 1_000 });
    await account.elapseUntilOver(uid, 6 * HOUR_MS);

    const all = Array.from({ length: INDEXES }, (_, index) => index);
    expect(truth.succeeded.toSorted((a, b) => a - b)).toEqual(all); // nothing that was done is done again
    expect(await account.status(uid)).toMatchObject({
      phase: { kind: 'finished', verdict: { kind: 'complete' } },
      failed: truth.failed.length,
      chunks: [{ succeeded: INDEXES, failed: 0 }],
    });
    const records = await account.store.jobs.readAttempts(uid, 0, INDEXES - 1);
    const told = (as: string): readonly string[] =>
      records.filter(({ judgement }) => judgement.as === as).map(({ index, attempt }) => `${index}/${attempt}`);
    expect(told('failed').toSorted()).toEqual(truth.failed.toSorted());
    expect(told('succeeded')).toHaveLength(INDEXES);
    expect(records).toHaveLength(INDEXES + truth.failed.length);
  });
});

test('STOPPED before the RunTask answer: the attempt is recognised, there is no second launch', async () => {
  const account = await anAccount({});
  const uid = await account.job({ completions: 1, parallelism: 1 });
  await account.handler().pass(...account.takeRequests());
  const dispatcher = account.handler();
  const held = dispatcher.hold('behind', 'tasks.run');
  const launching = dispatcher.dispatch(account.takeDispatches());
  await held.reached; // the task runs to its end while the answer is on its way
  await account.elapse(5_000);
  expect(await account.status(uid)).toMatchObject({ phase: { kind: 'finished' }, chunks: [{ succeeded: 1 }] });
  held.release();
  await launching;
  await account.elapse(HOUR_MS, 60_000);
  expect(account.runs).toHaveLength(1);
  expect(await account.status(uid)).toMatchObject({ failed: 0, chunks: [{ succeeded: 1 }] });
  const records = await account.store.jobs.readAttempts(uid, 0, 0);
  expect(records.map(({ attempt, judgement }) => [attempt, judgement.as])).toEqual([[1, 'succeeded']]);
});

test('STOPPED before the RunTask answer, which never comes: the attempt is recognised, there is no second launch', async () => {
  const account = await anAccount({ script: { runMs: 2_000 } });
  const uid = await account.job({ completions: 1, parallelism: 1 });
  account.answersLost = 1;
  await account.handler().pass(...account.takeRequests());
  await account.handler().dispatch(account.takeDispatches());
  await account.elapse(2 * HOUR_MS, 10_000);
  expect(tokensOf(account.runs)).toHaveLength(1);
  expect(await account.status(uid)).toMatchObject({
    phase: { kind: 'finished' },
    failed: 0,
    chunks: [{ succeeded: 1 }],
  });
  expect(await account.board(uid)).toMatchObject([{ attempt: 1, nonce: 0 }]);
});

// --- a program that ends by itself while it is being stopped

/** What happens around the end of one task, each once or twice. */
type Step = 'wish' | 'answer' | 'running' | 'deprovisioning' | 'stopped';

/** All orders of some steps, equal ones once. */
function orders(steps: readonly Step[]): readonly (readonly Step[])[] {
  if (steps.length === 0) return [[]];
  return [...new Set(steps)].flatMap((first) => {
    const rest = [...steps];
    rest.splice(rest.indexOf(first), 1);
    return orders(rest).map((order) => [first, ...order]);
  });
}

const WISHES = {
  'a suspend': { suspend: true },
  'a scale-down': { parallelism: 0 },
} as const;

const stopCodeOf = (file: string): string =>
  file.startsWith('stopped-by-us') ? 'UserInitiated' : 'EssentialContainerExited';

/** One index whose task ends as `file` tells, all steps in this order; what the board says of it in the end. */
async function after(order: readonly Step[], file: string, wish: object, batched: boolean) {
  const stage = new Stage();
  stage.fate = { startMs: HOUR_MS, runMs: HOUR_MS, stopMs: 30 * HOUR_MS, ending: DONE }; // nothing by itself
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  const handler = stage.handler();
  await handler.pass(...stage.takeRequests());
  await handler.dispatch(stage.takeDispatches());
  const [answer] = stage.take('facts');
  const [task] = [...stage.tasks.all.values()].map(({ view }) => view);
  invariant(answer !== undefined && task !== undefined, 'it was launched');

  for (const step of order) {
    if (step === 'wish') await stage.change(uid, wish);
    else if (step === 'answer') stage.mail.send('facts', answer);
    else if (step === 'running') stage.mail.send('facts', anEvent('running.json', task));
    else if (step === 'deprovisioning')
      stage.mail.send('facts', anEvent('deprovisioning-exit-0.json', task, { stopCode: stopCodeOf(file) }));
    else stage.mail.send('facts', anEvent(file, task));
    // Whatever the memory's own ECS says of the stop is not what this is about.
    stage.events = [];
    if (!batched || step === 'wish') await handler.pass(...stage.takeRequests());
  }
  await handler.pass(...stage.takeRequests());
  stage.take('dispatch');
  const [record] = await stage.board(uid);
  const attempts = await stage.store.jobs.readAttempts(uid, 0, 0);
  return {
    state: record?.state,
    attempt: record?.attempt,
    failures: (record?.failures ?? 0) + (record?.ignored ?? 0) + (record?.infra ?? 0),
    failed: (await stage.status(uid)).failed,
    told: attempts.map(({ attempt, ending, judgement }) => [attempt, judgement.as, ending.exitCode]),
  };
}

describe.each(Object.entries(WISHES))('exit 0 racing with the stop request (%s)', (_name, wish) => {
  const ONE_BY_ONE: readonly Step[] = ['wish', 'answer', 'running', 'deprovisioning', 'stopped', 'stopped'];
  const IN_BATCHES: readonly Step[] = ['wish', 'answer', 'running', 'stopped', 'stopped'];

  test.each([
    ['one by one', ONE_BY_ONE, 360],
    ['in batches', IN_BATCHES, 60],
  ] as const)('EssentialContainerExited: Succeeded, in every order of events (%s)', async (how, steps, count) => {
    const all = orders(steps);
    expect(all).toHaveLength(count);
    for (const order of all) {
      expect(await after(order, 'completed.json', wish, how === 'in batches'), order.join()).toEqual({
        state: 'succeeded',
        attempt: 1,
        failures: 0,
        failed: 0,
        told: [[1, 'succeeded', 0]],
      });
    }
  });

  test.each([
    ['one by one', ONE_BY_ONE, 120],
    ['in batches', IN_BATCHES, 20],
  ] as const)(
    'UserInitiated: neither succeeded nor failed, exit code kept, in every order of events (%s)',
    async (how, steps, count) => {
      // Nobody asks for a stop that nobody wishes: the wish comes before what follows from it.
      const all = orders(steps).filter((order) => order.indexOf('wish') < order.indexOf('stopped'));
      expect(all).toHaveLength(count);
      for (const order of all) {
        expect(await after(order, 'stopped-by-us-exit-0.json', wish, how === 'in batches'), order.join()).toEqual({
          state: 'pending',
          attempt: 1,
          failures: 0,
          failed: 0,
          told: [[1, 'released', 0]],
        });
      }
    },
  );
});

// --- tasks that ECS does not know

test('DescribeTasks says MISSING after an hour: lost as infrastructure, tried again, never hangs', async () => {
  const account = await anAccount({
    script: { decide: ({ group }) => ({ runMs: attemptIn(group) === 1 ? 60_000 : 1_000 }) },
  });
  const uid = await account.job({ completions: 2, parallelism: 2 });
  await account.elapse(2_000);
  account.advance(2 * HOUR_MS); // nothing of ours runs for two hours, and ECS has forgotten how they ended
  await account.elapse(0);
  account.take('facts'); // what it told meanwhile is lost
  await account.elapseUntilOver(uid, HOUR_MS);
  expect(await account.status(uid)).toMatchObject({
    phase: { kind: 'finished' },
    failed: 0,
    chunks: [{ succeeded: 2 }],
  });
  const board = await account.board(uid);
  expect(board.map(({ attempt, failures, infra }) => ({ attempt, failures, infra }))).toEqual([
    { attempt: 2, failures: 0, infra: 1 },
    { attempt: 2, failures: 0, infra: 1 },
  ]);
  const [lost] = await account.store.jobs.readAttempts(uid, 0, 0);
  expect(lost).toMatchObject({
    attempt: 1,
    ending: { cause: 'Infrastructure', exitCode: null },
    judgement: { as: 'lost' },
  });
  expect(lost?.judgement.why).toEqual({ kind: 'lost', reason: LOST.reason });
});

test('DescribeTasks says MISSING of a task that has just been started: that is no loss', async () => {
  const account = await anAccount({ script: { runMs: 10 * 60_000 } });
  const uid = await account.job({ completions: 1, parallelism: 1 });
  await account.elapse(2_000);
  const [arn] = account.liveArns(uid);
  const early = account.handler();
  early.arrange('tasks.describe', async (_, [arns]) => ({ kind: 'described', tasks: [], missing: arns }));
  await early.dispatch([{ kind: 'inspect', uid, from: 0 }]);
  expect(early.calls).toContain('tasks.describe');
  await account.settle();
  expect(await account.board(uid)).toMatchObject([{ state: 'running', attempt: 1, infra: 0 }]);
  expect(account.liveArns(uid)).toEqual([arn]);
});
