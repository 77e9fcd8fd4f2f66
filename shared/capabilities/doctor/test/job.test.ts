import { describe, expect, test } from 'vitest';
import { sweepDeadLetters } from '../../../control/sweep/sweep-dead-letters.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { createDoctor } from '../control/create-doctor.ts';
import { changeJob, deleteJob } from '../../../control/lifecycle/job-changes.ts';
import { plusMs } from '../../../domain/base/time.ts';
import type { TaskArn } from '../../../domain/base/ids.ts';
import { emptyChunk } from '../../../domain/scoreboard/board.ts';
import { chunkLength } from '../../../domain/scoreboard/status.ts';
import { formatWakeUp } from '../../../schema/messages/queue-messages.ts';
import { NO_LOGS } from '../../../../test/support/no-logs.ts';
import { Stage } from '../../../../test/support/a-stage.ts';
import { MINUTE_MS, examiner, aJobAtWork, short, work, find, tamper, publish } from './examined-job.ts';

describe('a Job', () => {
  test('has only its active attempts as a finding while it runs, and none when it is over', async () => {
    const w = await aJobAtWork();
    const diagnosis = await work(w);
    expect(short(diagnosis)).toEqual(['info Active']);
    expect(find(diagnosis, 'Active')).toMatchObject({
      subject: 'job/default/work',
      what: 'active attempts: 2 running',
      since: plusMs(w.stage.time, -2_000),
    });
    w.stage.advance(3_600_000);
    await w.stage.settle();
    expect((await w.stage.status(w.uid)).phase.kind).toBe('finished');
    expect(short(await work(w))).toEqual([]);
    expect(await w.doctor.job('default', 'nobody')).toBeNull();
    expect(await w.doctor.job('elsewhere', 'work')).toBeNull();
  });

  test('with a task that ECS has forgotten: a warning, and an error if the sweep is late', async () => {
    const w = await aJobAtWork();
    const [task] = w.stage.live(w.uid, 1);
    (w.stage.tasks.all as Map<TaskArn, unknown>).delete(task!.arn);
    w.stage.advance(MINUTE_MS);
    expect(short(await work(w))).toEqual(['info Active']); // ECS may not know it yet
    w.stage.advance(2 * MINUTE_MS);
    const missing = find(await work(w), 'TaskMissing');
    expect(missing).toMatchObject({ severity: 'warning', what: expect.stringMatching(/^index 1: /) as string });
    expect(missing.remedy).toContain('the sweep looks up these tasks at ');
    w.stage.advance(6 * MINUTE_MS);
    expect(short(await work(w))).toEqual(['error AlarmOverdue', 'error TaskMissing', 'info Active']);
  });

  test('with tasks that ended without a fact', async () => {
    const w = await aJobAtWork({ completions: 40, parallelism: 40 });
    for (const index of [3, 4, 5, 9]) await w.stage.tasks.stop(w.stage.live(w.uid, index)[0]!.arn, 'by hand');
    w.stage.advance(30_000);
    w.stage.events = [];
    expect(short(await work(w))).toEqual(['info Active']); // the message may be in flight
    w.stage.advance(40_000);
    expect(find(await work(w), 'EndUnseen')).toMatchObject({
      severity: 'warning',
      what: '4 indexes (3-5,9): the task has stopped in ECS, but the board does not know it',
      since: plusMs(w.stage.time, -69_500),
    });
  });

  test('with tasks that run without a fact, are in no launch row, or start slowly', async () => {
    const stage = new Stage();
    const uid = await stage.job({ completions: 2, parallelism: 2 });
    await stage.settle();
    const w = { ...examiner(stage), stage, uid };
    stage.advance(30_000);
    stage.events = [];
    expect(short(await work(w))).toEqual(['info Active', 'info Waiting']); // ECS is starting them, as far as is known
    stage.advance(MINUTE_MS);
    expect(find(await work(w), 'StartUnseen').severity).toBe('warning');
    const row = await stage.store.jobs.readLaunches(uid, 0);
    await stage.store.jobs.writeLaunches(uid, { ...row, slots: row.slots.slice(1) }, plusMs(stage.time, 1e9));
    expect(find(await work(w), 'TaskUnknown').what).toMatch(/^index 0: /);

    const slow = new Stage();
    slow.fate = { ...slow.fate, startMs: 3_600_000 };
    await slow.job({ completions: 1, parallelism: 1 });
    await slow.settle();
    slow.advance(16 * MINUTE_MS);
    expect(find(await work(examiner(slow)), 'StartsSlowly')).toMatchObject({ severity: 'warning' });
  });

  test('with an unanswered launch', async () => {
    const stage = new Stage();
    await stage.job({ completions: 1, parallelism: 1 });
    const handler = stage.handler();
    handler.arrange('tasks.run', async () => Promise.reject(new Error('timeout')));
    await handler.pass(...stage.takeRequests());
    await handler.dispatch(stage.takeDispatches());
    stage.advance(5 * MINUTE_MS);
    expect(short(await work(examiner(stage)))).not.toContain('warning LaunchUnanswered');
    stage.advance(6 * MINUTE_MS);
    expect(find(await work(examiner(stage)), 'LaunchUnanswered').severity).toBe('warning');
    stage.advance(50 * MINUTE_MS);
    const late = await work(examiner(stage));
    expect(find(late, 'LaunchUnanswered').severity).toBe('error');
    // The claim was not sent again, because no sweep has run.
    expect(find(late, 'ClaimOverdue')).toMatchObject({
      severity: 'error',
      what: expect.stringMatching(/^1 claim due to be sent again/) as string,
    });
    expect(find(late, 'AlarmOverdue').severity).toBe('error');
  });

  test('with live tasks of an earlier attempt, of an index outside the Job, or next to the right task', async () => {
    const w = await aJobAtWork({}, 1e9);
    const template = (await w.stage.store.jobs.readTemplates(w.uid))[0]!;
    const job = { uid: w.uid, namespace: 'default', name: 'work' };
    for (const id of [
      { index: 0, attempt: 7, nonce: 0 },
      { index: 99, attempt: 1, nonce: 0 },
    ])
      await w.stage.tasks.run({ job, id, template, env: [] });
    w.stage.advance(30_000);
    expect(short(await work(w))).toEqual(['info Active']); // STATUS may be older than they are
    w.stage.advance(MINUTE_MS);
    expect(find(await work(w), 'StrangerTask')).toMatchObject({
      severity: 'warning',
      what: '2 indexes (0,99): a live task of the Job that is not a current attempt',
    });
    // A task that was replaced, and is being stopped, is known.
    const [replaced] = w.stage.live(w.uid, 99);
    const replacedTasks = { index: 99, attempt: 1, nonce: 0, taskArn: replaced!.arn, since: w.stage.time };
    await tamper(w.stage, w.uid, () => ({ replacedTasks: [replacedTasks] }));
    await publish(w.stage, w.uid, w);
    expect(find(await work(w), 'StrangerTask').what).toMatch(/^index 0: /);
    expect(find(await work(w), 'Replaced').what).toMatch(/1 attempt$/);
    await tamper(w.stage, w.uid, () => ({ replacedTasks: [] }));
    w.stage.advance(80 * MINUTE_MS);
    const late = await work(w);
    expect(find(late, 'StrangerTask').severity).toBe('error');
    // The right task of index 1, but the row names another.
    const row = await w.stage.store.jobs.readLaunches(w.uid, 0);
    const slots = row.slots.map((slot) =>
      slot.index === 1 && slot.state === 'launched' ? { ...slot, taskArn: `${slot.taskArn}x` as TaskArn } : slot,
    );
    await w.stage.store.jobs.writeLaunches(w.uid, { ...row, slots }, plusMs(w.stage.time, 1e9));
    expect(find(await work(w), 'StrangerTask').what).toMatch(/^3 indexes \(0,1,99\)/);
  });

  test('without an alarm, with a feed that is behind, or with inconsistent rows', async () => {
    const w = await aJobAtWork();
    await tamper(w.stage, w.uid, () => ({ alarms: [] }));
    expect(find(await work(w), 'NoAlarm').severity).toBe('error');
    expect(short(await work(w))).not.toContain('error FeedBehind');
    w.stage.advance(MINUTE_MS + 2_001);
    expect(find(await work(w), 'FeedBehind').severity).toBe('error');
    await publish(w.stage, w.uid, w);
    expect(short(await work(w))).toEqual(['error NoAlarm', 'info Active']);

    const status = await w.stage.status(w.uid);
    await w.stage.store.jobs.commitPass(w.uid, { ...status, version: status.version + 1 }, [
      { no: 0, expectedVersion: 0, chunk: emptyChunk(), length: chunkLength(status.size, 0) },
    ]);
    expect(find(await work(w), 'Torn')).toMatchObject({
      severity: 'error',
      what: expect.stringContaining('chunk 0 is at version 1, STATUS says 0') as string,
    });
  });

  test('is not torn if it is written during the reads', async () => {
    const w = await aJobAtWork();
    let reads = 0;
    const jobs: Deps['jobs'] = {
      ...w.deps.jobs,
      async readChunks() {
        reads++;
        await tamper(w.stage, w.uid, () => ({})); // another process commits each time
        return new Map([[0, { version: 5, chunk: emptyChunk() }]]);
      },
    };
    const doctor = createDoctor(
      { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...w.deps, jobs },
    );
    expect(short(await doctor.job('default', 'work'))).not.toContain('error Torn');
    expect(reads).toBe(4);
  });

  test("with tasks that cannot start: ECS's reason for one of them, if it can be read", async () => {
    const stage = new Stage();
    const reason = 'CannotPullContainerError: pull access denied for nobody/nothing';
    stage.fate = { ...stage.fate, ending: { ...stage.fate.ending, cause: 'StartFailed', exitCode: null, reason } };
    await stage.job({ completions: 1, parallelism: 1 });
    await stage.settle();
    stage.advance(2_000);
    await stage.settle();
    const seen = examiner(stage);
    const waiting = find(await work(seen), 'Waiting');
    expect(waiting).toMatchObject({
      severity: 'warning',
      remedy: expect.stringContaining('Fix what is named') as string,
    });
    expect(waiting.what).toContain(`1 waits: ${reason} (index 0), next try in`);

    const jobs: Deps['jobs'] = { ...seen.deps.jobs, readAttempts: async () => Promise.reject(new Error('throttled')) };
    const doctor = createDoctor(
      { deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...seen.deps, jobs },
    );
    expect(find(await doctor.job('default', 'work'), 'Waiting').what).toMatch(/^1 waits: their tasks cannot start/);
  });

  test('that is suspended, or waits for parallelism', async () => {
    const w = await aJobAtWork({ completions: 10, parallelism: 2 });
    expect(find(await work(w), 'Waiting').what).toMatch(/^8 wait: parallelism 2/);
    await w.stage.change(w.uid, { suspend: true });
    await w.stage.settle();
    w.stage.advance(10_000);
    await w.stage.settle();
    expect(find(await work(w), 'Waiting').what).toMatch(/suspended/);
    expect(find(await work(w), 'Waiting').remedy).toMatch(/spec.suspend/);
  });

  test('with attempts that do not stop', async () => {
    const stage = new Stage();
    stage.fate = { ...stage.fate, stopMs: 1e9 };
    const uid = await stage.job({ completions: 2, parallelism: 2 });
    await stage.settle();
    stage.advance(2_000);
    await stage.settle();
    await stage.change(uid, { suspend: true });
    await stage.settle();
    const e = examiner(stage);
    expect(find(await work(e), 'Stopping')).toMatchObject({
      severity: 'info',
      what: expect.stringMatching(/: 2 attempts$/) as string,
    });
    stage.advance(6 * MINUTE_MS);
    expect(find(await work(e), 'Stopping').severity).toBe('warning');
    stage.advance(30 * MINUTE_MS);
    expect(find(await work(e), 'Stopping').severity).toBe('error');
  });

  test('that finalizers or a foreground deletion hold', async () => {
    const w = await aJobAtWork({ finalizers: ['example.com/archive'] });
    await deleteJob(w.uid, w.deps, 'Foreground');
    const held = await work(w);
    expect(find(held, 'ForegroundDeletion').severity).toBe('info');
    expect(find(held, 'Finalizers')).toMatchObject({
      what: 'deleted, but held by its finalizers: example.com/archive',
      since: w.stage.time,
      remedy: expect.stringContaining('kubectl patch job work -n default') as string,
    });
    // Users no longer see the Job.
    const seen = { spec: (await w.stage.store.jobs.readSpec(w.uid))!, status: await w.stage.status(w.uid) };
    const { finalizers: _none, ...metadata } = seen.spec.manifest.metadata;
    await changeJob(seen, { manifest: { ...seen.spec.manifest, metadata } }, 'metadata', w.deps);
    expect(await work(w)).toBeNull();
    // Deleted between the two reads.
    const jobs = { ...w.deps.jobs, findJob: async () => w.uid };
    const ports = { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS };
    expect(await createDoctor(ports, { ...w.deps, jobs }).job('default', 'work')).toBeNull();
  });

  test('that outlives its ttlSecondsAfterFinished', async () => {
    const stage = new Stage();
    const uid = await stage.job({ completions: 1, parallelism: 1 });
    await stage.change(uid, { ttlSecondsAfterFinished: 60 });
    await stage.settle();
    stage.advance(3_700_000);
    await stage.settle();
    const e = examiner(stage);
    expect(short(await work(e))).toEqual([]);
    stage.advance(5 * MINUTE_MS);
    expect(short(await work(e))).toEqual(['error AlarmOverdue', 'error Outlived']);
  });

  test('with dead letters', async () => {
    const w = await aJobAtWork();
    const deadLetter = { queue: 'facts', id: 'm', receipt: 'r', body: formatWakeUp({ uid: w.uid }) } as const;
    let taken = false;
    const dead = {
      async take() {
        if (taken) return [];
        taken = true;
        return [{ ...deadLetter, reason: 'Error: boom', sentAt: w.stage.time }];
      },
      remove: async () => undefined,
    };
    await sweepDeadLetters({ dead, deadLetters: w.stage.store.deadLetters }, w.deps);
    await publish(w.stage, w.uid, w);
    expect(find(await work(w), 'DeadLetters')).toMatchObject({
      severity: 'warning',
      what: 'A message of the facts queue was moved to the dead-letter queue: Error: boom',
    });
    const page = await w.doctor.jobs({ namespace: 'default', after: null });
    expect(short(page)).toEqual(['info Active', 'warning DeadLetters']);
  });

  test('that is large: takes a bounded number of requests, and reports the sample', async () => {
    const stage = new Stage();
    const uid = await stage.job({ completions: 1_000, parallelism: 1_000 });
    for (let n = 0; n < 10; n++) {
      await stage.settle();
      stage.advance(1_500);
    }
    expect((await stage.status(uid)).chunks[0]!.running).toBe(1_000);
    const e = examiner(stage);
    const diagnosis = await work(e);
    expect(find(diagnosis, 'Sampled').what).toBe('500 of 1000 active attempts and 500 of more live tasks were checked');
    const calls = (name: string) => e.handler.calls.filter((call) => call === name).length;
    expect([calls('tasks.describe'), calls('tasks.listLive')]).toEqual([5, 5]);
    expect(e.handler.calls.length).toBeLessThan(25);
  });

  test('that is very large: only a part of its board is read', async () => {
    const stage = new Stage();
    const uid = await stage.job({ completions: 3 * 4096, parallelism: 0 });
    await stage.settle();
    await tamper(stage, uid, ({ chunks }) => ({ chunks: chunks.map((chunk) => ({ ...chunk, running: 400 })) }));
    const e = examiner(stage);
    const read: (readonly number[])[] = [];
    const jobs: Deps['jobs'] = {
      ...e.deps.jobs,
      async readChunks(asked, nos) {
        read.push(nos);
        return e.deps.jobs.readChunks(asked, nos);
      },
    };
    const doctor = createDoctor(
      { deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...e.deps, jobs },
    );
    expect(find(await doctor.job('default', 'work'), 'Active').what).toBe('active attempts: 1200 running');
    expect(read).toEqual([[0, 1]]);
  });
});
