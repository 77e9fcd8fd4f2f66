import { expect } from 'vitest';
import type { Deps } from '../../../control/process/deps.ts';
import { createDoctor } from '../control/create-doctor.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import type { FindingKind } from '../domain/finding.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import type { QueueDepth } from '../../../ports/dead-letters.ts';
import type { Diagnosis } from '../ports/doctor.ts';
import type { JobWish } from '../../../../test/support/a-job.ts';
import { NO_LOGS } from '../../../../test/support/no-logs.ts';
import { Stage } from '../../../../test/support/a-stage.ts';

export const MINUTE_MS = 60_000;
export const IDLE: QueueDepth = { queue: 'facts', waiting: 0, hidden: 0, delayed: 0, dead: 0 };

/** The doctor of a stage, with the ports that it uses. */
export function examiner(stage: Stage, depths: readonly QueueDepth[] = []) {
  const handler = stage.handler();
  const deps: Deps = { ...handler.deps, clock: { ...handler.deps.clock, sleep: async () => undefined } };
  const doctor = createDoctor(
    { deadLetters: stage.store.deadLetters, queueDepths: async () => depths, logs: NO_LOGS },
    deps,
  );
  return { handler, deps, doctor };
}

/** A Job `work` with two indexes whose tasks run. */
export async function aJobAtWork(wish: JobWish = {}, runMs = 3_600_000) {
  const stage = new Stage();
  stage.fate = { ...stage.fate, runMs };
  const uid = await stage.job({ completions: 2, parallelism: 2, ...wish });
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  return { stage, uid, ...examiner(stage) };
}

/** Severity and kind of each finding. */
export const short = (diagnosis: Diagnosis | null) =>
  diagnosis!.findings.map(({ severity, kind }) => `${severity} ${kind}`).toSorted();
/** The diagnosis of the Job `work`. */
export const work = async ({ doctor }: ReturnType<typeof examiner>) => doctor.job('default', 'work');
/** The only finding of a kind. */
export const find = (diagnosis: Diagnosis | null, kind: FindingKind) => {
  const found = diagnosis!.findings.filter((finding) => finding.kind === kind);
  expect(found, `one ${kind} of ${short(diagnosis).join(', ')}`).toHaveLength(1);
  return found[0]!;
};

/** Changes STATUS without a pass. */
export async function tamper(stage: Stage, uid: JobUid, change: (status: Status) => Partial<Status>): Promise<void> {
  const status = await stage.status(uid);
  await stage.store.jobs.commitPass(uid, { ...status, ...change(status), version: status.version + 1 }, []);
}

/** Publishes a Job's status to the feed. */
export async function publish(stage: Stage, uid: JobUid, { deps }: { readonly deps: Deps }): Promise<void> {
  await deps.publisher.publish((await stage.store.jobs.readSpec(uid))!.identity, await stage.status(uid));
}
