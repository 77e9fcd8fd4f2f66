import { describe, expect, test } from 'vitest';
import { createMemoryAnnouncer } from '../memory-announcer.ts';
import { deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import type { Announcement } from '../../domain/announcement.ts';
import type { JobUid } from '../../../../domain/base/ids.ts';
import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import type { JobWish } from '../../../../../test/support/a-job.ts';
import { BAD, Stage } from '../../../../../test/support/a-stage.ts';

const MINUTE_MS = 60_000;

/** A stage whose changes are heard, and what was heard. */
function heardStage(takes: (change: Announcement) => boolean = () => true) {
  const stage = new Stage();
  const heard: Announcement[] = [];
  const announcer = createMemoryAnnouncer((change) => {
    heard.push(change);
    return takes(change);
  });
  stage.ports = { announcer };
  stage.announced = 'each';
  return { stage, heard };
}

const statesOf = (heard: readonly Announcement[]) => heard.map(({ detail }) => detail.state);

/** Minutes in which only sweeps happen, and what they bring. */
async function calm(stage: Stage, minutes: number): Promise<void> {
  for (let n = 0; n < minutes; n++) {
    stage.advance(MINUTE_MS);
    await stage.sweep();
    await stage.settle();
  }
}

/** A Job of one index that has started, and whose end waits to be heard of. */
async function runningJob(stage: Stage, wish: JobWish = {}): Promise<JobUid> {
  const uid = await stage.job({ completions: 1, ...wish });
  stage.fate = { ...stage.fate, runMs: 5 * MINUTE_MS };
  await stage.settle();
  await calm(stage, 2);
  return uid;
}

/** All calls that a handler makes while the Job ends. */
async function ended(stage: Stage, handler = stage.handler()): Promise<readonly string[]> {
  stage.advance(5 * MINUTE_MS);
  await stage.settle(handler);
  return handler.calls;
}

test('each change is announced once, under an id of its own, and STATUS forgets it', async () => {
  const { stage, heard } = heardStage();
  const uid = await runningJob(stage);
  await ended(stage);
  expect(statesOf(heard)).toEqual(['Started', 'Completed']);
  expect((await stage.status(uid)).unannounced?.changes.map(({ state }) => state)).toEqual(['Completed']);
  await calm(stage, 3);
  await deleteJob(uid, stage.handler().deps);
  await stage.settle();
  await calm(stage, 3);
  expect(statesOf(heard)).toEqual(['Started', 'Completed', 'Deleted']);
  expect(new Set(heard.map(({ id }) => id)).size).toBe(3);
  expect(heard.every(({ id, version }) => id === `${uid}/${version}`)).toBe(true);
  expect(await stage.status(uid)).toMatchObject({ unannounced: null, alarms: [], phase: { kind: 'deleted' } });
});

test('a Job that is suspended and resumed, and one that is created so', async () => {
  const { stage, heard } = heardStage();
  const uid = await runningJob(stage);
  await stage.change(uid, { suspend: true });
  await stage.settle();
  await calm(stage, 1);
  await stage.change(uid, { suspend: false });
  await stage.settle();
  await calm(stage, 1);
  const other = await stage.job({ uid: 'uid-2', name: 'other', suspend: true });
  await stage.settle();
  await stage.change(other, { suspend: false });
  await stage.settle();
  expect(heard.map(({ uid: of, detail }) => `${of} ${detail.state}`)).toEqual([
    'uid-1 Started',
    'uid-1 Suspended',
    'uid-1 Resumed',
    'uid-2 Suspended',
    'uid-2 Resumed',
  ]);
});

test('what failed is named, with items and reasons', async () => {
  const { stage, heard } = heardStage();
  stage.fate = { ...stage.fate, ending: BAD };
  const items = 'name\napple.txt\nbanana.txt';
  const uid = await stage.job({ completions: 2, backoffLimit: 0, annotations: { [ANNOTATIONS.items]: items } });
  await stage.settle();
  stage.advance(2 * 60 * MINUTE_MS);
  await stage.settle();
  const [, failed] = heard;
  expect(failed?.detail).toMatchObject({
    id: `${uid}/${failed?.version}`,
    state: 'Failed',
    namespace: 'default',
    name: 'work',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
    completions: 2,
    status: { failed: 2 },
  });
  expect(failed?.detail.failures).toEqual([{ index: 1, item: 'banana.txt', exitCode: 1, message: 'exit code 1' }]);
  expect(failed?.detail.status.conditions.map(({ type }) => type)).toEqual(['FailureTarget', 'Failed']);
});

test('a Job of no indexes is complete at once, and whose task waits for it hears so', async () => {
  const { stage, heard } = heardStage();
  await stage.job({ completions: 0, annotations: { [ANNOTATIONS.taskToken]: 'T' } });
  await stage.settle();
  expect(heard).toMatchObject([
    {
      taskToken: 'T',
      detail: {
        state: 'Completed',
        completions: 0,
        reason: 'CompletionsReached',
        status: { ready: 0, terminating: 0 },
      },
    },
  ]);
  expect(heard[0]?.detail).not.toHaveProperty('failures');
});

describe('nobody takes a change', () => {
  test('it comes again, after a minute and then at doubled distances of an hour at most, under the same id', async () => {
    let takes = false;
    const { stage, heard } = heardStage(({ detail }) => takes || detail.state === 'Started');
    const uid = await runningJob(stage);
    await ended(stage);
    const tries: number[] = [];
    for (let minute = 0; minute < 400; minute++) {
      const before = heard.length;
      await calm(stage, 1);
      if (heard.length > before) tries.push(minute + 1);
    }
    const distances = tries.map((at, nth) => at - (tries[nth - 1] ?? 0));
    expect(distances[0]).toBeLessThanOrEqual(2);
    expect(distances.every((each, nth) => each <= 61 && each >= Math.min(60, distances[nth - 1] ?? 0))).toBe(true);
    expect(tries.length).toBeLessThanOrEqual(13);
    takes = true;
    await calm(stage, 62);
    const [started, ...others] = heard;
    expect(started?.detail.state).toBe('Started');
    expect(new Set(others.map(({ id }) => id)).size).toBe(1);
    const { length } = heard;
    await calm(stage, 62);
    expect(heard).toHaveLength(length);
    expect(await stage.status(uid)).toMatchObject({ unannounced: null, alarms: [] });
  });

  test('the feed has it at once, and no message comes again', async () => {
    const { stage } = heardStage(() => {
      throw new Error('ThrottlingException');
    });
    const uid = await runningJob(stage);
    const handler = stage.handler();
    await ended(stage, handler);
    const status = await stage.status(uid);
    expect(status.unannounced?.changes.map(({ state }) => state)).toEqual(['Started', 'Completed']);
    expect((await stage.store.feed.readMark(uid))?.version).toBe(status.version);
    expect(handler.counts.get('AnnouncementsFailed')).toBe(1);
  });

  test('a deleted Job waits for it, and its rows expire all the same', async () => {
    let takes = false;
    const { stage, heard } = heardStage(() => takes);
    const uid = await runningJob(stage);
    await deleteJob(uid, stage.handler().deps);
    await stage.settle();
    await calm(stage, 600);
    takes = true;
    // Tries are an hour apart by now: one is taken, and the next finds that nothing is left.
    await calm(stage, 122);
    expect(new Set(statesOf(heard))).toEqual(new Set(['Started', 'Deleted']));
    expect((await stage.status(uid)).unannounced).toBeNull();
    stage.advance(31 * 86_400_000);
    expect(await stage.store.jobs.readStatus(uid)).toBeNull();
  });

  test('only what comes after the last that was taken in turn comes again', async () => {
    const { stage, heard } = heardStage(({ detail }) => detail.state !== 'Suspended');
    const uid = await runningJob(stage);
    await stage.change(uid, { suspend: true });
    await stage.settle();
    await stage.change(uid, { suspend: false });
    await stage.settle();
    await calm(stage, 5);
    expect(statesOf(heard).filter((state) => state === 'Started')).toHaveLength(1);
    expect(statesOf(heard).filter((state) => state === 'Suspended').length).toBeGreaterThan(2);
    expect((await stage.status(uid)).unannounced?.changes.map(({ state }) => state)).toEqual(['Suspended', 'Resumed']);
  });
});

/** What a Job's end takes, call by call. */
async function callsOfEnd(): Promise<readonly string[]> {
  const { stage } = heardStage();
  await runningJob(stage);
  return ended(stage);
}

const CALLS = await callsOfEnd();

test('a handler that has committed an end publishes it, then announces it, then says so', () => {
  const order = ['jobs.commitPass', 'feed.append', 'announcer.announce', 'jobs.writeAnnounced'];
  expect(CALLS.filter((call) => order.includes(call))).toEqual(order);
});

describe.each(['before', 'behind'] as const)('a handler dies %s', (where) => {
  test.each(CALLS.map((call, nth) => ({ call, nth })))('$call (call $nth)', async ({ call, nth }) => {
    const { stage, heard } = heardStage();
    const uid = await runningJob(stage);
    const mortal = stage.handler();
    const earlier = CALLS.slice(0, nth).filter((each) => each === call).length;
    const name = call as Parameters<typeof mortal.hold>[1];
    for (let n = 0; n < earlier; n++) mortal.arrange(name, async (perform) => perform());
    const held = mortal.hold(where, name);
    stage.advance(5 * MINUTE_MS);
    const [requests] = [stage.takeRequests()];
    void mortal.pass(...requests);
    await held.reached; // and there it stays
    const committed = await stage.status(uid);
    for (const { version } of heard) expect(version).toBeLessThanOrEqual(committed.version);
    // The message itself is lost as well; what is left is the alarm.
    await calm(stage, 45);
    expect(new Set(statesOf(heard))).toEqual(new Set(['Started', 'Completed']));
    expect(new Set(heard.map(({ id }) => id)).size).toBe(2);
    expect((await stage.status(uid)).unannounced).toBeNull();
  });
});

test('where nobody is to hear of changes, nothing is stored, asked, or called', async () => {
  const stage = new Stage();
  const uid = await runningJob(stage);
  expect((await stage.status(uid)).unannounced).toBeNull();
  const calls = await ended(stage);
  expect(calls.filter((call) => /announce/i.test(call))).toEqual([]);
  expect((await stage.status(uid)).unannounced).toBeNull();
});
