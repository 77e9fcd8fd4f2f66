import { expect, test } from 'vitest';
import { factOf } from '../../../shared/domain/planner/ending.ts';
import { DONE, Stage } from '../../support/a-stage.ts';

test('how long ago a task had stopped is counted once for each end that counts, and for nothing else', async () => {
  const stage = new Stage();
  stage.fate = { startMs: 100, runMs: 1_000, stopMs: 100, ending: DONE };
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  await stage.settle();
  stage.events = [];
  stage.advance(1_100);
  const facts = stage.events.flatMap((view) => factOf(view) ?? []).filter(({ kind }) => kind === 'stopped');
  expect(facts).toHaveLength(2);
  const said: number[] = [];
  const handler = stage.handler();
  const { telemetry } = handler.deps;
  const deps = {
    ...telemetry,
    count: (metric: Parameters<typeof telemetry.count>[0], value: number) =>
      void (metric === 'StoppedToCounted' && said.push(value)),
  };
  Object.assign(handler.deps, { telemetry: deps });
  await handler.pass(uid);
  expect(said).toEqual([]);
  stage.advance(2_340);
  await handler.pass({ uid, facts: facts.slice(0, 1) });
  expect(said).toEqual([2.3]);
  stage.advance(10_000);
  await handler.pass({ uid, facts }); // the first is known
  expect(said).toEqual([2.3, 12.3]);
});

test('a clock of ours that is behind that of ECS makes it no less than nothing', async () => {
  const stage = new Stage();
  stage.fate = { startMs: 100, runMs: 1_000, stopMs: 100, ending: DONE };
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.settle();
  stage.advance(1_100);
  const behind = stage.handler({ skewMs: -5_000 });
  await behind.pass(...stage.takeRequests());
  expect((await stage.status(uid)).phase.kind).not.toBe('running');
  expect(behind.counts.get('StoppedToCounted')).toBe(0);
});
