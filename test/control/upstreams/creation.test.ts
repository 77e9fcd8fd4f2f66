import { describe, expect, test } from 'vitest';
import { createJob, createJobCommands, deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import { dependencyFaults } from '../../../shared/control/upstreams/check-dependencies.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { type JobWish, aJob } from '../../support/a-job.ts';
import { Stage } from '../../support/a-stage.ts';

// What is looked at when a Job is created that waits for others.

const AFTER = 'muster.run/after';
const INDEXES = 'muster.run/after-indexes';
const AT_AFTER = `metadata.annotations[${AFTER}]`;
const AT_INDEXES = `metadata.annotations[${INDEXES}]`;

const after = (name: string, jobs: string, more: JobWish = {}): JobWish => ({
  uid: `uid-${name}`,
  name,
  annotations: { [AFTER]: jobs },
  ...more,
});
const byIndex = (name: string, jobs: string, more: JobWish = {}): JobWish => ({
  ...after(name, jobs, more),
  annotations: { [INDEXES]: jobs },
});

/** What is wrong with a new Job; `created`: nothing. A dry run must say the same. */
async function create(stage: Stage, wish: JobWish): Promise<string | readonly string[]> {
  const { deps } = stage.handler();
  const spec = aJob(wish);
  const tried = await createJobCommands(deps).tryCreation(spec);
  const created = await createJob(spec, deps);
  expect(tried.kind).toBe(created.kind === 'created' ? 'fits' : created.kind);
  if (created.kind !== 'invalid') return created.kind;
  expect(tried).toEqual(created);
  return created.errors.map(({ path, message }) => `${path}: ${message}`);
}

const waitersOf = async (stage: Stage, name: string): Promise<readonly JobUid[]> =>
  (await stage.store.waiters.list('default', name)).map(({ uid }) => uid);

describe('a cycle is refused when it would be closed', () => {
  test('of two', async () => {
    const stage = new Stage();
    await stage.job(after('b', 'a'));
    expect(await create(stage, after('a', 'x, b'))).toEqual([
      `${AT_AFTER}: these Jobs would wait for one another for ever: a → b → a`,
    ]);
    expect([await waitersOf(stage, 'x'), await waitersOf(stage, 'b')]).toEqual([[], []]);
  });

  test('of four, whichever kind they wait by', async () => {
    const stage = new Stage();
    await stage.job(after('b', 'a:finished'));
    await stage.job(byIndex('c', 'b'));
    await stage.job(after('d', 'other, c:failed'));
    expect(await create(stage, byIndex('a', 'd'))).toEqual([
      `${AT_INDEXES}: these Jobs would wait for one another for ever: a → d → c → b → a`,
    ]);
    expect(await create(stage, after('e', 'd'))).toBe('created');
  });

  test('and a chain that is created from its end costs no more for each Job', async () => {
    const stage = new Stage();
    const reads: number[] = [];
    for (let n = 40; n > 0; n--) {
      const { deps } = stage.handler();
      let count = 0;
      const readStatus = deps.jobs.readStatus.bind(deps.jobs);
      const jobs = { ...deps.jobs, readStatus: async (uid: JobUid) => (count++, readStatus(uid)) };
      expect(await dependencyFaults(aJob(after(`step-${n}`, `step-${n - 1}`)), { ...deps, jobs })).toEqual([]);
      reads.push(count);
      await stage.job(after(`step-${n}`, `step-${n - 1}`));
    }
    expect(Math.max(...reads)).toBeLessThanOrEqual(1);
    expect(await create(stage, after('step-0', 'step-40'))).toHaveLength(1);
  });

  test('but not by Jobs of another namespace', async () => {
    const stage = new Stage();
    await stage.job(after('b', 'a', { namespace: 'team' }));
    await stage.job({ uid: 'any', name: 'any' });
    expect(await create(stage, after('a', 'b'))).toBe('created');
  });

  test('nor by one that waits no more: it has ended, is deleted, or has started', async () => {
    for (const done of ['ended', 'deleted', 'started'] as const) {
      const stage = new Stage();
      const a = await stage.job({ uid: 'first-a', name: 'a', completions: 1 });
      const b = await stage.job(after('b', 'a', { completions: 1 }));
      stage.fate = { ...stage.fate, startMs: 0, runMs: 1_000 };
      await stage.settle();
      if (done === 'deleted') await deleteJob(b, stage.handler().deps);
      stage.advance(2_000);
      await stage.settle();
      stage.advance(done === 'started' ? 0 : 2_000);
      await stage.settle();
      await deleteJob(a, stage.handler().deps);
      // Its row is still there, as if its handler had died before it took it back.
      await stage.store.waiters.add(
        [{ namespace: 'default', upstream: 'a', uid: b, name: 'b', byIndex: false }],
        (stage.time + 86_400_000) as typeof stage.time,
      );
      expect([done, await create(stage, after('a', 'b'))]).toEqual([done, 'created']);
    }
  });

  test('nor by one that will fail, since it waits for a Job that has just been deleted', async () => {
    const stage = new Stage();
    const a = await stage.job({ uid: 'first-a', name: 'a', completions: 1 });
    await stage.job(after('b', 'a'));
    await stage.settle();
    await deleteJob(a, stage.handler().deps);
    expect(await create(stage, after('a', 'b'))).toBe('created');
  });

  test('nor by one that waits for a Job which had the name before', async () => {
    const stage = new Stage();
    stage.fate = { ...stage.fate, startMs: 0, runMs: 1_000 };
    const a = await stage.job({ uid: 'first-a', name: 'a', completions: 1 });
    await stage.job(after('b', 'a, never'));
    await stage.settle();
    stage.advance(2_000);
    await stage.settle();
    await deleteJob(a, stage.handler().deps);
    await stage.settle();
    expect(await waitersOf(stage, 'a')).toEqual(['uid-b']);
    expect(await create(stage, after('a', 'b'))).toBe('created');
    // It does wait for this one.
    expect(await create(stage, after('never', 'a'))).toEqual([
      `${AT_AFTER}: these Jobs would wait for one another for ever: never → a → b → never`,
    ]);
  });
});

describe('the other Jobs, as far as they exist', () => {
  test('have as many indexes as wait for them', async () => {
    const stage = new Stage();
    await stage.job({ uid: 'uid-map', name: 'map', completions: 7 });
    await stage.job({ uid: 'uid-queue', name: 'queue', completions: null, completionMode: 'NonIndexed' });
    expect(await create(stage, byIndex('a', 'map', { completions: 3 }))).toEqual([
      `${AT_INDEXES}: job map has 7 indexes: completions must be 7, not 3`,
    ]);
    expect(await create(stage, byIndex('a', 'map/2, queue', { completions: 3 }))).toEqual([
      `${AT_INDEXES}: job map has 7 indexes, 2 for each index: completions must be 4, not 3`,
      `${AT_INDEXES}: job queue is not Indexed: its Pods have no indexes`,
    ]);
    expect(await create(stage, byIndex('a', 'map/2', { completions: 4 }))).toBe('created');
    expect(await create(stage, byIndex('b', 'later', { completions: 4 }))).toBe('created');
  });

  test('are looked at again when they come: the Job fails, and says why', async () => {
    const stage = new Stage();
    const uid = await stage.job(byIndex('a', 'map', { completions: 3 }));
    await stage.settle();
    await stage.job({ uid: 'uid-map', name: 'map', completions: 4 });
    await stage.settle();
    expect((await stage.status(uid)).phase).toMatchObject({
      kind: 'finished',
      verdict: {
        reason: 'DependencyFailed',
        message: 'What it waits for cannot come: job map has 4 indexes: completions must be 4, not 3',
      },
    });
  });

  test('are those of Muster', async () => {
    const stage = new Stage();
    await stage.job({ uid: 'any', name: 'any' });
    const { deps } = stage.handler();
    const other = aJob({ uid: 'uid-other', name: 'other' });
    const spec = { ...other.manifest.spec, managedBy: 'example.com/other' };
    await createJob({ ...other, manifest: { ...other.manifest, spec } }, deps);
    expect(await create(stage, after('a', 'other'))).toEqual([`${AT_AFTER}: another controller runs job other`]);
  });
});

test('a Job whose name is taken is not noted, and keeps the row of the one that has it', async () => {
  const stage = new Stage();
  await stage.job(after('a', 'prepare'));
  expect(await create(stage, after('a', 'prepare', { uid: 'another' }))).toBe('taken');
  expect(await waitersOf(stage, 'prepare')).toEqual(['uid-a']);
});
