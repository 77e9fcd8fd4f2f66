import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { deleteJob, deletePod } from '../../shared/control/lifecycle/job-changes.ts';
import type { TaskArn } from '../../shared/domain/base/ids.ts';
import { factOf } from '../../shared/domain/planner/ending.ts';
import type { AttemptId, Fact } from '../../shared/domain/base/fact.ts';
import { invariant } from '../../shared/domain/base/invariant.ts';
import type { TaskView } from '../../shared/domain/task/task.ts';
import type { DispatchMessage } from '../../shared/ports/queues.ts';
import { BAD, DONE, Stage } from '../support/a-stage.ts';

// More of the interleavings that a review of the design found: those of dispatchers, tasks and what tasks tell.

const FIRST: AttemptId = { index: 0, attempt: 1, nonce: 0 };
const HOUR_MS = 3_600_000;

/** One index, claimed; what the claim asks of the dispatchers. */
async function claimed(stage: Stage, wish: Parameters<Stage['job']>[0] = {}) {
  const uid = await stage.job({ completions: 1, parallelism: 1, ...wish });
  await stage.handler().pass(uid);
  stage.take('wake');
  return { uid, launch: stage.takeDispatches() };
}

/** One index whose task runs. */
async function running(stage: Stage, wish: Parameters<Stage['job']>[0] = {}) {
  const uid = await stage.job({ completions: 1, parallelism: 1, ...wish });
  await stage.settle();
  stage.advance(1_000);
  await stage.settle();
  const [task] = stage.live(uid, 0);
  invariant(task !== undefined, 'its task runs');
  return { uid, task };
}

const factsOf = (...views: readonly TaskView[]): readonly Fact[] => views.map(factOf).filter((fact) => fact !== null);

/** The same task later, ended as `ending` says. */
const ended = (task: TaskView, ending = DONE, version = task.version + 1): TaskView => ({
  ...task,
  stage: 'stopped',
  version,
  ending,
});

const stopsOf = (messages: readonly DispatchMessage[]): readonly TaskArn[] =>
  messages.flatMap((message) => (message.kind === 'stopTask' ? [message.taskArn] : []));

test('a claim that was cancelled is not launched by a message that comes late', async () => {
  const stage = new Stage();
  const { uid, launch } = await claimed(stage);
  await stage.change(uid, { suspend: true });
  await stage.settle(); // the claim is cancelled in its row, and the board has it pending again
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'pending', attempt: 1 });
  await stage.handler().dispatch(launch);
  await stage.settle();
  expect(stage.tasks.all.size).toBe(0);
});

test('a claim whose launch is under way cannot be cancelled: its task is stopped', async () => {
  const stage = new Stage();
  const { uid, launch } = await claimed(stage);
  const dispatcher = stage.handler();
  const held = dispatcher.hold('before', 'tasks.run');
  const launching = dispatcher.dispatch(launch);
  await held.reached;
  await stage.change(uid, { suspend: true });
  await stage.settle();
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'claimed' }); // not pending: a task may still appear
  held.release();
  await launching;
  await stage.settle();
  stage.advance(30_000); // the next round of stops
  await stage.settle();
  stage.advance(500);
  await stage.settle();
  expect(stage.started(uid, 0)).toMatchObject([{ stage: 'stopped' }]);
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'pending', attempt: 1 });
  expect(await stage.status(uid)).toMatchObject({ failed: 0, phase: { kind: 'suspended' } });
});

test('the task of a cancelled claim that launches anyway is stopped, and counts for nothing', async () => {
  const stage = new Stage();
  const { uid, launch } = await claimed(stage);
  await stage.change(uid, { suspend: true });
  await stage.settle();
  const dispatcher = stage.handler(); // it has read the row before the cancel, as no row could have been read
  dispatcher.arrange('jobs.readLaunches', async () => ({ row: 0, version: 0, slots: [] }));
  dispatcher.arrange('jobs.writeLaunches', async (_, [, row]) => ({ kind: 'written', row }));
  await dispatcher.dispatch(launch);
  stage.take('facts'); // and its answer is lost
  expect(stage.live(uid, 0)).toHaveLength(1);
  stage.advance(1_000);
  await stage.settle();
  stage.advance(500);
  await stage.settle();
  expect(stage.started(uid, 0)).toMatchObject([{ stage: 'stopped' }]);
  expect((await stage.status(uid)).chunks[0]).toMatchObject({ pending: 1, succeeded: 0 });
});

test.each(['the stranger first', 'the stranger last', 'both at once'])(
  'two nonces live (%s): one counts, the other is stopped',
  async (order) => {
    const stage = new Stage();
    const { uid, launch } = await claimed(stage);
    const dispatcher = stage.handler();
    dispatcher.arrange('tasks.run', async (perform) => {
      await perform(); // ECS says no, and starts it all the same
      return { kind: 'refused', reason: 'Capacity is unavailable at this time' };
    });
    await dispatcher.dispatch(launch);
    const pass = stage.handler();
    await pass.pass(...stage.takeRequests());
    stage.advance(60_000);
    stage.events = [];
    await pass.pass(uid);
    await pass.dispatch(stage.takeDispatches());
    stage.take('wake');
    await pass.pass(...stage.takeRequests());
    stage.advance(1_000);
    stage.events = [];

    const [stranger, current] = stage.live(uid, 0);
    invariant(stranger !== undefined && current !== undefined, 'both run');
    expect([stranger.id.nonce, current.id.nonce]).toEqual([0, 1]);
    const batches = {
      'the stranger first': [[stranger], [current]],
      'the stranger last': [[current], [stranger]],
      'both at once': [[current, stranger]],
    }[order];
    for (const views of batches ?? []) await pass.pass({ uid, facts: factsOf(...views) });
    expect(stopsOf(stage.takeDispatches())).toEqual([stranger.arn]);

    await pass.pass({ uid, facts: factsOf(ended(stranger)) });
    expect((await stage.board(uid))[0]).toMatchObject({ state: 'running', nonce: 1 });
    expect((await stage.status(uid)).phase.kind).toBe('running');
    await pass.pass({ uid, facts: factsOf(ended(stranger), ended(current)) });
    expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'finished' }, chunks: [{ succeeded: 1 }] });
  },
);

test('a token that has died is not replayed: a launch nobody knows the outcome of is looked for, and lost if it is nowhere', async () => {
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs: 1_000 };
  const { uid, launch } = await claimed(stage);
  const dead = stage.handler();
  const held = dead.hold('behind', 'tasks.run');
  void dead.dispatch(launch);
  await held.reached; // the task runs, and the process that started it is dead
  stage.advance(3 * HOUR_MS); // ECS has forgotten the task and its token
  stage.events = [];
  await stage.handler().dispatch(launch);
  expect(stage.tasks.all.size).toBe(1);
  await stage.handler().pass(...stage.takeRequests());
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'claimed', attempt: 2, infra: 1, failures: 0 });
  await stage.settle();
  expect(stage.started(uid, 0).map(({ id }) => id.attempt)).toEqual([1, 2]);
  await stage.handler().dispatch(launch); // and again, now that attempt 2 has the slot
  expect(stage.tasks.all.size).toBe(2);
});

test('a token that has died is not replayed: a task that still runs is found by its group', async () => {
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs: 10 * HOUR_MS };
  const { uid, launch } = await claimed(stage);
  const dead = stage.handler();
  const held = dead.hold('behind', 'tasks.run');
  void dead.dispatch(launch);
  await held.reached;
  stage.advance(3 * HOUR_MS);
  stage.events = [];
  const dispatcher = stage.handler();
  await dispatcher.dispatch(launch);
  expect(dispatcher.calls).not.toContain('tasks.run');
  const [task] = stage.live(uid, 0);
  expect((await stage.store.jobs.readLaunches(uid, 0)).slots).toMatchObject([
    { state: 'launched', taskArn: task?.arn },
  ]);
  await stage.handler().pass(...stage.takeRequests());
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'launched', attempt: 1 });
});

test('a ghost task with a higher version than the current one moves nothing, and is stopped', async () => {
  const stage = new Stage();
  const { uid, task } = await running(stage);
  const identity = { uid, namespace: 'default', name: 'work' };
  const template = { taskDefinition: 'work:1', containers: ['main'], placement: '' };
  await stage.tasks.run({ job: identity, id: { ...FIRST, nonce: 7 }, template, env: [] });
  stage.advance(1_000);
  stage.events = [];
  const [, ghost] = stage.live(uid, 0);
  invariant(ghost !== undefined, 'the ghost runs');
  const shown = { ...ghost, version: 50 };
  await stage.handler().pass({ uid, facts: factsOf(shown) });
  expect(stopsOf(stage.takeDispatches())).toEqual([ghost.arn]);
  await stage.handler().pass({ uid, facts: factsOf(ended(shown, DONE, 51)) });
  await stage.handler().pass({ uid, facts: factsOf(ended(shown, BAD, 52)) });
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'running', attempt: 1, nonce: 0, failures: 0 });
  await stage.handler().pass({ uid, facts: factsOf(ended(task, DONE, 3)) }); // of a lower version
  expect((await stage.status(uid)).phase).toMatchObject({ kind: 'finished', verdict: { kind: 'complete' } });
});

test('an old attempt’s facts that come beside a new one’s count once, and touch the new one not', async () => {
  const stage = new Stage();
  const { uid, task: old } = await running(stage);
  await stage.handler().pass({ uid, facts: factsOf(ended(old, BAD)) });
  stage.advance(10_000);
  stage.events = [];
  await stage.settle();
  stage.advance(1_000);
  const current = stage.live(uid, 0).find(({ id }) => id.attempt === 2);
  invariant(current !== undefined, 'attempt 2 runs');
  stage.events = [];
  await stage.handler().pass({ uid, facts: factsOf(current, ended(old, BAD), old, ended(old, DONE)) });
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'running', attempt: 2, failures: 1 });
  expect(await stage.status(uid)).toMatchObject({ failed: 1, chunks: [{ succeeded: 0, running: 1 }] });
  expect(stopsOf(stage.takeDispatches())).not.toContain(current.arn);
});

/** An event as EventBridge delivers it, told of an attempt of ours. */
function anEvent(file: string, task: TaskView, changed: Readonly<Record<string, unknown>> = {}): string {
  const event = JSON.parse(readFileSync(new URL(`../fixtures/ecs-events/${file}`, import.meta.url), 'utf8')) as {
    detail: Record<string, unknown>;
  };
  const { index, attempt, nonce } = task.id;
  const group = `muster:${index}:${attempt}:${nonce}`;
  const ours = { taskArn: task.arn, startedBy: task.job, group };
  return JSON.stringify({ ...event, detail: { ...event.detail, ...ours, ...changed } });
}

const STOPPED_BY_SOMEBODY = { stopCode: 'UserInitiated' };

test('exit 0 of a task that somebody stopped is no success, neither in DEPROVISIONING nor in STOPPED', async () => {
  const stage = new Stage();
  const { uid, task } = await running(stage);
  stage.mail.send('facts', anEvent('deprovisioning-exit-0.json', task, STOPPED_BY_SOMEBODY));
  await stage.settle();
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'running', attempt: 1 });
  stage.mail.send('facts', anEvent('stopped-by-us-exit-0.json', task)); // UserInitiated, and nobody of ours has asked
  await stage.handler().pass(...stage.takeRequests());
  expect(await stage.status(uid)).toMatchObject({ failed: 1, chunks: [{ succeeded: 0 }] });
});

test.each([
  ['in this order', ['deprovisioning-exit-0.json', 'completed.json']],
  ['STOPPED first', ['completed.json', 'deprovisioning-exit-0.json']],
  [
    'both of them twice',
    ['deprovisioning-exit-0.json', 'completed.json', 'deprovisioning-exit-0.json', 'completed.json'],
  ],
])('exit 0 counts with the first event that says so, and once: %s', async (_, files) => {
  const stage = new Stage();
  const { uid, task } = await running(stage, { completions: 2 });
  const complete = { failed: 0, chunks: [{ succeeded: 1, running: 0 }] };
  for (const file of files) {
    stage.mail.send('facts', anEvent(file, task));
    await stage.handler().pass(...stage.takeRequests());
    expect(await stage.status(uid)).toMatchObject(complete);
  }
});

test('a failure that DEPROVISIONING reports is tried again, and STOPPED of the same task touches neither', async () => {
  const stage = new Stage();
  const { uid, task } = await running(stage);
  const [container] = (JSON.parse(anEvent('completed.json', task)) as { detail: { containers: object[] } }).detail
    .containers;
  const failed = { containers: [{ ...container, exitCode: 3 }] };
  stage.mail.send('facts', anEvent('deprovisioning-exit-0.json', task, failed));
  await stage.settle();
  stage.advance(10_000); // the back-off of the Job
  await stage.settle();
  expect((await stage.board(uid))[0]).toMatchObject({ attempt: 2, failures: 1 });
  const before = await stage.status(uid);
  stage.events = [];
  stage.mail.send('facts', anEvent('completed.json', task, failed));
  await stage.handler().pass(...stage.takeRequests());
  expect((await stage.board(uid))[0]).toMatchObject({ attempt: 2, failures: 1 });
  expect(await stage.status(uid)).toMatchObject({ failed: 1, version: before.version });
});

test('exit 0 of a task that we stopped is neither success nor failure', async () => {
  const stage = new Stage();
  const { uid, task } = await running(stage);
  await stage.change(uid, { suspend: true });
  await stage.settle();
  stage.mail.send('facts', anEvent('stopped-by-us-exit-0.json', task));
  await stage.settle();
  expect(await stage.status(uid)).toMatchObject({ failed: 0, chunks: [{ succeeded: 0, pending: 1 }] });
});

test('the end of a replaced attempt is looked up if no event reports it, though nothing else of its chunk is active', async () => {
  const stage = new Stage();
  const { uid, task } = await running(stage, { backoffLimit: 0 });
  await stage.change(uid, { podReplacementPolicy: 'TerminatingOrFailed' });
  await stage.settle();
  await deletePod(uid, FIRST, stage.handler().deps);
  await stage.settle();
  const draining = { phase: { kind: 'draining' }, failed: 1, replacedTasks: [{ ...FIRST, taskArn: task.arn }] };
  expect(await stage.status(uid)).toMatchObject(draining);
  for (let minute = 0; minute < 15; minute++) {
    stage.advance(60_000);
    stage.events = []; // STOPPED is lost
    await stage.sweep();
    await stage.settle();
  }
  expect(await stage.status(uid)).toMatchObject({ phase: { kind: 'finished' }, failed: 1, replacedTasks: [] });
});

test('deleting a Pod is one fact; the pass that counts it has its task stopped, and says why', async () => {
  const stage = new Stage();
  const { uid, task } = await running(stage);
  stage.takeDispatches();
  await deletePod(uid, FIRST, stage.handler().deps);
  expect([stage.take('wake').length, stage.takeDispatches().length]).toEqual([0, 0]);
  await stage.settle();
  expect(stage.tasks.all.get(task.arn)?.view.stage).toBe('stopping');
  stage.advance(30_000);
  expect(stage.tasks.all.get(task.arn)?.view.ending?.reason).toMatch(/^Muster: the Pod was deleted/);
});

test('a late STOPPED of a former Job of the same name tells nothing of the new one', async () => {
  const stage = new Stage();
  const former = await running(stage, { uid: 'uid-former' });
  await deleteJob(former.uid, stage.handler().deps);
  const next = await running(stage, { uid: 'uid-next' });
  await deleteJob(former.uid, stage.handler().deps); // asked twice: the name is not the former's any more
  expect(await stage.store.jobs.findJob('default', 'work')).toBe(next.uid);

  const late = factsOf(ended(former.task));
  await stage.handler().pass({ uid: next.uid, facts: [] }, { uid: former.uid, facts: late });
  expect((await stage.board(next.uid))[0]).toMatchObject({ state: 'running', attempt: 1 });
  expect((await stage.status(former.uid)).phase.kind).toBe('deleted');

  stage.advance(60 * 24 * HOUR_MS); // the former's rows have expired
  expect(await stage.handler().pass({ uid: former.uid, facts: late })).toMatchObject([{ outcome: { kind: 'gone' } }]);
  expect((await stage.board(next.uid))[0]).toMatchObject({ state: 'running', attempt: 1 });
});

test('a task that another dispatcher has found and stopped meanwhile is not taken for lost', async () => {
  const stage = new Stage();
  const { uid, launch } = await claimed(stage);
  const dead = stage.handler();
  const launching = dead.hold('behind', 'tasks.run');
  void dead.dispatch(launch);
  await launching.reached; // and never released: the row says launching, the task runs
  stage.advance(HOUR_MS / 60);
  stage.advance(45 * 60_000); // the token may be dead
  stage.events = [];

  const slow = stage.handler();
  const looking = slow.hold('before', 'tasks.listLive');
  const looked = slow.dispatch(launch);
  await looking.reached;
  await stage.handler().dispatch(launch);
  await stage.handler().dispatch([{ kind: 'pack', uid, launch: [], stop: [FIRST] }]);
  expect([...stage.tasks.all.values()].map(({ view }) => view.stage)).toEqual(['stopping']);
  looking.release();
  await looked;
  await stage.handler().pass(uid);
  await stage.settle();
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'launched', attempt: 1, nonce: 0 });
});
