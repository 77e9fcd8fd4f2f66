import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LmdbStore, storeOf } from '../../../../local/store/lmdb-store.ts';
import { LmdbRows } from '../../../adapters/rows/lmdb.ts';
import { createDoctor } from '../control/create-doctor.ts';
import { createJob } from '../../../control/lifecycle/job-changes.ts';
import { sweepJobs } from '../../../control/sweep/sweep.ts';
import { has, parseStatusIndexes } from '../../../domain/base/index-set.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { FindingKind } from '../domain/finding.ts';
import { tally } from '../../../domain/scoreboard/status.ts';
import type { Diagnosis } from '../ports/doctor.ts';
import { Handler } from '../../../../test/support/a-handler.ts';
import { aJob } from '../../../../test/support/a-job.ts';
import { openNamespace } from '../../../../test/support/a-namespace.ts';
import { Stage } from '../../../../test/support/a-stage.ts';
import { NO_LOGS } from '../../../../test/support/no-logs.ts';
import { MINUTE_MS } from './examined-job.ts';

// The drill of docs/restore.md: a table is copied while a Job runs, what is written later is lost, and the installation goes on with
// the copy. Tasks and ECS do not go back.

const COMPLETIONS = 12;
const RUN_MS = 5 * MINUTE_MS;

/** A Job whose table was copied after some successes, and went on. What happens next, happens to the copy. */
async function rewound() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs: RUN_MS };
  const open = (file: string): LmdbStore => {
    const now = () => stage.time;
    const store = storeOf(new LmdbRows(join(folder, file), now), now);
    onTestFinished(async () => store.close());
    return store;
  };
  const handlerOn = (store: LmdbStore): Handler =>
    new Handler({ ...store, tasks: stage.tasks, queues: stage.mail.queues }, () => stage.time, 0);
  const store = open('before.lmdb');
  const handler = handlerOn(store);
  const spec = aJob({ completions: COMPLETIONS, parallelism: 3 });
  const { uid } = spec.identity;
  await openNamespace(store.objects, spec.identity.namespace, stage.time);
  await createJob(spec, handler.deps);
  await goOn(stage, handler, 6 * MINUTE_MS);
  cpSync(join(folder, 'before.lmdb'), join(folder, 'copy.lmdb'));
  await goOn(stage, handler, 6 * MINUTE_MS);
  const lost = tally((await store.jobs.readStatus(uid))!.chunks).succeeded;
  for (const name of ['facts', 'wake', 'dispatch'] as const) stage.take(name);
  const copy = open('copy.lmdb');
  return { stage, uid, copy, handler: handlerOn(copy), lost };
}

/** Time passes, with the sweep of every minute. */
async function goOn(stage: Stage, handler: Handler, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += MINUTE_MS) {
    await stage.settle(handler);
    stage.advance(MINUTE_MS);
    await stage.sweep(handler);
  }
  await stage.settle(handler);
}

async function said(copy: LmdbStore, { deps }: Handler): Promise<Diagnosis> {
  const ports = { deadLetters: copy.deadLetters, queueDepths: async () => [], logs: NO_LOGS };
  const page = { namespace: null, after: null };
  return createDoctor(ports, { ...deps, clock: { ...deps.clock, sleep: async () => undefined } }).restored(page);
}

function named({ findings }: Diagnosis, kind: FindingKind): readonly number[] {
  const text = findings.find((finding) => finding.kind === kind)?.details?.['indexes'];
  const set = parseStatusIndexes(typeof text === 'string' ? text : '', COMPLETIONS);
  return Array.from({ length: COMPLETIONS }, (_, index) => index).filter((index) => has(set, index));
}

/** How often each index was started. */
const starts = (stage: Stage, uid: JobUid): readonly number[] =>
  Array.from({ length: COMPLETIONS }, (_, index) => stage.started(uid, index).length);

async function settled({ stage, uid, copy, handler }: Awaited<ReturnType<typeof rewound>>) {
  await sweepJobs({ everything: true }, handler.deps);
  await goOn(stage, handler, 60 * MINUTE_MS);
  const status = (await copy.jobs.readStatus(uid))!;
  expect([status.phase.kind, tally(status.chunks).succeeded, status.failed]).toEqual(['finished', COMPLETIONS, 0]);
  expect((await copy.deadLetters.newest(9)).deadLetters).toEqual([]);
}

test('a restore within the hour: ECS still knows every task, and nothing runs twice', async () => {
  const w = await rewound();
  expect(w.lost).toBeGreaterThan(tally((await w.copy.jobs.readStatus(w.uid))!.chunks).succeeded);
  const diagnosis = await said(w.copy, w.handler);
  expect(named(diagnosis, 'RunsAgain')).toEqual([]);
  await settled(w);
  expect(starts(w.stage, w.uid)).toEqual(Array.from({ length: COMPLETIONS }, () => 1));
});

test('a restore hours later: the Job settles, and what runs again was said before', async () => {
  const w = await rewound();
  const before = starts(w.stage, w.uid);
  w.stage.advance(5 * 60 * MINUTE_MS);
  const diagnosis = await said(w.copy, w.handler);
  const known = tally((await w.copy.jobs.readStatus(w.uid))!.chunks).succeeded;
  const [runs, may] = [named(diagnosis, 'RunsAgain'), named(diagnosis, 'MayRunAgain')];
  expect(diagnosis.findings.find(({ kind }) => kind === 'Rewound')?.what).toContain(`${known} of ${COMPLETIONS} had`);
  await settled(w);
  const after = starts(w.stage, w.uid);
  const again = after.flatMap((count, index) => (before[index] !== 0 && count > before[index]! ? [index] : []));
  expect(runs.length).toBeGreaterThan(0);
  expect(again.length).toBeGreaterThan(runs.length);
  // What was active, and of the rest exactly what had started since.
  expect(again).toEqual([...runs, ...may.filter((index) => before[index] !== 0)].toSorted((a, b) => a - b));
});
