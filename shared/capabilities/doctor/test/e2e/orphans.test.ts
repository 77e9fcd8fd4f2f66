import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDoctor } from '../../control/create-doctor.ts';
import { sweepTasks } from '../../../../control/sweep/sweep.ts';
import { plusMs } from '../../../../domain/base/time.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import type { Runtime } from '../../../../runtime/runtime.ts';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import {
  PATIENCE_MS,
  TEST_MS,
  conditionsOf,
  eventually,
  indexed,
  shellJob,
} from '../../../../../test/e2e/kube-calls.ts';
import { operatorsRuntime } from '../../../../../test/support/test-wiring.ts';
import { NO_LOGS } from '../../../../../test/support/no-logs.ts';

let local: ALocalRuntime;
let runtime: Runtime;
beforeAll(async () => {
  // No event of a task arrives, so that nobody hears of the ghosts.
  local = await aLocalRuntime({ events: { drop: 1 } });
  runtime = operatorsRuntime(local.runtime);
}, PATIENCE_MS);
afterAll(async () => {
  runtime.close();
  await local.close();
});

/** What is younger than a minute is under way: this doctor comes two minutes later. */
const AHEAD_MS = 120_000;

test('tasks that no board wants are found by the doctor, and stopped by the hourly sweep', {
  timeout: TEST_MS,
}, async () => {
  const { kube, workspaceDir } = local;
  const { deps, deadLetters: letters, queueDepths } = runtime;
  const clock = { ...deps.clock, now: () => plusMs(deps.clock.now(), AHEAD_MS) };
  const doctor = createDoctor({ deadLetters: letters.deadLetters, queueDepths, logs: NO_LOGS }, { ...deps, clock });
  const strangers = async (): Promise<readonly string[]> => {
    const [job, installation] = [await doctor.job('default', 'held'), await doctor.installation()];
    return [...(job?.findings ?? []), ...installation.findings]
      .filter(({ kind }) => kind === 'StrangerTask' || kind === 'NotChecked')
      .map(({ subject, what }) => `${subject}: ${what}`);
  };
  const uid = asJobUid(await kube.create(shellJob('held', 'while [ ! -e go ]; do sleep 0.2; done', indexed(2, 2))));
  await kube.until('held', ({ status }) => status.active === 2);
  const template = await eventually(
    async () => (await deps.jobs.readTemplates(uid))[0] ?? null,
    () => 'the Job has no template',
  );
  expect(await strangers()).toEqual([]);

  const orphan = { index: 0, attempt: 7, nonce: 0 };
  for (const owner of [uid, asJobUid('nobody-at-all')]) {
    const job = { uid: owner, namespace: 'default', name: 'held' };
    expect((await deps.tasks.run({ job, id: orphan, template, env: [] })).kind).toBe('launched');
  }
  const both = [
    'job/default/held: index 0: a live task of the Job that is not a current attempt',
    'installation: 1 live task of Jobs that do not exist: nobody-at-all',
  ];
  await eventually(
    async () => (JSON.stringify(await strangers()) === JSON.stringify(both) ? true : null),
    () => local.said.join('\n'),
  );

  // A task that only starts tells its board nothing yet, so an hour's sweep may come too early for it.
  let left: readonly string[] = [];
  await eventually(
    async () => {
      await sweepTasks({ after: null }, deps);
      left = await strangers();
      return left.length === 0 ? true : null;
    },
    () => left.join('\n'),
  );
  writeFileSync(join(workspaceDir, 'go'), '');
  const ended = await kube.ended('held');
  expect([conditionsOf(ended), ended.status.succeeded]).toEqual([['SuccessCriteriaMet', 'Complete'], 2]);
});
