import { expect, test } from 'vitest';
import { Stage } from '../../support/a-stage.ts';

test('every Pod sees how many indexes its Job had at the first launch', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  const handler = stage.handler();
  const { tasks } = handler.deps;
  const given: (readonly [index: number, number: string | undefined])[] = [];
  const run: typeof tasks.run = async (launch) => {
    const [main] = launch.overrides ?? [];
    given.push([launch.id.index, main?.env.find(({ name }) => name === 'MUSTER_COMPLETIONS')?.value]);
    return tasks.run(launch);
  };
  const deps = { ...handler.deps, tasks: { ...tasks, run } };
  const noting = Object.defineProperty(handler, 'deps', { value: deps });
  await stage.settle(noting);
  await stage.change(uid, { completions: 3, parallelism: 3 });
  await stage.settle(noting);
  expect(given.toSorted(([a], [b]) => a - b)).toEqual([
    [0, '2'],
    [1, '2'],
    [2, '2'],
  ]);
});
