import { describe, expect, test } from 'vitest';
import { createMemoryTasks } from '../../../shared/adapters/memory/memory-tasks.ts';
import { newestTemplate } from '../../../shared/control/dispatch/template.ts';
import { parseFactMessage } from '../../../shared/schema/messages/queue-messages.ts';
import { DONE, Stage } from '../../support/a-stage.ts';

// ECS has refused a launch, but the board has a fact about a task and asks anyway.

/**
 * ECS refuses every launch. The test decides whether it starts a task anyway, and how long ECS does not list the task.
 */
class Denying extends Stage {
  starts = true;
  override readonly tasks = createMemoryTasks({
    now: () => this.time,
    at: () => undefined,
    fate: () => ({ startMs: 1_000, runMs: 3_600_000, stopMs: 500, ending: DONE }),
    refusal: () => 'Capacity is unavailable at this time',
    startsThoughRefused: () => this.starts,
    hiddenMs: () => 60_000,
    emit: () => undefined,
  });

  /** The facts that a dispatcher sends when it gets a stop for the attempt. */
  async askedToStop(uid: Awaited<ReturnType<Stage['job']>>): Promise<readonly string[]> {
    const stop = [{ index: 0, attempt: 1, nonce: 0 }];
    await this.handler().dispatch([{ kind: 'pack', uid, launch: [], stop }]);
    return this.take('facts').flatMap((body) => parseFactMessage(body).facts.map(({ kind }) => kind));
  }
}

describe('stopping a refused launch', () => {
  const refused = async (starts: boolean) => {
    const stage = new Denying();
    stage.starts = starts;
    const uid = await stage.job({ completions: 1, parallelism: 1 });
    const handler = stage.handler();
    await handler.pass(...stage.takeRequests());
    await handler.dispatch(stage.takeDispatches());
    expect(stage.take('facts').flatMap((body) => parseFactMessage(body).facts.map(({ kind }) => kind))).toEqual([
      'refused',
    ]);
    return { stage, uid };
  };

  test('does not report it as canceled while ECS may not list its task yet, and finds the task later', async () => {
    const { stage, uid } = await refused(true);
    stage.advance(30_000);
    expect(await stage.askedToStop(uid)).toEqual([]);
    stage.advance(60_000);
    expect(await stage.askedToStop(uid)).toEqual(['launched']);
  });

  test('reports it as canceled when ECS would have listed the task', async () => {
    const { stage, uid } = await refused(false);
    stage.advance(119_000);
    expect(await stage.askedToStop(uid)).toEqual([]);
    stage.advance(1_000);
    expect(await stage.askedToStop(uid)).toEqual(['cancelled']);
  });
});

// RunTask's answer and the task's events were lost, and a repeated call to RunTask gets no answer.

const FIRST = { index: 0, attempt: 1, nonce: 0 };
const DENIED = 'AccessDeniedException: User is not authorized to perform: ecs:RunTask';
const MINUTE_MS = 60_000;

/** A Job whose first launch became a task without a fact, and the message that requests it. */
async function unheard(wish: Partial<Stage['fate']>) {
  const stage = new Stage();
  stage.fate = { ...stage.fate, ...wish };
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.handler().pass(uid);
  stage.take('wake');
  const [message] = stage.takeDispatches();
  const dead = stage.handler();
  const held = dead.hold('behind', 'tasks.run');
  void dead.dispatch([message!]);
  await held.reached;
  return { stage, uid, message: message! };
}

type Scene = Awaited<ReturnType<typeof unheard>>;

/** Reasons for RunTask not to answer. */
const SILENCES: readonly [string, (scene: Scene) => number][] = [
  ['a permission is now missing', ({ stage }) => ((stage.mistake = DENIED), 3 * MINUTE_MS)],
  ['the network has changed', ({ stage }) => ((stage.placement = 'network 1'), 3 * MINUTE_MS)],
  ['the token may have expired', () => 50 * MINUTE_MS],
];

describe.each(SILENCES)('a launch with an unknown outcome, where %s', (_, silence) => {
  test('has ended: its end counts, and nothing is launched again', async () => {
    const scene = await unheard({ runMs: 30_000 });
    const { stage, uid, message } = scene;
    stage.advance(silence(scene));
    stage.events = [];
    const handler = stage.handler();
    await handler.dispatch([message]);
    await handler.pass(...stage.takeRequests());
    expect(await stage.status(uid)).toMatchObject({
      phase: { kind: 'finished', verdict: { kind: 'complete' } },
      failed: 0,
    });
    expect(stage.tasks.all.size).toBe(1);
    expect((await stage.store.jobs.readAttempts(uid, 0, 0))[0]?.times.stoppedAt).toBe(
      [...stage.tasks.all.values()][0]?.stoppedAt,
    );
  });

  test('is about to stop: it is the attempt’s task', async () => {
    const scene = await unheard({ stopMs: 300_000 });
    const { stage, uid, message } = scene;
    stage.advance(silence(scene));
    const [task] = stage.started(uid, 0);
    await stage.tasks.stop(task!.arn, 'by somebody');
    stage.events = [];
    await stage.handler().dispatch([message]);
    await stage.handler().pass(...stage.takeRequests());
    expect((await stage.board(uid))[0]).toMatchObject({ state: 'launched', attempt: 1, nonce: 0 });
    expect((await stage.store.jobs.readLaunches(uid, 0)).slots).toMatchObject([
      { state: 'launched', taskArn: task!.arn },
    ]);
  });
});

test('a task of another Job with the same family and numbers is not mistaken for the task of a launch', async () => {
  const { stage, uid, message } = await unheard({ runMs: 30_000 });
  const other = await stage.job({ uid: 'uid-other', name: 'other', completions: 1, parallelism: 1 });
  await stage.settle();
  stage.advance(40_000);
  stage.events = stage.events.filter(({ job }) => job === other);
  await stage.settle();
  expect((await stage.status(other)).phase.kind).toBe('finished');
  stage.mistake = DENIED;
  stage.advance(3 * MINUTE_MS);
  const handler = stage.handler();
  handler.arrange('tasks.listStopped', async (perform) => {
    const page = (await perform()) as { taskArns: readonly string[] };
    const [mine] = stage.started(uid, 0);
    expect(page.taskArns).toHaveLength(2);
    return { ...page, taskArns: page.taskArns.filter((arn) => arn !== mine!.arn) };
  });
  await handler.dispatch([message]);
  await handler.pass(...stage.takeRequests());
  expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'running' }, waitReason: DENIED });
});

describe('a search through more pages than fit into one message', () => {
  /** Stopped tasks of the Job's family that belong to other Jobs come first; each page takes `pageMs`. */
  async function crowded(pageMs: number) {
    const scene = await unheard({ runMs: 30_000 });
    const { stage, uid } = scene;
    const own = stage.started(uid, 0)[0]!.arn;
    const pages = [null, 'p1', 'p2', 'p3'];
    const asked: (string | null)[] = [];
    const list = stage.tasks.listStopped.bind(stage.tasks);
    stage.tasks.listStopped = async ({ family, after }) => {
      asked.push(after);
      stage.advance(pageMs);
      const next = pages[pages.indexOf(after) + 1] ?? null;
      const real = await list({ family, after: null });
      if (real.kind === 'later') return real;
      return { kind: 'listed', taskArns: real.taskArns.filter((arn) => next === null && arn === own), next };
    };
    stage.mistake = DENIED;
    stage.advance(3 * MINUTE_MS);
    stage.events = [];
    return { ...scene, asked };
  }

  test('continues where it was interrupted, in the next message, and finds the end', async () => {
    const { stage, uid, message, asked } = await crowded(15_000);
    const handler = stage.handler();
    await handler.dispatch([message]);
    expect(asked).toEqual([null, 'p1']);
    stage.advance(5_000);
    const [next, ...others] = stage.takeDispatches();
    expect(others).toEqual([]);
    expect(next).toMatchObject({ kind: 'pack', launch: [FIRST], stop: [], lookFrom: { after: 'p2' } });
    await handler.dispatch([next!]);
    expect(asked).toEqual([null, 'p1', 'p2', 'p3']);
    await handler.pass(...stage.takeRequests());
    expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'finished' }, failed: 0 });
    expect(handler.calls.filter((call) => call === 'tasks.listLive')).toHaveLength(1);
  });

  test('starts again if it was interrupted at a family that the Job does not have, so no task is written off unseen', async () => {
    const { stage, uid, message } = await crowded(0);
    const lookFrom = { startedAt: stage.time, family: 'muster-of-nobody', after: 'p2' };
    const handler = stage.handler();
    await handler.dispatch([{ ...message, lookFrom } as typeof message]);
    await handler.pass(...stage.takeRequests());
    expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'finished' }, failed: 0 });
  });

  test('continues as a search for a stop if the launch must stop', async () => {
    const { stage, uid } = await crowded(15_000);
    await stage.handler().dispatch([{ kind: 'pack', uid, launch: [], stop: [FIRST] }]);
    stage.advance(5_000);
    expect(stage.takeDispatches()).toMatchObject([{ launch: [], stop: [FIRST], lookFrom: { after: 'p2' } }]);
  });

  test('ends a minute after the last answer of ECS, and the board asks again', async () => {
    const { stage, message } = await crowded(15_000);
    const handler = stage.handler();
    await handler.dispatch([message]);
    stage.tasks.listStopped = async () => ({ kind: 'later', reason: 'Rate exceeded' });
    let turns = 0;
    for (; turns < 100; turns++) {
      stage.advance(5_000);
      const next = stage.takeDispatches();
      if (next.length === 0) break;
      expect(next).toMatchObject([{ lookFrom: { after: 'p2' } }]);
      await handler.dispatch(next);
    }
    expect(turns).toBeGreaterThan(5);
    expect(turns).toBeLessThan(20);
  });
});

test('stopped tasks are not listed while RunTask answers', async () => {
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs: 1_000 };
  const uid = await stage.job({ completions: 30, parallelism: 10 });
  const handler = stage.handler();
  for (let second = 0; second < 60; second++) {
    await stage.settle(handler);
    stage.advance(1_000);
  }
  await stage.settle(handler);
  expect((await stage.status(uid)).phase.kind).toBe('finished');
  expect(handler.calls.filter((call) => call.startsWith('tasks.list'))).toEqual([]);
});

test.each([
  ['before it was made', 1],
  ['at the same moment', 2],
])('a dispatcher that looked for the template %s does not write off what was launched from it', async (_, looks) => {
  const { stage, uid, message } = await unheard({ runMs: 3_600_000 });
  stage.advance(3 * MINUTE_MS);
  stage.events = [];
  const handler = stage.handler();
  for (let n = 0; n < looks; n++) handler.arrange('jobs.readTemplates', async () => []);
  const spec = await stage.store.jobs.readSpec(uid);
  await newestTemplate(spec!, handler.deps);
  handler.arrange('tasks.prepare', async () => ({ kind: 'refused', reason: DENIED, misconfigured: true }));
  await handler.dispatch([message]);
  const facts = stage.take('facts').flatMap((body) => parseFactMessage(body).facts.map(({ kind }) => kind));
  expect(facts).toEqual(['launched']);
});
