import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sweepDeadLetters } from '../../../shared/control/sweep/sweep-dead-letters.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { createDoctor } from '../../../shared/control/doctor/create-doctor.ts';
import { changeJob, deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import { asEpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { type JobUid, type TaskArn, asJobUid } from '../../../shared/domain/base/ids.ts';
import { emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { FINDING_KINDS, type FindingKind } from '../../../shared/domain/diagnose/finding.ts';
import { freshNamespace, terminating } from '../../../shared/domain/spec/namespace.ts';
import { type Status, chunkLength } from '../../../shared/domain/scoreboard/status.ts';
import type { StoredDeadLetter, QueueDepth } from '../../../shared/ports/dead-letters.ts';
import type { LogReader } from '../../../shared/ports/log-reader.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Diagnosis } from '../../../shared/ports/doctor.ts';
import { formatWakeUp } from '../../../shared/schema/messages/queue-messages.ts';
import type { JobWish } from '../../support/a-job.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { NO_LOGS } from '../../support/no-logs.ts';
import { BAD, Stage } from '../../support/a-stage.ts';

const MINUTE_MS = 60_000;
const IDLE: QueueDepth = { queue: 'facts', waiting: 0, hidden: 0, delayed: 0, dead: 0 };

function examiner(stage: Stage, depths: readonly QueueDepth[] = []) {
  const handler = stage.handler();
  const deps: Deps = { ...handler.deps, clock: { ...handler.deps.clock, sleep: async () => undefined } };
  const doctor = createDoctor(
    { deadLetters: stage.store.deadLetters, queueDepths: async () => depths, logs: NO_LOGS },
    deps,
  );
  return { handler, deps, doctor };
}

/** A Job `work` of two indexes whose tasks run. */
async function aJobAtWork(wish: JobWish = {}, runMs = 3_600_000) {
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs };
  const uid = await stage.job({ completions: 2, parallelism: 2, ...wish });
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  return { stage, uid, ...examiner(stage) };
}

const short = (diagnosis: Diagnosis | null) =>
  diagnosis!.findings.map(({ severity, kind }) => `${severity} ${kind}`).toSorted();
const work = async ({ doctor }: ReturnType<typeof examiner>) => doctor.job('default', 'work');
const find = (diagnosis: Diagnosis | null, kind: FindingKind) => {
  const found = diagnosis!.findings.filter((finding) => finding.kind === kind);
  expect(found, `one ${kind} of ${short(diagnosis).join(', ')}`).toHaveLength(1);
  return found[0]!;
};

/** Changes STATUS without a pass. */
async function tamper(stage: Stage, uid: JobUid, change: (status: Status) => Partial<Status>): Promise<void> {
  const status = await stage.status(uid);
  await stage.store.jobs.commitPass(uid, { ...status, ...change(status), version: status.version + 1 }, []);
}
/** The feed has it. */
async function publish(stage: Stage, uid: JobUid, { deps }: { readonly deps: Deps }): Promise<void> {
  await deps.publisher.publish((await stage.store.jobs.readSpec(uid))!.identity, await stage.status(uid));
}

/** Its Pods have names. */
const subdomainOf = (spec: StoredSpec | null) => {
  const { template } = spec!.manifest.spec;
  return { template: { ...template, spec: { ...template.spec, subdomain: 'workers' } } };
};

describe('of a Job that has failed', () => {
  const logOf = (lines: readonly string[]): LogReader => ({
    ...NO_LOGS,
    readBack: async () => ({
      kind: 'lines',
      lines: lines.map((text) => ({ atMs: 0, text })),
      next: '',
      previous: '',
    }),
  });
  /** Its tasks end with exit code 1 after a second; `log` is what each has printed. */
  async function aFailedJob(wish: JobWish = {}, log: readonly string[] = [], ending = BAD) {
    const stage = new Stage();
    stage.fate = { ...stage.fate, runMs: 1_000, ending };
    const uid = await stage.job({ completions: 3, parallelism: 2, backoffLimit: 0, ...wish });
    for (let nth = 0; nth < 8; nth++) {
      stage.advance(1_000);
      await stage.settle();
    }
    let logReads = 0;
    const { handler, deps } = examiner(stage);
    const logs: LogReader = {
      ...logOf(log),
      readBack: async (page) => {
        logReads++;
        return logOf(log).readBack(page);
      },
    };
    const doctor = createDoctor({ deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs }, deps);
    return { stage, uid, handler, deps, doctor, logReads: () => logReads };
  }

  test('since when, for which reason, which indexes, by exit code, with the last line and what to do', async () => {
    const w = await aFailedJob({}, ['Traceback (most recent call last):', 'KeyError: 7', ' ']);
    const diagnosis = await work(w);
    expect(short(diagnosis)).toEqual(['error JobFailed', 'error PodsFailed']);
    const { phase } = await w.stage.status(w.uid);
    expect(find(diagnosis, 'JobFailed')).toMatchObject({
      what: expect.stringMatching(
        /^BackoffLimitExceeded: Job has reached the specified backoff limit.*; 0 of 3 succeeded, 2 attempts failed$/,
      ) as string,
      since: phase.kind === 'finished' ? phase.at : undefined,
      remedy: expect.stringContaining('run it again: muster run -f FILE') as string,
      details: { reason: 'BackoffLimitExceeded', failedAttempts: 2, succeeded: 0 },
    });
    expect(find(diagnosis, 'PodsFailed')).toMatchObject({
      what: 'exit code 1: 2 indexes (0,1); the log of index 0 ends with: KeyError: 7',
      remedy: 'Full log: muster logs work --index 0 --attempt 1',
      details: {
        reason: 'Error',
        exitCode: 1,
        verdict: 'failed: exit code 1',
        indexes: '0,1',
        log: ['Traceback (most recent call last):', 'KeyError: 7'],
      },
    });
  });

  test('while it is tried again a failure is a warning', async () => {
    const w = await aFailedJob({ backoffLimit: 6 }, ['no']);
    expect(short(await work(w))).toContain('warning PodsFailed');
    expect(short(await work(w))).not.toContain('error JobFailed');
  });

  test('what never started has no log to be read', async () => {
    const reason = 'CannotStartContainerError: python: command not found';
    const w = await aFailedJob({}, [], { cause: 'StartFailed', exitCode: null, container: null, reason });
    const found = find(await work(w), 'PodsFailed');
    expect(found.what).toContain('TaskFailedToStart: CannotStartContainerError: python: command not found');
    expect(found.remedy).toBe('Fix what is named: image, secret, or log group.');
  });

  test('however many indexes have failed alike, one log is read, and few records', async () => {
    const w = await aFailedJob({ completions: 1_000, parallelism: 1_000, backoffLimit: 2_000 }, ['no']);
    let records = 0;
    const jobs = {
      ...w.deps.jobs,
      readAttempts: async (uid: JobUid, from: number, to: number) => {
        records += to - from + 1;
        return w.stage.store.jobs.readAttempts(uid, from, to);
      },
    };
    const doctor = createDoctor(
      { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: logOf(['no']) },
      { ...w.deps, jobs },
    );
    const diagnosis = await doctor.job('default', 'work');
    expect(find(diagnosis, 'PodsFailed').what).toMatch(/^exit code 1: 500 indexes/);
    expect(short(diagnosis)).toContain('info Sampled');
    expect(records).toBeLessThan(600);
    await w.doctor.failures('default', 'work');
    expect(w.logReads()).toBe(1);
  });

  test('a log that cannot be read leaves the rest', async () => {
    const w = await aFailedJob();
    const logs: LogReader = {
      ...NO_LOGS,
      readBack: async () => {
        throw new Error('throttled');
      },
    };
    const doctor = createDoctor({ deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs }, w.deps);
    const diagnosis = await doctor.job('default', 'work');
    expect(find(diagnosis, 'PodsFailed').remedy).toContain('could not be read: Error: throttled');
  });

  test('among all Jobs it is a warning for a day, and its Pods are not read', async () => {
    const w = await aFailedJob();
    const page = () => w.doctor.jobs({ namespace: null, after: null });
    expect((await page()).findings).toMatchObject([
      { severity: 'warning', kind: 'JobFailed', remedy: 'See why: muster doctor work' },
    ]);
    expect(w.logReads()).toBe(0);
    w.stage.advance(25 * 3_600_000);
    expect((await page()).findings.filter(({ kind }) => kind === 'JobFailed')).toEqual([]);
    expect(short(await work(w))).toContain('error JobFailed');
  });
});

describe('of a Job', () => {
  test('that runs: what is active, and nothing else; of one that is over: nothing', async () => {
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

  test('whose task ECS has forgotten: it heals itself, unless the sweep is late', async () => {
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

  test('whose tasks have ended without a fact', async () => {
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

  test('whose tasks run without a fact, start slowly, or have no names yet', async () => {
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

  test('whose launch is unanswered', async () => {
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

  test('that has live tasks which are not current attempts: of an earlier attempt, of an index outside the Job, next to the right one', async () => {
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

  test('that has no alarm, whose watches lack changes, whose rows are inconsistent', async () => {
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

  test('that is only being written while it is read is not torn', async () => {
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

  test("whose tasks cannot start, with ECS's text about one of them; without it if it cannot be read", async () => {
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

  test('that a user has suspended, and what waits for places', async () => {
    const w = await aJobAtWork({ completions: 10, parallelism: 2 });
    expect(find(await work(w), 'Waiting').what).toMatch(/^8 wait: parallelism 2/);
    await w.stage.change(w.uid, { suspend: true });
    await w.stage.settle();
    w.stage.advance(10_000);
    await w.stage.settle();
    expect(find(await work(w), 'Waiting').what).toMatch(/suspended/);
    expect(find(await work(w), 'Waiting').remedy).toMatch(/spec.suspend/);
  });

  test('whose attempts do not stop', async () => {
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

  test('that finalizers hold, and one that is deleted in the foreground', async () => {
    const w = await aJobAtWork({ finalizers: ['example.com/archive'] });
    await deleteJob(w.uid, w.deps, 'Foreground');
    const held = await work(w);
    expect(find(held, 'ForegroundDeletion').severity).toBe('info');
    expect(find(held, 'Finalizers')).toMatchObject({
      what: 'deleted, but held by its finalizers: example.com/archive',
      since: w.stage.time,
      remedy: expect.stringContaining('kubectl patch job work -n default') as string,
    });
    // Users no longer see it: there is no Job with that name any more.
    const seen = { spec: (await w.stage.store.jobs.readSpec(w.uid))!, status: await w.stage.status(w.uid) };
    const { finalizers: _none, ...metadata } = seen.spec.manifest.metadata;
    await changeJob(seen, { manifest: { ...seen.spec.manifest, metadata } }, 'metadata', w.deps);
    expect(await work(w)).toBeNull();
    // Deleted between the two reads.
    const jobs = { ...w.deps.jobs, findJob: async () => w.uid };
    const ports = { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS };
    expect(await createDoctor(ports, { ...w.deps, jobs }).job('default', 'work')).toBeNull();
  });

  test('that has outlived itself', async () => {
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

  test('that has dead letters', async () => {
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

  test('whose names do not resolve to the right task, and that keeps names when it is over', async () => {
    const stage = new Stage();
    stage.fate = { ...stage.fate, runMs: 30 * MINUTE_MS };
    const uid = await stage.job({ completions: 3, parallelism: 3 });
    await stage.change(uid, subdomainOf(await stage.store.jobs.readSpec(uid)));
    await stage.settle();
    stage.advance(2_000);
    await stage.settle();
    const task = (index: number, attempt: number) => ({
      attempt,
      nonce: 0,
      taskArn: stage.live(uid, index)[0]!.arn,
      ip: '10.0.0.1',
      calledAt: null,
      registered: true,
    });
    const host = (index: number, attempt: number) => ({ index, serviceId: 's', tasks: [task(index, attempt)] });
    const underWay = { ...host(2, 1), tasks: [{ ...task(2, 1), registered: false }] };
    const e = examiner(stage);
    const named = createDoctor(
      { deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...e.deps, hostnames: {} as Deps['hostnames'] },
    );
    const { hosts } = e.deps;
    await hosts.reserve(uid, 3, 2_000, stage.time);
    await hosts.writeHosts(
      uid,
      { row: 0, version: 0, hosts: [host(0, 1), host(1, 7), underWay] },
      plusMs(stage.time, 1e9),
    );
    const diagnosis = await named.job('default', 'work');
    expect(find(diagnosis, 'NameAstray').what).toMatch(/^index 1: /);
    expect(find(diagnosis, 'Unnamed').what).toMatch(/^2 indexes \(1,2\): /);
    expect(short(await work(e))).toEqual(['info Active']); // this installation has no names
    stage.advance(31 * MINUTE_MS);
    await stage.settle();
    expect((await stage.status(uid)).phase.kind).toBe('finished');
    // The message that removes the names has not come.
    await hosts.reserve(uid, 3, 2_000, stage.time);
    await hosts.writeHosts(uid, { ...(await hosts.readHosts(uid, 0)), hosts: [host0()] }, plusMs(stage.time, 1e9));
    expect(find(await named.job('default', 'work'), 'NamesHeld')).toMatchObject({
      severity: 'warning',
      what: 'it is over, and has names: 1 record, 3 names reserved',
    });
    expect(short(await named.installation())).toEqual([]);
    stage.advance(11 * MINUTE_MS);
    expect(find(await named.job('default', 'work'), 'NamesHeld').severity).toBe('error');
    expect(find(await named.installation(), 'NamesHeld').subject).toBe('job/default/work');

    function host0() {
      const { arn } = stage.started(uid, 0)[0]!;
      const record = { attempt: 1, nonce: 0, taskArn: arn, ip: '10.0.0.1', calledAt: null, registered: true };
      return { index: 0, serviceId: 's', tasks: [record] };
    }
  });

  test('that is large: a bounded number of requests, and it says so', async () => {
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

  test('whose board is read only in part', async () => {
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

describe('of the installation', () => {
  const ask = async (stage: Stage, depths: readonly QueueDepth[] = []) => examiner(stage, depths).doctor.installation();

  test('that is idle, or at work: nothing', async () => {
    expect(await ask(new Stage(), [IDLE])).toMatchObject({ findings: [], deadLetters: [] });
    const { stage } = await aJobAtWork();
    stage.advance(2 * MINUTE_MS);
    expect(short(await ask(stage, [{ ...IDLE, waiting: 900, hidden: 20 }]))).toEqual([]);
  });

  test('whose sweep does not run', async () => {
    const { stage } = await aJobAtWork();
    stage.advance(9 * MINUTE_MS); // its look-up is due after five
    expect(find(await ask(stage), 'AlarmOverdue')).toMatchObject({
      severity: 'error',
      subject: 'installation',
      what: 'due to be checked minutes ago, and were not: 1 Job (job/default/work)',
    });
    const shallow = await examiner(stage).doctor.jobs({ namespace: null, after: null });
    expect(find(shallow, 'AlarmOverdue').subject).toBe('job/default/work');
  });

  test('whose queues are full, and that has dead letters', async () => {
    const full = await ask(new Stage(), [
      { ...IDLE, queue: 'dispatch', waiting: 1_001, hidden: 3, delayed: 4 },
      { ...IDLE, dead: 2 },
    ]);
    expect(full.findings.map(({ subject, what }) => `${subject}: ${what}`)).toEqual([
      'queue/dispatch: 1001 messages wait (3 are being processed, 4 are delayed)',
      'queue/facts: 2 dead letters to be filed',
    ]);
    const stage = new Stage();
    const deadLetter = (nth: number, change: Partial<StoredDeadLetter> = {}): StoredDeadLetter => ({
      queue: 'facts',
      id: `m${nth}`,
      body: 'b',
      reason: 'Error: boom',
      sentAt: plusMs(stage.time, -nth * MINUTE_MS),
      job: asJobUid('uid-1'),
      filedAt: stage.time,
      ...change,
    });
    const old = { queue: 'wake', job: null, sentAt: plusMs(stage.time, -48 * 60 * MINUTE_MS) } as const;
    await stage.store.deadLetters.file([deadLetter(1), deadLetter(2), deadLetter(3, old)], plusMs(stage.time, 1e9));
    const { findings, deadLetters } = await ask(stage);
    expect(findings).toMatchObject([
      { severity: 'warning', subject: 'queue/facts', since: plusMs(stage.time, -2 * MINUTE_MS) },
      { severity: 'info', subject: 'queue/wake' },
    ]);
    expect(findings[0]!.what).toMatch(
      /^2 messages about Job uid-1, moved to the dead-letter queue \(the last: .*\): Error: boom$/,
    );
    expect(deadLetters).toHaveLength(3);
  });

  test('that has live tasks of Jobs which are over or not there, and deleted Jobs that do not stop', async () => {
    const w = await aJobAtWork();
    const { stage, uid } = w;
    const template = (await stage.store.jobs.readTemplates(uid))[0]!;
    const start = async (job: string, index: number) =>
      stage.tasks.run({
        job: { uid: asJobUid(job), namespace: 'default', name: job },
        id: { index, attempt: 1, nonce: 0 },
        template,
        env: [],
      });
    await start('ghost', 0);
    stage.advance(30_000);
    expect(short(await ask(stage))).toEqual([]);
    stage.advance(MINUTE_MS);
    expect(find(await ask(stage), 'StrangerTask')).toMatchObject({
      severity: 'warning',
      what: '1 live task of Jobs that do not exist: ghost',
    });
    stage.advance(3_700_000);
    await stage.settle(); // the Job is over, the orphan continues
    stage.fate = { ...stage.fate, runMs: 1e9 };
    await start(uid, 5);
    await start('ghost', 1);
    stage.advance(80 * MINUTE_MS);
    const late = await ask(stage);
    expect(
      late.findings.filter(({ kind }) => kind === 'StrangerTask').map(({ severity, what }) => [severity, what]),
    ).toEqual([
      ['error', '1 live task of Jobs that do not exist: ghost'],
      ['error', `1 live task of Jobs that are over: ${uid}`],
    ]);

    const other = new Stage();
    other.fate = { ...other.fate, stopMs: 1e9 };
    const deleted = await other.job({ completions: 2, parallelism: 2 });
    await other.settle();
    other.advance(2_000);
    await other.settle();
    await deleteJob(deleted, other.handler().deps);
    await other.settle();
    expect(short(await ask(other))).toEqual([]);
    other.advance(11 * MINUTE_MS);
    await other.settle();
    expect(find(await ask(other), 'DeletedJob')).toMatchObject({
      subject: 'job/default/work',
      what: 'deleted, and not stopped yet: 2 attempts',
    });
  });

  test('whose namespaces stay Terminating', async () => {
    const stage = new Stage();
    await stage.job({ namespace: 'team', finalizers: ['example.com/archive'] });
    await openNamespace(stage.store.objects, 'team');
    await stage.store.objects.commit('Namespace', {
      key: { namespace: '', name: 'team' },
      was: 1,
      document: terminating(freshNamespace('team', 'u', stage.time), stage.time),
    });
    expect(find(await ask(stage), 'NamespaceTerminating')).toMatchObject({
      severity: 'info',
      subject: 'namespace/team',
      what: 'it is being deleted, and is held by 1 Job',
      since: stage.time,
    });
    stage.advance(6 * MINUTE_MS);
    expect(find(await ask(stage), 'NamespaceTerminating').severity).toBe('warning');
  });

  test('that ECS throttles', async () => {
    const stage = new Stage();
    const { deps } = examiner(stage);
    const settings = { ...deps.settings, launchesPerSec: 20 };
    const doctor = createDoctor(
      { deadLetters: stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...deps, settings },
    );
    expect(short(await doctor.installation())).toEqual([]);
    await stage.store.limits.commit('launch', 0, { nextFreeAt: asEpochMs(0), cut: { share: 0.25, at: stage.time } });
    expect(find(await doctor.installation(), 'LaunchesCut').what).toBe(
      'ECS throttles RunTask: 5.0 of 20 launches per second are granted',
    );
  });
});

describe('what cannot be checked is a finding, and the rest is checked', () => {
  const THROTTLED = async (): Promise<never> => Promise.reject(new Error('Rate exceeded'));

  test('ECS', async () => {
    const w = await aJobAtWork();
    for (const tasks of [
      { ...w.deps.tasks, describe: async () => ({ kind: 'later', reason: 'Rate exceeded' }) as const },
      { ...w.deps.tasks, listLive: async () => ({ kind: 'later', reason: 'Rate exceeded' }) as const },
      { ...w.deps.tasks, describe: THROTTLED },
    ]) {
      const doctor = createDoctor(
        { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
        { ...w.deps, tasks },
      );
      const diagnosis = await doctor.job('default', 'work');
      expect(short(diagnosis)).toEqual(['error NotChecked', 'info Active']);
      expect(find(diagnosis, 'NotChecked').what).toMatch(/its tasks could not be checked: .*Rate exceeded/);
      expect(find(await doctor.installation(), 'NotChecked').what).toMatch(/live tasks could not/);
    }
  });

  test.each([
    ['findJob', ['error NotChecked']],
    ['readStatus', ['error NotChecked']],
    ['readSpec', ['error NotChecked']],
    ['readChunks', ['error NotChecked']],
    ['readLaunchRange', ['error NotChecked', 'info Active']],
  ] as const)('the table: %s', async (method, expected) => {
    const w = await aJobAtWork();
    const jobs = { ...w.deps.jobs, [method]: THROTTLED };
    const doctor = createDoctor(
      { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...w.deps, jobs },
    );
    expect(short(await doctor.job('default', 'work'))).toEqual(expected);
  });

  test('everything at once', async () => {
    const w = await aJobAtWork();
    const broken = <T extends object>(port: T): T => new Proxy(port, { get: () => THROTTLED }) as T;
    const deps: Deps = {
      ...w.deps,
      jobs: broken(w.deps.jobs),
      feed: broken(w.deps.feed),
      objects: broken(w.deps.objects),
      tasks: broken(w.deps.tasks),
      limits: broken(w.deps.limits),
      hosts: broken(w.deps.hosts),
      settings: { ...w.deps.settings, launchesPerSec: 20 },
    };
    const doctor = createDoctor(
      { deadLetters: broken(w.stage.store.deadLetters), queueDepths: THROTTLED, logs: NO_LOGS },
      deps,
    );
    expect(short(await doctor.installation())).toEqual(Array.from({ length: 8 }, () => 'error NotChecked'));
    expect(short(await doctor.job('default', 'work'))).toEqual(['error NotChecked']);
    for (const [namespace, subject] of [
      ['default', 'namespace/default'],
      [null, 'installation'],
    ] as const) {
      const findings = [{ kind: 'NotChecked', subject }];
      expect(await doctor.jobs({ namespace, after: null })).toMatchObject({ findings, checked: 0, next: null });
    }
    const feedOnly = createDoctor(
      { deadLetters: w.stage.store.deadLetters, queueDepths: async () => [], logs: NO_LOGS },
      { ...w.deps, feed: broken(w.deps.feed) },
    );
    expect(short(await feedOnly.job('default', 'work'))).toEqual(['error NotChecked', 'info Active']);
  });
});

test('Jobs are listed page by page; those that are over cost one read', async () => {
  const stage = new Stage();
  for (let nth = 0; nth < 60; nth++)
    await stage.job({ uid: `uid-${nth}`, name: `job-${String(nth).padStart(2, '0')}`, completions: 1, parallelism: 1 });
  await stage.settle();
  stage.advance(3_700_000);
  await stage.settle();
  stage.advance(2 * MINUTE_MS);
  await stage.sweep();
  await stage.settle();
  const { doctor, handler } = examiner(stage);
  const first = await doctor.jobs({ namespace: 'default', after: null });
  expect(first).toMatchObject({ checked: 50, findings: [] });
  const second = await doctor.jobs({ namespace: 'default', after: first.next });
  expect(second).toMatchObject({ checked: 10, findings: [], next: null });
  expect(handler.calls.filter((call) => call !== 'jobs.readStatus' && call !== 'jobs.listJobs')).toEqual([]);
});

test('looking changes nothing', async () => {
  const w = await aJobAtWork({ finalizers: ['example.com/archive'] });
  w.stage.advance(9 * MINUTE_MS);
  const { mail } = w.stage;
  const shot = async () => [await w.stage.status(w.uid), mail.size('wake'), mail.size('facts'), mail.size('dispatch')];
  const before = await shot();
  w.handler.calls.length = 0;
  await w.doctor.job('default', 'work');
  await w.doctor.jobs({ namespace: null, after: null });
  await w.doctor.installation();
  const READS =
    /^(jobs\.(find|list|read|due)|feed\.(readMark|head)|objects\.(read|list)|tasks\.(describe|listLive)|limits\.read|hosts\.(reservations|list))/;
  expect(w.handler.calls.length).toBeGreaterThan(5);
  expect(w.handler.calls.filter((call) => !READS.test(call))).toEqual([]);
  expect(await shot()).toEqual(before);
});

test('every kind of finding is explained on its page, and no other', () => {
  const page = readFileSync(new URL('../../../docs/doctor.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([A-Z]\w+)`/g)].map(([, kind]) => kind));
  expect(named).toHaveLength(new Set(named).size);
  expect(new Set(named)).toEqual(new Set(FINDING_KINDS));
});
