import { expect, test } from 'vitest';
import { changeJob } from '../../shared/control/job-changes.ts';
import { readJob } from '../../shared/kube/read-job.ts';
import { Stage } from '../support/a-stage.ts';

test('a change of labels is one row of the feed: the pass after it has nothing to add', async () => {
  const stage = new Stage();
  const uid = await stage.job({ suspend: true });
  await stage.settle();
  const before = await stage.store.feed.head();
  stage.advance(10_000);
  const [spec, status] = [await stage.store.jobs.readSpec(uid), await stage.status(uid)];
  if (spec === null) throw new Error('no spec');
  const manifest = { ...spec.manifest, metadata: { ...spec.manifest.metadata, labels: { a: 'b' } } };
  expect(await changeJob({ spec, status }, manifest, 'metadata', stage.handler().deps)).toEqual({ kind: 'changed' });
  await stage.settle();
  stage.advance(120_000);
  await stage.sweep();
  await stage.settle();
  expect(await stage.store.feed.head()).toBe(before + 1);
  // So whoever is about to compare versions need not tell the feed once more.
  expect((await readJob(uid, stage.store, () => []))?.isTold).toBe(true);
});
