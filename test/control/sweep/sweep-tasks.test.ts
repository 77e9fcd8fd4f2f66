import { expect, test } from 'vitest';
import { sweepTasks } from '../../../shared/control/sweep/sweep.ts';
import { parseReconcileRequest } from '../../../shared/schema/messages/queue-messages.ts';
import type { Handler } from '../../support/a-handler.ts';
import { Stage } from '../../support/a-stage.ts';

const TASKS = 250; // three pages

/** A Job whose tasks all run. */
async function running(): Promise<{ readonly stage: Stage; readonly handler: Handler }> {
  const stage = new Stage();
  await stage.job({ completions: TASKS, parallelism: TASKS });
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  return { stage, handler: stage.handler() };
}

/** The indexes of the waiting messages that compare tasks with boards. */
const shown = (stage: Stage): readonly number[] =>
  stage
    .take('facts')
    .flatMap((body) => parseReconcileRequest(body, 'muster:'))
    .flatMap((look) => (look.uid === null ? [] : look.facts.map(({ index }) => index)));

test('several messages go through more tasks than one message has time for, each task once', async () => {
  const { stage, handler } = await running();
  const listLive = stage.tasks.listLive.bind(stage.tasks);
  stage.tasks.listLive = async (page) => {
    stage.time = (stage.time + 15_000) as typeof stage.time;
    return listLive(page);
  };
  await sweepTasks({ after: null }, handler.deps);
  expect(shown(stage)).toHaveLength(200); // the time was up after two pages
  const [left, ...others] = stage.takeDispatches();
  expect([left?.kind, others]).toEqual(['sweepTasks', []]);
  await handler.dispatch(left === undefined ? [] : [left]);
  expect(shown(stage)).toHaveLength(50);
  expect(stage.takeDispatches()).toEqual([]);
});

test.each(['listLive', 'describe'] as const)(
  'a %s that ECS throttles is asked for again later, not for ever',
  async (call) => {
    const { stage, handler } = await running();
    const throttled = async () => ({ kind: 'later', reason: 'Rate exceeded' });
    for (let turn = 0; turn < 31; turn++) handler.arrange(`tasks.${call}`, throttled);
    await sweepTasks({ after: null }, handler.deps);
    let asked = 0;
    for (; asked < 100; asked++) {
      expect(stage.takeDispatches()).toEqual([]);
      stage.advance(10_000);
      const messages = stage.takeDispatches();
      if (messages.length === 0) break;
      await handler.dispatch(messages);
    }
    expect(asked).toBe(30);
    expect(shown(stage)).toEqual([]);
  },
);

test('continues after a throttle, and shows no page twice', async () => {
  const { stage, handler } = await running();
  const pass = async (perform: () => Promise<unknown>): Promise<unknown> => perform();
  handler.arrange('tasks.describe', pass);
  handler.arrange('tasks.describe', async () => ({ kind: 'later', reason: 'Rate exceeded' }));
  await sweepTasks({ after: null }, handler.deps);
  const first = shown(stage);
  stage.advance(10_000);
  await handler.dispatch(stage.takeDispatches());
  const all = [...first, ...shown(stage)].sort((a, b) => a - b);
  expect([first.length, all]).toEqual([100, Array.from({ length: TASKS }, (_, index) => index)]);
});
