import { expect, test } from 'vitest';
import { createJob } from '../../../control/lifecycle/job-changes.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { type JobWish, aJob } from '../../../../test/support/a-job.ts';
import { Stage } from '../../../../test/support/a-stage.ts';
import { MINUTE_MS, examiner } from './examined-job.ts';

const AFTER = 'muster.run/after';
const createdAt = new Stage().time;
const waiting = (name: string, jobs: string, more: JobWish = {}): JobWish => ({
  uid: `uid-${name}`,
  name,
  createdAt,
  annotations: { [AFTER]: jobs },
  ...more,
});

/** What the doctor says of waits that nothing but people can end, about the Job `work`. */
async function vain(stage: Stage, name = 'work'): Promise<readonly string[]> {
  const diagnosis = await examiner(stage).doctor.job('default', name);
  return diagnosis!.findings
    .filter(({ kind }) => kind === 'WaitsInVain')
    .map(({ severity, what, remedy }) => `${severity}: ${what} | ${remedy}`);
}
const LET_GO = 'remove its name from the annotation muster.run/after, which is possible until the Job starts.';

test('a name that nobody uses is worth a word after an hour', async () => {
  const stage = new Stage();
  await stage.job(waiting('work', 'prepair'));
  await stage.settle();
  stage.advance(59 * MINUTE_MS);
  expect(await vain(stage)).toEqual([]);
  stage.advance(2 * MINUTE_MS);
  expect(await vain(stage)).toEqual([
    `warning: there is still no job prepair, for which it waits | Create it, or ${LET_GO}`,
  ]);
});

test('a Job that is suspended is, too, and one that waits itself is not', async () => {
  const stage = new Stage();
  await stage.job({ uid: 'uid-prepare', name: 'prepare', suspend: true });
  await stage.job(waiting('between', 'prepare'));
  await stage.job(waiting('work', 'between'));
  await stage.settle();
  expect(await vain(stage)).toEqual([]);
  expect(await vain(stage, 'between')).toEqual([
    'warning: job prepare, for which it waits, is suspended | Set spec.suspend of that Job to false.',
  ]);
});

test('indexes of a Job that was resized', async () => {
  const stage = new Stage();
  const map = await stage.job({ uid: 'uid-map', name: 'map', completions: 3, parallelism: 3 });
  await stage.job(waiting('work', '', { completions: 3, annotations: { 'muster.run/after-indexes': 'map' } }));
  await stage.settle();
  expect(await vain(stage)).toEqual([]);
  await stage.change(map, { completions: 4, parallelism: 4 });
  await stage.settle();
  expect(await vain(stage)).toEqual([
    'warning: job map has 4 indexes: completions must be 4, not 3: one of them was resized | Resize the other as well, or some never start.',
  ]);
});

test('a cycle that two Jobs have closed at the same moment', async () => {
  const stage = new Stage();
  await stage.job(waiting('c', 'work'));
  await stage.settle();
  const [one, two] = [stage.handler(), stage.handler()];
  // Each is checked before the other is there.
  const held = one.hold('before', 'waiters.add');
  const first = createJob(aJob(waiting('work', 'b')), one.deps);
  await held.reached;
  expect((await createJob(aJob(waiting('b', 'c')), two.deps)).kind).toBe('created');
  held.release();
  expect((await first).kind).toBe('created');
  await stage.settle();
  const round = 'these Jobs would wait for one another for ever: work → b → c → work';
  expect(await vain(stage)).toEqual([`error: ${round} | Delete one of them, or ${LET_GO}`]);
  const uids = ['uid-work', 'uid-b', 'uid-c'] as unknown as readonly JobUid[];
  for (const uid of uids) expect((await stage.status(uid)).phase).toMatchObject({ kind: 'suspended', held: true });
});

test('a Job that waits for nobody costs the doctor no look at others', async () => {
  const stage = new Stage();
  await stage.job();
  await stage.settle();
  const { doctor, handler } = examiner(stage);
  await doctor.job('default', 'work');
  expect(handler.calls.filter((call) => call === 'jobs.findJob')).toHaveLength(1);
});
