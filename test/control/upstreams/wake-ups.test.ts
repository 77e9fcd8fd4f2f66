import { describe, expect, test } from 'vitest';
import { createJob, deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { type JobWish, aJob } from '../../support/a-job.ts';
import type { Handler } from '../../support/a-handler.ts';
import { BAD, Stage } from '../../support/a-stage.ts';
import { draws } from '../../verify/draws.ts';

// Who is woken when something has come that others wait for. Time stands still unless a test says otherwise, so that no Job looks
// by itself.

const AFTER = 'muster.run/after';
const INDEXES = 'muster.run/after-indexes';
const MINUTE_MS = 60_000;

/** When every stage begins: a Job that is as old as it seems looks again after a minute. */
const createdAt = new Stage().time;
const PREPARE: JobWish = { createdAt, uid: 'uid-prepare', name: 'prepare', completions: 1 };
const work = (jobs = 'prepare', more: JobWish = {}): JobWish => ({
  createdAt,
  uid: 'uid-work',
  name: 'work',
  completions: 1,
  annotations: { [AFTER]: jobs },
  ...more,
});

function aStage(): Stage {
  const stage = new Stage();
  stage.fate = { ...stage.fate, startMs: 0, runMs: 1_000, stopMs: 0 };
  return stage;
}

/** Everything that may happen within a second. */
async function second(stage: Stage, handler?: Handler): Promise<void> {
  stage.advance(1_000);
  await stage.settle(handler);
}

const stateOf = async (stage: Stage, uid: JobUid): Promise<string> => {
  const { phase } = await stage.status(uid);
  if (phase.kind === 'finished') return phase.verdict.reason;
  return phase.kind === 'suspended' && phase.held === true ? 'held' : phase.kind;
};

describe('a Job that waits is woken', () => {
  test('by the end of the other', async () => {
    const stage = aStage();
    await stage.job(PREPARE);
    const uid = await stage.job(work());
    await stage.settle();
    expect(await stateOf(stage, uid)).toBe('held');
    await second(stage);
    expect([await stateOf(stage, uid), stage.live(uid, 0).length]).toEqual(['running', 1]);
    expect(await stage.store.waiters.list('default', 'prepare')).toEqual([]);
    await second(stage);
    expect(await stateOf(stage, uid)).toBe('CompletionsReached');
  });

  test('by its failure', async () => {
    const stage = aStage();
    stage.fate = { ...stage.fate, ending: BAD };
    await stage.job({ ...PREPARE, backoffLimit: 0 });
    const [uid, cleanUp] = [
      await stage.job(work()),
      await stage.job(work('prepare:failed', { uid: 'uid-clean', name: 'clean' })),
    ];
    await stage.settle();
    await second(stage);
    expect([await stateOf(stage, uid), await stateOf(stage, cleanUp)]).toEqual(['DependencyFailed', 'running']);
    expect(stage.started(uid, 0)).toEqual([]);
  });

  test('by its creation, so that it knows whom it waits for', async () => {
    const stage = aStage();
    const uid = await stage.job(work());
    await stage.settle();
    expect((await stage.status(uid)).upstreams).toEqual([{ name: 'prepare', uid: null, isMet: false }]);
    await stage.job(PREPARE);
    await stage.settle();
    expect((await stage.status(uid)).upstreams).toEqual([{ name: 'prepare', uid: 'uid-prepare', isMet: false }]);
  });

  test.each([
    ['at once', []],
    ['while a finalizer holds it', ['example.com/keep']],
  ])('by its deletion, %s', async (_, finalizers) => {
    const stage = aStage();
    const prepare = await stage.job({ ...PREPARE, finalizers });
    const uid = await stage.job(work());
    await stage.settle();
    await deleteJob(prepare, stage.handler().deps);
    await stage.settle();
    expect(await stateOf(stage, uid)).toBe('DependencyFailed');
  });

  test('and does not take a Job that is made anew for the one that is gone', async () => {
    const stage = aStage();
    const prepare = await stage.job(PREPARE);
    const uid = await stage.job(work());
    await stage.settle();
    await deleteJob(prepare, stage.handler().deps);
    await stage.job({ ...PREPARE, uid: 'uid-anew' });
    await stage.settle();
    expect((await stage.status(uid)).upstreams[0]?.uid).toBe('uid-prepare');
    expect(await stateOf(stage, uid)).toBe('DependencyFailed');
  });

  test('where it has ended and was deleted before the waiting Job looked', async () => {
    const stage = aStage();
    const prepare = await stage.job(PREPARE);
    const uid = await stage.job(work());
    await stage.settle();
    stage.advance(1_000);
    const requests = stage.takeRequests();
    await stage.handler().pass(...requests.filter((each) => each.uid === prepare));
    await deleteJob(prepare, stage.handler().deps);
    await stage.settle();
    expect(await stateOf(stage, uid)).toBe('running');
  });

  test('along a chain, each by the one before it', async () => {
    const stage = aStage();
    const uids = [await stage.job({ uid: 'uid-0', name: 'job-0', completions: 1 })];
    for (let n = 1; n < 12; n++)
      uids.push(await stage.job(work(`job-${n - 1}`, { uid: `uid-${n}`, name: `job-${n}` })));
    await stage.settle();
    for (const uid of uids) {
      expect(await stateOf(stage, uid)).toBe('running');
      await second(stage);
      expect(await stateOf(stage, uid)).toBe('CompletionsReached');
    }
  });

  test('with many others', async () => {
    const others = draws(1_000);
    const stage = aStage();
    await stage.job(PREPARE);
    const uids: JobUid[] = [];
    const handler = stage.handler();
    for (let n = 0; n < others; n++) {
      const spec = aJob(work('prepare', { uid: `uid-${n}`, name: `job-${n}` }));
      expect((await createJob(spec, handler.deps)).kind).toBe('created');
      uids.push(spec.identity.uid);
    }
    await stage.settle(handler);
    expect(await stage.store.waiters.list('default', 'prepare')).toHaveLength(others);
    await second(stage, handler);
    const states = await Promise.all(uids.map(async (uid) => stateOf(stage, uid)));
    expect(new Set(states)).toEqual(new Set(['running']));
    expect(uids.every((uid) => stage.started(uid, 0).length === 1)).toBe(true);
  });
});

describe('indexes that wait are woken', () => {
  const MAP: JobWish = { uid: 'uid-map', name: 'map', completions: 3, parallelism: 1 };
  const reduce: JobWish = { ...work(), completions: 3, parallelism: 3, annotations: { [INDEXES]: 'map' } };
  const startedOf = (stage: Stage, uid: JobUid) => [0, 1, 2].map((index) => stage.started(uid, index).length);

  test('by each success', async () => {
    const stage = aStage();
    const map = await stage.job(MAP);
    const uid = await stage.job(reduce);
    await stage.settle();
    expect([(await stage.status(map)).isAwaited, startedOf(stage, uid)]).toEqual([true, [0, 0, 0]]);
    for (const started of [
      [1, 0, 0],
      [1, 1, 0],
      [1, 1, 1],
    ]) {
      await second(stage);
      expect(startedOf(stage, uid)).toEqual(started);
    }
    await second(stage);
    expect(await stateOf(stage, uid)).toBe('CompletionsReached');
  });

  test('in vain by none: a Job that nobody’s indexes wait for looks for nobody', async () => {
    const stage = aStage();
    const map = await stage.job(MAP);
    await stage.settle();
    const handler = stage.handler();
    await second(stage, handler);
    expect([(await stage.status(map)).isAwaited, handler.calls.includes('waiters.list')]).toEqual([false, false]);
  });

  test('what succeeded before the other Job knew opens at once', async () => {
    const stage = aStage();
    await stage.job(MAP);
    await stage.settle();
    await second(stage);
    const uid = await stage.job(reduce);
    await stage.settle();
    expect(startedOf(stage, uid)).toEqual([1, 0, 0]);
    await second(stage);
    expect(startedOf(stage, uid)).toEqual([1, 1, 0]);
  });
});

describe('a handler that dies', () => {
  type Call = Parameters<Handler['hold']>[1];
  type Act = (stage: Stage, by: Handler) => Promise<unknown>;
  type Scene = { readonly before: (stage: Stage) => Promise<void>; readonly act: Act };

  const SCENES: Readonly<Record<string, Scene>> = {
    'while the other Job ends': {
      async before(stage) {
        await stage.job(PREPARE);
        await stage.job(work());
        await stage.settle();
        stage.advance(1_000);
      },
      act: async (stage, by) => stage.settle(by),
    },
    'while indexes succeed that others wait for': {
      async before(stage) {
        await stage.job({ ...PREPARE, completions: 1 });
        await stage.job(work('', { annotations: { [INDEXES]: 'prepare' } }));
        await stage.settle();
        stage.advance(1_000);
      },
      act: async (stage, by) => stage.settle(by),
    },
    'while the other Job learns that its indexes are awaited': {
      async before(stage) {
        await stage.job({ ...PREPARE, completions: 1 });
        await stage.settle();
        await stage.job(work('', { annotations: { [INDEXES]: 'prepare' } }));
      },
      act: async (stage, by) => stage.settle(by),
    },
    'while the other Job is created': {
      async before(stage) {
        await stage.job(work());
        await stage.settle();
      },
      act: async (_, by) => createJob(aJob(PREPARE), by.deps),
    },
    'while the waiting Job is created': {
      async before(stage) {
        await stage.job(PREPARE);
        await stage.settle();
      },
      act: async (_, by) => createJob(aJob(work()), by.deps),
    },
  };

  /** Minutes in which what was lost is mended, by others: an event of a task, too. Who created a Job in vain tries once more, as clients do. */
  async function mended(stage: Stage): Promise<string> {
    for (const wish of [PREPARE, work()]) {
      if ((await stage.store.jobs.findJob('default', wish.name!)) === null)
        await createJob(aJob({ ...wish, uid: `${wish.uid!}-again` }), stage.handler().deps);
    }
    for (let n = 0; n < 8; n++) {
      stage.advance(MINUTE_MS);
      await stage.sweep();
      await stage.settle();
    }
    const uid = await stage.store.jobs.findJob('default', 'work');
    return uid === null ? 'there is none' : stateOf(stage, uid);
  }

  test.each(Object.entries(SCENES))('%s, before or behind any call', async (_, { before, act }) => {
    const rehearsal = aStage();
    await before(rehearsal);
    const all = rehearsal.handler();
    await act(rehearsal, all);
    const calls = all.calls.slice();
    expect(calls.length).toBeGreaterThan(5);
    for (const [at, call] of calls.entries()) {
      for (const where of ['before', 'behind'] as const) {
        const stage = aStage();
        await before(stage);
        const by = stage.handler();
        const nth = calls.slice(0, at).filter((each) => each === call).length;
        for (let n = 0; n < nth; n++) by.arrange(call as Call, (perform) => perform());
        const { reached } = by.hold(where, call as Call);
        void act(stage, by);
        await reached;
        expect([where, call, nth, await mended(stage)]).toEqual([where, call, nth, 'CompletionsReached']);
      }
    }
  });
});

test('a lost row costs the waiting Job a look of its own', async () => {
  const stage = aStage();
  await stage.job(PREPARE);
  const uid = await stage.job(work());
  await stage.settle();
  await stage.store.waiters.remove([{ namespace: 'default', upstream: 'prepare', uid }]);
  await second(stage);
  expect(await stateOf(stage, uid)).toBe('held');
  stage.advance(MINUTE_MS);
  await stage.sweep();
  await stage.settle();
  expect(await stateOf(stage, uid)).toBe('running');
});
