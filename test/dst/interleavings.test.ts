import { expect, test } from 'vitest';
import type { AttemptId, Fact } from '../../shared/domain/base/fact.ts';
import { plusMs } from '../../shared/domain/base/time.ts';
import { type JobUid, asTaskArn } from '../../shared/domain/base/ids.ts';

import { BAD, DONE, Stage, VISIBILITY_MS } from '../support/a-stage.ts';

// The interleavings that a review of the design found, one directed test each: here those of passes with one another
// and with the store. What tasks and dispatchers do to one another is in interleavings-of-tasks.test.ts.

const LARGE = 500; // the claims of the first pass are as many as make it fold the journal into the chunk
const ids = (count: number): readonly AttemptId[] =>
  Array.from({ length: count }, (_, index) => ({ index, attempt: 1, nonce: 0 }));
const arnOf = ({ index }: AttemptId) => asTaskArn(`arn:aws:ecs:us-east-1:1:task/muster/${index}`);

const launched = (stage: Stage, count: number): readonly Fact[] =>
  ids(count).map((id) => ({ ...id, kind: 'launched', taskArn: arnOf(id), at: stage.time }));
const running = (stage: Stage, count: number): readonly Fact[] =>
  ids(count).map((id) => ({ ...id, kind: 'running', taskArn: arnOf(id), at: stage.time }));
const stopped = (stage: Stage, id: AttemptId, ending = DONE): Fact => ({
  ...id,
  kind: 'stopped',
  taskArn: arnOf(id),
  ending,
  times: { createdAt: stage.time, startedAt: stage.time, stoppedAt: stage.time },
  at: stage.time,
});

/** A Job with a chunk in the store, and a handler that has it in its cache. */
async function foldedOnce(stage: Stage) {
  const uid = await stage.job({ completions: LARGE, parallelism: LARGE });
  const handler = stage.handler();
  await handler.pass(uid);
  expect((await stage.status(uid)).chunks[0]).toMatchObject({ version: 1, starting: LARGE });
  return { uid, handler };
}

/** How many indexes are in which state. */
async function states(stage: Stage, uid: JobUid): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of await stage.board(uid)) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

test('a torn load: a chunk in the cache that is older than STATUS is not used', async () => {
  const stage = new Stage();
  const { uid, handler } = await foldedOnce(stage);
  await stage.handler().pass({ uid, facts: launched(stage, LARGE) });
  expect((await stage.status(uid)).chunks[0]?.version).toBe(2);

  await handler.pass({ uid, facts: launched(stage, 10) }); // told twice: by its own chunk, these are claims still
  await handler.pass({ uid, facts: running(stage, 10) });
  expect(await states(stage, uid)).toEqual({ running: 10, launched: LARGE - 10 });
});

test('a torn load: a chunk that is read older than STATUS makes the load begin again', async () => {
  const stage = new Stage();
  const { uid } = await foldedOnce(stage);
  const old = await stage.store.jobs.readChunks(uid, [0]);
  await stage.handler().pass({ uid, facts: launched(stage, LARGE) });

  const fresh = stage.handler();
  fresh.arrange('jobs.readChunks', async () => old);
  await fresh.pass({ uid, facts: running(stage, LARGE) });
  expect(fresh.calls.filter((call) => call === 'jobs.readStatus')).toHaveLength(2);
  expect(fresh.counts.get('CommitsLost')).toBeUndefined();
  expect(await states(stage, uid)).toEqual({ running: LARGE });
});

test('a torn load: a chunk that is folded anew after STATUS was read makes the load begin again', async () => {
  const stage = new Stage();
  const { uid, handler } = await foldedOnce(stage);
  const slow = stage.handler();
  const held = slow.hold('before', 'jobs.readChunks');
  const pass = slow.pass({ uid, facts: running(stage, LARGE) });
  await held.reached;
  await handler.pass({ uid, facts: launched(stage, LARGE) });
  held.release();
  await pass;
  expect(slow.calls.filter((call) => call === 'jobs.readStatus')).toHaveLength(2);
  expect(slow.counts.get('CommitsLost')).toBeUndefined();
  expect(await states(stage, uid)).toEqual({ running: LARGE });
});

test('a spec that is edited between a load and its commit is the one that the pass goes by', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 4, parallelism: 4 });
  const handler = stage.handler();
  const held = handler.hold('before', 'jobs.commitPass');
  const pass = handler.pass(uid);
  await held.reached;
  await stage.change(uid, { parallelism: 1 });
  held.release();
  await pass;
  expect(handler.counts.get('CommitsLost')).toBe(1);
  expect(stage.takeDispatches()).toMatchObject([{ kind: 'pack', launch: [{ index: 0, attempt: 1 }] }]);
  expect(await stage.status(uid)).toMatchObject({ revision: 2, inFlight: [{ index: 0 }] });
});

test('a pass that dies between the record of an attempt and its commit is repeated, and counts it once', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 2 });
  await stage.settle();
  const facts = [stopped(stage, ids(2)[0]!), stopped(stage, ids(2)[1]!, BAD)];
  const dead = stage.handler();
  const held = dead.hold('before', 'jobs.commitPass');
  void dead.pass({ uid, facts });
  await held.reached; // and never released
  expect(await stage.store.jobs.readAttempts(uid, 0, 1)).toHaveLength(2);
  expect((await stage.status(uid)).failed).toBe(0);

  await stage.handler().pass({ uid, facts }); // the message comes again
  await stage.handler().pass({ uid, facts }); // and once more
  const status = await stage.status(uid);
  expect(status.failed).toBe(1);
  expect(status.chunks[0]).toMatchObject({ succeeded: 1, failed: 0 });
  expect(await stage.store.jobs.readAttempts(uid, 0, 1)).toHaveLength(2);
});

test('a pass that dies right after its commit leaves its claims to a later pass', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  stage.take('wake');
  const dead = stage.handler();
  const held = dead.hold('behind', 'jobs.commitPass');
  void dead.pass(uid);
  await held.reached;
  expect(stage.mail.size('dispatch')).toBe(0);
  stage.advance(60_000);
  await stage.handler().pass(uid);
  await stage.settle();
  expect(stage.started(uid, 0)).toHaveLength(1);
});

test('not every pass sends all claims again: only those that nobody has answered for a minute, and once', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 10, parallelism: 10 });
  for (let n = 0; n < 5; n++) await stage.handler().pass(uid);
  expect(stage.mail.size('dispatch')).toBe(1);
  stage.advance(59_999);
  for (let n = 0; n < 5; n++) await stage.handler().pass(uid);
  expect(stage.mail.size('dispatch')).toBe(1);
  stage.advance(1);
  for (let n = 0; n < 5; n++) await stage.handler().pass(uid);
  expect(stage.mail.size('dispatch')).toBe(2);

  // Both copies of each claim, side by side: one task each.
  const [first = [], second = []] = stage.takeDispatches().map((message) => [message]);
  await Promise.all([stage.handler().dispatch(first), stage.handler().dispatch([...second, ...first])]);
  expect(stage.tasks.all.size).toBe(10);
});

test('a Job that is shrunk and regrown goes on with its attempt numbers (work queue)', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completionMode: 'NonIndexed', completions: null, parallelism: 4 });
  const attempts = async () => (await stage.board(uid)).map(({ attempt, state }) => `${attempt} ${state}`);
  await stage.settle();
  stage.advance(1_000);
  await stage.settle();
  expect(await attempts()).toEqual(Array.from({ length: 4 }, () => '1 running'));

  await stage.change(uid, { parallelism: 1 });
  await stage.settle();
  const late = stage.started(uid, 3);
  stage.advance(500);
  await stage.settle();
  expect(await attempts()).toEqual(['1 running', '1 pending', '1 pending', '1 pending']);

  await stage.change(uid, { parallelism: 5 });
  await stage.settle();
  stage.advance(1_000);
  stage.events.push(...late.map((view) => ({ ...view, stage: 'stopped' as const, ending: DONE }))); // told late: of attempt 1
  await stage.settle();
  expect(await attempts()).toEqual(['1 running', '2 running', '2 running', '2 running', '1 running']);
  expect((await stage.status(uid)).failed).toBe(0);
});

test('a Job that is shrunk and regrown goes on with its attempt numbers (Indexed)', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 4, parallelism: 4 });
  const attempts = async () => (await stage.board(uid)).map(({ attempt, state }) => `${attempt} ${state}`);
  await stage.settle();
  stage.advance(1_000);
  await stage.settle();
  await stage.change(uid, { parallelism: 2, completions: 2 });
  await stage.settle();
  stage.advance(500);
  await stage.settle();
  expect(await attempts()).toEqual(['1 running', '1 running', '1 pending', '1 pending']);
  expect((await stage.status(uid)).size).toBe(4); // history

  await stage.change(uid, { parallelism: 5, completions: 5 });
  await stage.settle();
  stage.advance(1_000);
  await stage.settle();
  expect(await attempts()).toEqual(['1 running', '1 running', '2 running', '2 running', '1 running']);
});

test('indexes beyond a number of completions that was lowered are not started, though one below it has to wait', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 4, parallelism: 1 });
  const taken = { cause: 'Infrastructure', exitCode: null, container: null, reason: 'the host is gone' } as const;
  for (const attempt of [1, 2]) {
    await stage.settle();
    await stage.handler().pass({ uid, facts: [stopped(stage, { index: 0, attempt, nonce: 0 }, taken)] });
  }
  await stage.change(uid, { completions: 2, parallelism: 2 });
  await stage.settle();
  expect((await stage.board(uid)).map(({ attempt, state }) => `${attempt} ${state}`)).toEqual([
    '2 pending',
    '1 launched',
    '0 pending',
    '0 pending',
  ]);
});

test('alarms do not multiply: wake-ups that come twice, and passes for other reasons, send no more of them', async () => {
  const stage = new Stage();
  stage.fate = { ...stage.fate, startMs: 500, runMs: 86_400_000 };
  const uid = await stage.job({ completions: 3, parallelism: 3 });
  await stage.settle();
  stage.advance(1_000);
  await stage.settle();
  let largest = 0;
  for (let minute = 0; minute < 180; minute++) {
    stage.advance(60_000);
    for (const look of stage.takeRequests()) {
      await stage.handler().pass(look);
      await stage.handler().pass(look); // it came twice
    }
    for (let n = 0; n < 3; n++) await stage.handler().pass(uid);
    stage.take('dispatch');
    largest = Math.max(largest, stage.mail.size('wake'));
  }
  expect(largest).toBeLessThanOrEqual(2);
  expect((await stage.status(uid)).alarms.length).toBeLessThanOrEqual(2);
});

test('a handler whose clock is 3 s behind does not turn a Job’s time back', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 2, parallelism: 1 });
  const late = stage.handler({ skewMs: -3_000 });
  await stage.handler().pass(uid);
  const before = await stage.status(uid);
  await late.pass({ uid, facts: [stopped(stage, ids(1)[0]!)] });
  const after = await stage.status(uid);
  expect(after.now).toBe(before.now);
  expect(after.inFlight).toMatchObject([{ index: 1, dueAt: plusMs(before.now, 60_000) }]);
  await late.pass({ uid, facts: [stopped(stage, ids(2)[1]!)] });
  const { phase, startTime } = await stage.status(uid);
  expect(phase).toMatchObject({ kind: 'finished', at: before.now });
  expect(startTime).toBe(before.now);
});

test('a wake-up that a handler with a late clock gets too early is not missed for good', async () => {
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs: 1_000, ending: BAD };
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  for (let n = 0; n < 2; n++) {
    await stage.settle();
    stage.advance(1_000);
  }
  await stage.settle();
  expect((await stage.status(uid)).failed).toBe(1);
  stage.fate = { ...stage.fate, ending: DONE };
  stage.advance(10_000); // the back-off is over, but not for this one
  const late = stage.handler({ skewMs: -3_000 });
  await stage.settle(late);
  expect((await stage.board(uid))[0]).toMatchObject({ state: 'pending', attempt: 1 });
  for (let n = 0; n < 2; n++) {
    stage.advance(60_000);
    await stage.sweep(late);
    await stage.settle(late);
  }
  expect(stage.started(uid, 0).map(({ id }) => id.attempt)).toEqual([1, 2]);
});

test('lost races do not end in the dead-letter queue: facts are sent again as a new message', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  await stage.settle();
  const fact = stopped(stage, ids(1)[0]!);
  await stage.mail.queues.facts([{ uid, facts: [fact] }], 0);
  for (let round = 0; round < 10; round++) {
    const unlucky = stage.handler();
    for (let n = 0; n < 6; n++) unlucky.arrange('jobs.commitPass', async () => ({ kind: 'lost' }));
    expect(await stage.receive('facts', unlucky)).toMatchObject([{ kind: 'returned', outcome: { kind: 'contended' } }]);
    stage.advance(VISIBILITY_MS);
  }
  expect(stage.mail.dead('facts')).toEqual([]);
  expect(stage.mail.size('facts')).toBe(1);
  await stage.settle();
  expect((await stage.status(uid)).phase).toMatchObject({ kind: 'finished', verdict: { kind: 'complete' } });
});

test('lost races of a wake-up make a new wake-up, which still asks for the look-up', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 1, parallelism: 1 });
  stage.take('wake');
  await stage.mail.queues.wake([{ uid, delaySec: 0, inspect: true }]);
  for (let round = 0; round < 5; round++) {
    const unlucky = stage.handler();
    for (let n = 0; n < 6; n++) unlucky.arrange('jobs.commitPass', async () => ({ kind: 'lost' }));
    expect(await stage.receive('wake', unlucky)).toMatchObject([{ kind: 'returned', outcome: { kind: 'contended' } }]);
    stage.advance(VISIBILITY_MS);
  }
  expect(stage.mail.dead('wake')).toEqual([]);
  await stage.receive('wake', stage.handler());
  expect(stage.takeDispatches()).toContainEqual({ kind: 'inspect', uid, from: 0 });
});
