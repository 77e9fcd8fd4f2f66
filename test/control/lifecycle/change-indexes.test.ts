import { expect, test } from 'vitest';
import { changeIndexes } from '../../../shared/control/lifecycle/change-indexes.ts';
import { encodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import { formatIndexSet } from '../../../shared/domain/base/index-set.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { IndexAction } from '../../../shared/domain/scoreboard/index-changes.ts';
import { tally } from '../../../shared/domain/scoreboard/status.ts';
import { DONE, Stage } from '../../support/a-stage.ts';

// A user's commit, chunk by chunk, beside passes that commit, too.

const RUNS = { startMs: 0, runMs: 60_000, stopMs: 500, ending: DONE };

async function change(stage: Stage, uid: JobUid, action: IndexAction, first: number, after: number) {
  const indexes = { edges: [first, after] };
  const changed = await changeIndexes(uid, { action, indexes, isDry: false }, stage.handler().deps);
  if (changed.kind !== 'changed') throw new Error(changed.kind);
  const { done, later, already, settled } = changed.effects;
  return [done, later, already, settled].map(formatIndexSet).join(' | ');
}

test('holds more indexes than one chunk has, and STATUS stays small', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 20_000, parallelism: 0 });
  await stage.settle();
  expect(await change(stage, uid, 'hold', 100, 18_000)).toBe('100-17999 |  |  | ');
  const status = await stage.status(uid);
  expect(tally(status.chunks)).toMatchObject({ held: 17_900, pending: 2_100 });
  expect(encodeStatus(status).length).toBeLessThan(20_000);
  expect(status.events.filter(({ reason }) => reason === 'IndexesHeld')).toHaveLength(1);
  await stage.settle();
  expect(encodeStatus(await stage.status(uid)).length).toBeLessThan(5_000);
  expect(await change(stage, uid, 'hold', 100, 18_000)).toBe(' |  | 100-17999 | ');
});

test('stops what runs in the next pass, and the Job is complete without what was cancelled', async () => {
  const stage = new Stage();
  stage.fate = RUNS;
  const uid = await stage.job({ completions: 3, parallelism: 3 });
  await stage.settle();
  stage.advance(1_000);
  await stage.settle();
  expect(await change(stage, uid, 'cancel', 0, 2)).toBe(' | 0,1 |  | ');
  for (let second = 0; second < 5; second++) {
    await stage.settle();
    stage.advance(1_000);
  }
  expect(tally((await stage.status(uid)).chunks)).toMatchObject({ excluded: 2, running: 1 });
  stage.advance(60_000);
  for (let second = 0; second < 5; second++) {
    await stage.settle();
    stage.advance(1_000);
  }
  expect((await stage.status(uid)).phase).toMatchObject({ kind: 'finished', verdict: { kind: 'complete' } });
});

test('a commit that others were faster than is decided again', async () => {
  const stage = new Stage();
  const uid = await stage.job({ completions: 3, parallelism: 0 });
  await stage.settle();
  const { deps } = stage.handler();
  let lost = 0;
  const jobs: typeof deps.jobs = {
    ...deps.jobs,
    commitPass: async (...commit) => (lost++ < 3 ? { kind: 'lost' } : deps.jobs.commitPass(...commit)),
  };
  const indexes = { edges: [0, 3] };
  const changed = await changeIndexes(uid, { action: 'hold', indexes, isDry: false }, { ...deps, jobs });
  expect(changed).toMatchObject({ kind: 'changed', effects: { done: indexes } });
  expect(tally((await stage.status(uid)).chunks).held).toBe(3);
});
