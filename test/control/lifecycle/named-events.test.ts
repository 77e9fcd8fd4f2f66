import { describe, expect, test } from 'vitest';
import { changeJob, deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { Asker } from '../../../shared/ports/job-commands.ts';
import type { JobWish } from '../../support/a-job.ts';
import { Stage } from '../../support/a-stage.ts';

/** A user's change; the pass is not run yet. */
async function ask(stage: Stage, uid: JobUid, by: Asker, change: Partial<JobManifest['spec']>): Promise<void> {
  const [spec, status] = [await stage.store.jobs.readSpec(uid), await stage.status(uid)];
  if (spec === null) throw new Error('no spec');
  const manifest = { ...spec.manifest, spec: { ...spec.manifest.spec, ...change } };
  const changed = await changeJob({ spec, status }, { manifest }, 'spec', stage.handler().deps, by);
  expect(changed).toEqual({ kind: 'changed' });
}

const eventsOf = async (stage: Stage, uid: JobUid): Promise<readonly string[]> =>
  (await stage.status(uid)).events.map(({ reason, message, count }) => `${reason}: ${message} (${count})`);

async function aRunningJob(wish: JobWish = {}): Promise<{ readonly stage: Stage; readonly uid: JobUid }> {
  const stage = new Stage();
  const uid = await stage.job({ completions: 3, parallelism: 2, ...wish });
  await stage.settle();
  return { stage, uid };
}

/** Time goes on until whatever was stopped has ended, with every pass that is due, and each of them twice. */
async function pass(stage: Stage, uid: JobUid): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await stage.settle();
    stage.advance(10_000);
    await stage.settle();
    await stage.handler().pass({ uid, facts: [] }, { uid, facts: [] });
  }
}

describe('Events name who asked', () => {
  test('once a change, when the pass makes it true', async () => {
    const { stage, uid } = await aRunningJob();
    await ask(stage, uid, 'kim', { suspend: true });
    expect(await eventsOf(stage, uid)).toEqual([]);
    await pass(stage, uid);
    expect(await eventsOf(stage, uid)).toEqual(['Suspended: Job suspended by kim (1)']);
    await ask(stage, uid, 'lee', { suspend: false });
    await pass(stage, uid);
    await ask(stage, uid, 'kim', { suspend: true });
    await pass(stage, uid);
    expect(await eventsOf(stage, uid)).toEqual([
      'Resumed: Job resumed by lee (1)',
      'Suspended: Job suspended by kim (2)',
    ]);
  });

  test('of those who changed their minds before a pass, the last one', async () => {
    const { stage, uid } = await aRunningJob();
    await ask(stage, uid, 'kim', { suspend: true });
    await ask(stage, uid, 'lee', { suspend: false });
    await pass(stage, uid);
    expect(await eventsOf(stage, uid)).toEqual([]);
    await ask(stage, uid, 'kim', { suspend: true });
    await ask(stage, uid, 'lee', { suspend: false });
    await ask(stage, uid, 'max', { suspend: true });
    await pass(stage, uid);
    expect(await eventsOf(stage, uid)).toEqual(['Suspended: Job suspended by max (1)']);
  });

  test('not who changed something else meanwhile', async () => {
    const { stage, uid } = await aRunningJob();
    await ask(stage, uid, 'kim', { suspend: true });
    await ask(stage, uid, 'lee', { parallelism: 1 });
    await pass(stage, uid);
    expect(await eventsOf(stage, uid)).toEqual([
      'Resized: Job resized by lee: parallelism 2 to 1 (1)',
      'Suspended: Job suspended by kim (1)',
    ]);
  });

  test('not who asked before, when nobody is known to have asked', async () => {
    const { stage, uid } = await aRunningJob();
    await ask(stage, uid, 'kim', { suspend: true });
    await pass(stage, uid);
    await ask(stage, uid, null, { suspend: false });
    await pass(stage, uid);
    expect(await eventsOf(stage, uid)).toEqual(['Suspended: Job suspended by kim (1)', 'Resumed: Job resumed (1)']);
  });

  test('of resizes the last three, so that a program that resizes each minute leaves room for others', async () => {
    const { stage, uid } = await aRunningJob();
    await ask(stage, uid, null, { parallelism: 1 });
    expect(await eventsOf(stage, uid)).toEqual([]);
    await ask(stage, uid, 'kim', { parallelism: 5, completions: 5 });
    for (let to = 6; to < 40; to++) await ask(stage, uid, 'scaler', { parallelism: to });
    expect(await eventsOf(stage, uid)).toEqual(
      [37, 38, 39].map((to) => `Resized: Job resized by scaler: parallelism ${to - 1} to ${to} (1)`),
    );
  });

  test('who deleted it, once, as long as it is shown', async () => {
    const { stage, uid } = await aRunningJob({ finalizers: ['example.com/hold'] });
    const { deps } = stage.handler();
    expect(await deleteJob(uid, deps, 'Foreground', 'kim')).toEqual({ kind: 'terminating' });
    expect(await deleteJob(uid, deps, 'Background', 'lee')).toEqual({ kind: 'terminating' });
    expect(await eventsOf(stage, uid)).toEqual(['Deleted: Job deleted by kim (1)']);
  });
});
