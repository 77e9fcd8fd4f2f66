import { expect, test } from 'vitest';
import { changeJob } from '../../../shared/control/lifecycle/job-changes.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { readJobView } from '../../../shared/kube/jobs/job-view.ts';
import type { Handler } from '../../support/a-handler.ts';
import { Stage } from '../../support/a-stage.ts';

/** `handler` changes the Job's labels, and `next` does everything that follows. */
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
  test(`a change of labels is one row of the feed, ${since}: the next pass adds nothing`, async () => {
    const { stage, uid, head } = await quietJob();
    stage.advance(ms);
    await relabel(stage, uid, stage.handler(), stage.handler());
    stage.advance(120_000);
    await stage.sweep();
    await stage.settle();
    expect(await stage.store.feed.head()).toBe(head + 1);
    // So a writer that compares versions next does not need to publish it again.
    expect((await readJobView(uid, stage.store, () => []))?.isPublished).toBe(true);
  });
}

test.each([
  ['the publisher does not read back what it published', true, 0],
  ['another process has to', false, 1],
])('%s', async (_, isSame, marksRead) => {
  const { stage, uid } = await quietJob();
  stage.advance(10_000);
  const teller = stage.handler();
  const next = isSame ? teller : stage.handler();
  await relabel(stage, uid, teller, next);
  const before = isSame ? 1 : 0; // to publish the change
  expect(next.calls.filter((call) => call === 'feed.readMark')).toHaveLength(before + marksRead);
});
