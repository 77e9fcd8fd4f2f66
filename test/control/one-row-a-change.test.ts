import { expect, test } from 'vitest';
import { changeJob } from '../../shared/control/job-changes.ts';
import type { JobUid } from '../../shared/domain/brand.ts';
import { readJob } from '../../shared/kube/read-job.ts';
import type { Handler } from '../support/a-handler.ts';
import { Stage } from '../support/a-stage.ts';

/** The Job's labels are changed by `handler`, and all that follows is done by `next`. */
async function relabel(stage: Stage, uid: JobUid, handler: Handler, next: Handler): Promise<void> {
  const [spec, status] = [await stage.store.jobs.readSpec(uid), await stage.status(uid)];
  if (spec === null) throw new Error('no spec');
  const manifest = { ...spec.manifest, metadata: { ...spec.manifest.metadata, labels: { a: 'b' } } };
  expect(await changeJob({ spec, status }, { manifest }, 'metadata', handler.deps)).toEqual({ kind: 'changed' });
  await stage.settle(next);
}

async function quietJob(): Promise<{ readonly stage: Stage; readonly uid: JobUid; readonly head: number }> {
  const stage = new Stage();
  const uid = await stage.job({ suspend: true });
  await stage.settle();
  return { stage, uid, head: await stage.store.feed.head() };
}

for (const [since, ms] of [
  ['long after the last', 10_000],
  ['while the last is young', 10],
] as const) {
  test(`a change of labels is one row of the feed, ${since}: the pass after it has nothing to add`, async () => {
    const { stage, uid, head } = await quietJob();
    stage.advance(ms);
    await relabel(stage, uid, stage.handler(), stage.handler());
    stage.advance(120_000);
    await stage.sweep();
    await stage.settle();
    expect(await stage.store.feed.head()).toBe(head + 1);
    // So whoever is about to compare versions need not tell the feed once more.
    expect((await readJob(uid, stage.store, () => []))?.isTold).toBe(true);
  });
}

test.each([
  ['the teller itself does not read back what is told', true, 0],
  ['another process has to', false, 1],
])('%s', async (_, isSame, marksRead) => {
  const { stage, uid } = await quietJob();
  stage.advance(10_000);
  const teller = stage.handler();
  const next = isSame ? teller : stage.handler();
  await relabel(stage, uid, teller, next);
  const before = isSame ? 1 : 0; // to make the change known
  expect(next.calls.filter((call) => call === 'feed.readMark')).toHaveLength(before + marksRead);
});
