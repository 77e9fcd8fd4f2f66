import { describe, expect, test } from 'vitest';
import { dispatch } from '../../../shared/control/dispatch/dispatch.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { plusMs } from '../../../shared/domain/base/time.ts';
import type { DispatchMessage } from '../../../shared/ports/queues.ts';
import { parseFactMessage } from '../../../shared/schema/messages/queue-messages.ts';
import { Stage } from '../../support/a-stage.ts';

// Under a launch limit.

const id = (index: number) => ({ index, attempt: 1, nonce: 0 });

/** A Job whose first claims lie in its dispatch queue, and a dispatcher for whom time passes while it waits. */
async function aLimitedStage(launchesPerSec = 20) {
  const stage = new Stage();
  const uid = await stage.job({ completions: 3, parallelism: 3 });
  const handler = stage.handler();
  await handler.pass(uid);
  stage.take('wake');
  stage.take('dispatch');
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  /** How late sleepers wake up, each in turn. */
  const late: number[] = [];
  const sleep = async (ms: number): Promise<void> =>
    new Promise((wake) => void sleepers.push({ at: stage.time + ms + (late.shift() ?? 0), wake }));
  const clock: Deps['clock'] = { now: () => stage.time, sleep };
  const deps: Deps = { ...handler.deps, clock, settings: { ...handler.deps.settings, launchesPerSec } };
  const pack = (launch: readonly number[], stop: readonly number[]): DispatchMessage => ({
    kind: 'pack',
    uid,
    launch: launch.map(id),
    stop: stop.map(id),
  });
  const stopIn = (ms: number, stop: readonly number[]): void =>
    void sleepers.push({ at: stage.time + ms, wake: () => void dispatch(pack([], stop), deps) });
  const asked = async (launch: readonly number[], stop: readonly number[] = []): Promise<void> => {
    let isDone = false;
    const work = dispatch(pack(launch, stop), deps).finally(() => (isDone = true));
    work.catch(() => undefined);
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = isDone ? undefined : sleepers.sort((a, b) => b.at - a.at).pop();
      if (next === undefined) continue;
      stage.advance(Math.max(0, next.at - stage.time));
      next.wake();
    }
    return work;
  };
  const facts = (): readonly string[] =>
    stage
      .take('facts')
      .flatMap((body) => parseFactMessage(body).facts.map(({ kind, index }) => `${index} ${kind}`))
      .sort();
  return { stage, uid, handler, asked, stopIn, late, facts };
}

describe('where there is no template', () => {
  test('a launch that is cancelled meanwhile is answered, and not asked for again', async () => {
    const { stage, handler, asked, facts } = await aLimitedStage(1);
    stage.mistake = 'the subnet ID does not exist';
    handler.arrange('tasks.prepare', async (perform) => {
      await asked([], [1]);
      return perform();
    });
    await asked([0, 1, 2]);
    expect(facts()).toEqual(['0 refused', '1 cancelled', '1 cancelled', '2 refused']);
    stage.advance(60_000);
    expect(stage.takeDispatches()).toEqual([]);
  });
});

test('what was claimed and then not called, because something failed, may be cancelled at once', async () => {
  const { stage, uid, handler, asked, facts } = await aLimitedStage();
  handler.arrange('tasks.prepare', async () => Promise.reject(new Error('the connection was reset')));
  await expect(asked([0, 1, 2])).rejects.toThrow('the connection was reset');
  expect((await stage.store.jobs.readLaunches(uid, 0)).slots).toEqual([]);
  await asked([], [0, 1, 2]);
  expect([facts(), stage.started(uid, 0)]).toEqual([['0 cancelled', '1 cancelled', '2 cancelled'], []]);
});

test('what was called and has no answer is not given back when something else fails', async () => {
  const { stage, uid, handler, asked } = await aLimitedStage();
  handler.arrange('tasks.run', async (perform) => {
    await perform();
    throw new Error('the connection was reset');
  });
  handler.arrange('tasks.run', async () => ({ kind: 'later', reason: 'ThrottlingException' }));
  handler.arrange('limits.read', async (perform) => perform());
  handler.arrange('limits.read', async () => Promise.reject(new Error('the table throttles')));
  await expect(asked([0, 1, 2])).rejects.toThrow('the table throttles');
  const { slots } = await stage.store.jobs.readLaunches(uid, 0);
  expect(slots.map(({ index, state }) => `${index} ${state}`)).toEqual(['0 launching', '2 launched']);
});

test('what has missed its moment may be cancelled until the next one comes', async () => {
  const { stage, uid, handler, asked, stopIn, late, facts } = await aLimitedStage();
  late.push(100);
  handler.arrange('limits.read', async (perform) => perform());
  handler.arrange('limits.read', async (perform) => {
    const { version, state } = (await perform()) as Awaited<ReturnType<typeof stage.store.limits.read>>;
    await stage.store.limits.commit('launch', version, { ...state, nextFreeAt: plusMs(stage.time, 3_000) });
    stopIn(1_000, [0]);
    return perform();
  });
  await asked([0]);
  expect([...new Set(facts())]).toEqual(['0 cancelled']);
  expect(stage.started(uid, 0)).toEqual([]);
});

test('what a stop had to launch again, to learn its task, is stopped as soon as that is known', async () => {
  const { stage, uid, handler, asked } = await aLimitedStage();
  handler.arrange('tasks.run', async (perform) => {
    await perform();
    throw new Error('the connection was reset');
  });
  await asked([0]);
  stage.take('dispatch');
  stage.advance(31_000);
  await asked([], [0]);
  stage.advance(1_000);
  await handler.dispatch(stage.takeDispatches());
  expect(stage.started(uid, 0)).toHaveLength(1);
  stage.advance(1_000);
  expect(stage.live(uid, 0)).toEqual([]);
});

test('the first pack of a Job writes its launch row twice, as any other', async () => {
  const { handler, asked, facts } = await aLimitedStage();
  await asked([0, 1, 2]);
  expect(facts()).toEqual(['0 launched', '1 launched', '2 launched']);
  expect(handler.calls.filter((call) => call === 'jobs.writeLaunches')).toHaveLength(2);
});
