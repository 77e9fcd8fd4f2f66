import { expect, test } from 'vitest';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { dispatch } from '../../../shared/control/dispatch/dispatch.ts';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { LAUNCH_ROW_INDEXES } from '../../../shared/domain/scoreboard/launch-row.ts';
import type { DispatchMessage } from '../../../shared/ports/queues.ts';
import { aBoard, arnOf, at } from '../../support/a-board.ts';
import { Stage } from '../../support/a-stage.ts';

// Look-ups in ECS: for a Job with many chunks and many active attempts, behind dead letters, and what is sent on. r running, l
// launched, S succeeded, . pending.

/** The tasks that one look-up covers, message by message, on a board given as a strip. */
async function lookedUp(strip: string) {
  const { status, stored } = aBoard(strip, { parallelism: 100_000 });
  const summaries = status.chunks.map((chunk) => ({ ...chunk, version: 1 }));
  const described: string[] = [];
  let wakeUps = 0;
  const waiting: DispatchMessage[] = [{ kind: 'inspect', uid: 'job' as never, from: 0 }];
  const real = new Stage().handler().deps;
  const slotsOf = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => ({
      row: from + n,
      version: 1,
      slots: Array.from({ length: LAUNCH_ROW_INDEXES }, (_, slot) => (from + n) * LAUNCH_ROW_INDEXES + slot).map(
        (index) => ({
          index,
          attempt: 1,
          nonce: 0,
          state: 'launched' as const,
          taskArn: arnOf(index),
          since: at(0),
        }),
      ),
    }));
  const deps: Deps = {
    ...real,
    jobs: {
      ...real.jobs,
      readStatus: async () => ({ ...status, chunks: summaries }),
      readChunks: async (_, nos) => new Map(nos.map((no) => [no, { version: 1, chunk: stored.get(no)! }])),
      readLaunchRange: async (_, from, to) => slotsOf(from, to),
    },
    tasks: {
      ...real.tasks,
      describe: async (arns) => {
        described.push(...arns);
        return { kind: 'described', tasks: [], missing: [] };
      },
    },
    queues: {
      ...real.queues,
      dispatch: async (messages) => void waiting.push(...messages),
      facts: async () => void wakeUps++,
    },
  };
  let messages = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (++messages > 50) throw new Error('the look goes on for ever');
    await dispatch(next, deps);
  }
  return { described, messages, wakeUps };
}

const S = (count: number): string => 'S'.repeat(count);
const r = (count: number): string => 'r'.repeat(count);

test.each<readonly [strip: string, active: number, messages: number, because: string]>([
  [
    r(499) + S(CHUNK_INDEXES - 499) + r(1),
    500,
    2,
    'one less than a message takes in the first chunk, one in the second',
  ],
  [r(500) + S(CHUNK_INDEXES - 500) + r(1), 501, 3, 'as many as one takes in the first chunk'],
  [r(501) + S(CHUNK_INDEXES - 501) + r(3), 504, 3, 'one more'],
  [r(1_200) + S(CHUNK_INDEXES - 1_200) + r(700), 1_900, 5, 'thousands, over two chunks'],
  [S(CHUNK_INDEXES) + r(2) + S(CHUNK_INDEXES - 2) + r(1), 3, 1, 'few, over chunks of which the first has none'],
])('a look-up covers all active attempts (no. %#)', async (strip, active, messages, because) => {
  const looked = await lookedUp(strip);
  expect([new Set(looked.described).size, looked.described.length, because]).toEqual([active, active, because]);
  expect(looked.messages).toBe(messages);
  expect(looked.wakeUps).toBe(0); // nothing new was found
});

test.each([
  ['the first', [true, false]],
  ['the last', [false, true]],
])('a look-up that %s of two messages of a batch requests takes place', async (_, wishes) => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.settle();
  await stage.handler().pass(...wishes.map((inspect) => ({ uid, facts: [], inspect })));
  expect(stage.takeDispatches()).toContainEqual({ kind: 'inspect', uid, from: 0 });
});

test('a look-up is requested once, even if the pass requests one too', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.settle();
  stage.advance(3_000_000);
  stage.takeRequests();
  await stage.handler().pass({ uid, facts: [], inspect: true });
  expect(stage.takeDispatches().filter(({ kind }) => kind === 'inspect')).toHaveLength(1);
});

const realArn = (index: number) => asTaskArn(`arn:aws:ecs:us-east-1:1:task/muster/${index}`);

test('facts about more chunks than a pass takes are sent again, and none is lost', async () => {
  const stage = new Stage();
  const chunks = 98;
  const uid = await stage.job({ completions: chunks * CHUNK_INDEXES, parallelism: 0 });
  await stage.settle();
  const facts = Array.from(
    { length: chunks },
    (_, no): Fact => ({
      index: no * CHUNK_INDEXES,
      attempt: 1,
      nonce: 0,
      kind: 'running',
      taskArn: realArn(no * CHUNK_INDEXES),
      at: stage.time,
    }),
  );
  const handler = stage.handler();
  await handler.pass({ uid, facts });
  const again = stage.takeRequests().flatMap((look) => look.facts);
  const stopped = stage.takeDispatches().flatMap((message) => (message.kind === 'stopTask' ? [message.taskArn] : []));
  expect(again.length).toBeGreaterThan(0);
  await handler.pass({ uid, facts: again });
  stopped.push(...stage.takeDispatches().flatMap((message) => (message.kind === 'stopTask' ? [message.taskArn] : [])));
  expect(stopped.sort()).toEqual(facts.map(({ index }) => realArn(index)).sort());
});

test('a stop that ECS throttles is repeated, with a delay', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.settle();
  const [task] = stage.live(uid, 0);
  const handler = stage.handler();
  handler.arrange('tasks.stop', async () => ({ kind: 'later', reason: 'Rate exceeded' }));
  await handler.dispatch([{ kind: 'pack', uid, launch: [], stop: [{ index: 0, attempt: 1, nonce: 0 }] }]);
  expect(stage.take('dispatch')).toEqual([]); // not at once
  stage.advance(10_000);
  const again = stage.takeDispatches();
  expect(again).toMatchObject([{ kind: 'pack', launch: [], stop: [{ index: 0, attempt: 1, nonce: 0 }] }]);
  await handler.dispatch(again);
  stage.advance(1_000);
  expect(stage.tasks.all.get(task!.arn)?.view.stage).toBe('stopped');
  expect(stage.take('dispatch')).toEqual([]);
});
