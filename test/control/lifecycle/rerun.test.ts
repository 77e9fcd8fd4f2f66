import { describe, expect, test } from 'vitest';
import { createJob, createJobCommands } from '../../../shared/control/lifecycle/job-changes.ts';
import { formatIndexSet } from '../../../shared/domain/base/index-set.ts';
import { isInherited } from '../../../shared/domain/scoreboard/index-record.ts';
import type { SuccessPolicy } from '../../../shared/domain/manifests/manifest.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { toJob } from '../../../shared/store/to-job.ts';
import { type JobWish, aJob } from '../../support/a-job.ts';
import { BAD, DONE, Stage } from '../../support/a-stage.ts';

const FIVE = { completions: 5, parallelism: 3, backoffLimit: 0 } as const;

/** A stage on which the Job `frames` has failed: of its five indexes, 0 to 2 have succeeded. */
async function afterFailure(): Promise<Stage> {
  const stage = new Stage();
  stage.fate = { startMs: 0, runMs: 1_000, stopMs: 0, ending: DONE };
  const uid = await stage.job({ ...FIVE, uid: 'first', name: 'frames' });
  await stage.settle();
  stage.fate = { ...stage.fate, ending: BAD };
  for (let second = 0; second < 60; second++) {
    stage.advance(2_000);
    await stage.settle();
  }
  expect((await stage.status(uid)).phase).toMatchObject({ kind: 'finished', verdict: { kind: 'failed' } });
  stage.fate = { ...stage.fate, ending: DONE };
  return stage;
}

const rerun = (wish: JobWish = {}, indexes?: string): StoredSpec =>
  aJob({
    ...FIVE,
    uid: 'again',
    name: 'again',
    annotations: {
      'muster.run/rerun-of': 'frames',
      ...(indexes === undefined ? {} : { 'muster.run/indexes': indexes }),
    },
    ...wish,
  });

async function create(stage: Stage, spec: StoredSpec) {
  const { deps } = stage.handler();
  const said = await createJobCommands(deps).tryCreation(spec);
  const created = await createJob(spec, deps);
  // A dry run answers the same.
  expect(created.kind === 'created' ? { kind: 'fits', spec: created.spec } : created).toEqual(said);
  return created;
}

const faultsOf = (created: Awaited<ReturnType<typeof create>>): readonly string[] =>
  created.kind === 'invalid' ? created.errors.map(({ path, message }) => `${path}: ${message}`) : [created.kind];

test('runs what has not succeeded, and is complete with all of it', async () => {
  const stage = await afterFailure();
  const spec = rerun();
  const created = await create(stage, spec);
  expect(created).toMatchObject({ kind: 'created', spec: { inherited: '0-2' } });
  const { uid } = spec.identity;
  for (let second = 0; second < 10; second++) {
    await stage.settle();
    stage.advance(2_000);
  }
  expect([0, 1, 2, 3, 4].map((index) => stage.started(uid, index).length)).toEqual([0, 0, 0, 1, 1]);
  const board = await stage.board(uid);
  expect(board.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => 'succeeded'));
  expect(board.map(isInherited)).toEqual([true, true, true, false, false]);
  expect((await stage.status(uid)).phase).toMatchObject({
    kind: 'finished',
    verdict: { reason: 'CompletionsReached' },
  });
  // A rerun of a rerun inherits what the first had inherited.
  const twice = rerun({ uid: 'twice', name: 'twice', annotations: { 'muster.run/rerun-of': 'again' } }, '');
  expect(faultsOf(await create(stage, twice))).toEqual([
    'metadata.annotations[muster.run/rerun-of]: nothing is left to run: all of its indexes have succeeded; muster.run/indexes can name some to run again',
  ]);
});

describe('what is inherited, and what never runs', () => {
  test.each<[indexes: string | undefined, inherited: string, excluded: string]>([
    [undefined, '0-2', ''],
    ['3', '0-2', '4'],
    ['0,3', '1,2', '4'],
    ['0-4', '', ''],
  ])('muster.run/indexes %s', async (indexes, inherited, excluded) => {
    const created = await create(await afterFailure(), rerun({}, indexes));
    if (created.kind !== 'created') throw new Error(JSON.stringify(created));
    const { selection } = toJob(created.spec).spec;
    expect([created.spec.inherited, formatIndexSet(selection.inherited), formatIndexSet(selection.excluded)]).toEqual([
      inherited,
      inherited,
      excluded,
    ]);
  });

  test('a change of the Job keeps it, and nobody can say it in a manifest', async () => {
    const stage = await afterFailure();
    const spec = rerun();
    await create(stage, spec);
    await stage.change(spec.identity.uid, { parallelism: 1 });
    expect(await stage.store.jobs.readSpec(spec.identity.uid)).toMatchObject({ revision: 2, inherited: '0-2' });
  });
});

describe('refused', () => {
  const RERUN = 'metadata.annotations[muster.run/rerun-of]';
  test.each<[because: string, spec: StoredSpec, why: string]>([
    [
      'there is no such Job',
      rerun({ annotations: { 'muster.run/rerun-of': 'nothing' } }),
      `${RERUN}: there is no Job of this name in the namespace`,
    ],
    [
      'another work list',
      rerun({ annotations: { 'muster.run/rerun-of': 'frames', 'muster.run/items': 'F\na\nb\nc\nd\ne' } }),
      `${RERUN}: that Job has another work list, so its indexes have worked on other items`,
    ],
    [
      'other completions',
      rerun({ completions: 6 }),
      `${RERUN}: that Job has 5 completions and this one 6: they must be the same`,
    ],
  ])('%s', async (_, spec, why) => {
    const stage = await afterFailure();
    expect(faultsOf(await create(stage, spec))).toEqual([why]);
    expect(await stage.store.jobs.readStatus(spec.identity.uid)).toBeNull();
  });

  test.each<[because: string, wish: JobWish, why: string]>([
    ['a Job that still runs', {}, `${RERUN}: that Job is not over: it is neither Complete nor Failed yet`],
    [
      'a Job without indexes',
      { completionMode: 'NonIndexed' },
      `${RERUN}: that Job is not Indexed: its Pods have no indexes that could run again`,
    ],
  ])('%s', async (_, wish, why) => {
    const stage = new Stage();
    await stage.job({ ...FIVE, uid: 'first', name: 'frames', ...wish });
    await stage.settle();
    expect(faultsOf(await create(stage, rerun()))).toEqual([why]);
  });

  test('a list with too many gaps', async () => {
    const stage = new Stage();
    const completions = 100_000;
    const old = aJob({ uid: 'first', name: 'frames', completions });
    const every2nd = Array.from({ length: completions / 2 }, (_, i) => i * 2).join(',');
    const chosen = Array.from({ length: completions / 2 }, (_, i) => i * 2 + 1).join(',');
    await stage.job({ uid: 'zero', name: 'zero' });
    const sparse = { ...old, inherited: every2nd.slice(0, -1) };
    const { deps } = stage.handler();
    const created = await createJob(sparse, deps);
    expect(created.kind).toBe('created');
    const status = await stage.status(old.identity.uid);
    const verdict = { kind: 'failed', reason: 'DeadlineExceeded', message: '', decidedBy: null } as const;
    const phase = { kind: 'finished', verdict, since: stage.time, at: stage.time } as const;
    await stage.store.jobs.commitPass(old.identity.uid, { ...status, version: status.version + 1, phase }, []);
    expect(chosen.length).toBeGreaterThan(256 * 1024);
    const [why] = faultsOf(await create(stage, rerun({ completions })));
    expect(why).toMatch(
      /^metadata\.annotations\[muster\.run\/rerun-of\]: what has succeeded there takes 29\d{4} bytes as a list of indexes, and may take 262144: too many gaps$/,
    );
  });

  test.each<[because: string, indexes: string | undefined, policy: SuccessPolicy, faults: readonly string[]]>([
    [
      'a policy that is met before anything runs',
      undefined,
      { rules: [{ succeededIndexes: '4' }, { succeededIndexes: '0-2' }] },
      ['spec.successPolicy.rules[1]: is met by the indexes that have succeeded before: nothing would run'],
    ],
    [
      'a policy that can never be met',
      '3',
      { rules: [{ succeededIndexes: '0-4' }] },
      [
        'spec.successPolicy.rules[0]: can never be met: too many of its indexes are not in metadata.annotations[muster.run/indexes]',
      ],
    ],
    ['but not one that inherited indexes help', '3', { rules: [{ succeededIndexes: '0-3' }] }, ['created']],
  ])('%s', async (_, indexes, successPolicy, faults) => {
    const spec = rerun({}, indexes);
    const { manifest } = spec;
    const withPolicy = { ...spec, manifest: { ...manifest, spec: { ...manifest.spec, successPolicy } } };
    expect(faultsOf(await create(await afterFailure(), withPolicy))).toEqual(faults);
  });

  test('a client that asks again gets AlreadyExists, whatever has become of the other Job', async () => {
    const stage = await afterFailure();
    await create(stage, rerun());
    const { deps } = stage.handler();
    const first = await stage.store.jobs.findJob('default', 'frames');
    if (first === null) throw new Error('no such Job');
    await createJobCommands(deps).deleteJob(first, 'Background', null);
    expect((await create(stage, rerun({ uid: 'other' }))).kind).toBe('taken');
  });
});
