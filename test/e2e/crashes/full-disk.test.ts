import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startLocalRuntime } from '../../../local/runtime.ts';
import { aDisk, fill } from '../../support/a-disk.ts';
import { dice } from '../../support/arbitrary-board.ts';
import { TEST_WIRING } from '../../support/test-wiring.ts';
import { someFolders } from '../a-local-runtime.ts';
import { JOBS, TEST_MS, conditionsOf, indexed, kubeAt, shellJob } from '../kube-calls.ts';

const SEED = Number(process.env['SEED'] ?? 1);
/** Two chunks of the board. */
const INDEXES = 5_000;
const PARALLELISM = 500;
const TASK_MS = 300;
const TIMES = 3;
const DISK_KIB = 64 * 1024;
/** Room for the rows of all indexes, and not for more than a moment of what else is written. */
const FULL_MS = 3_000;

test(`${INDEXES} indexes, the disk full ${TIMES} times meanwhile: each is counted once (seed ${SEED})`, {
  timeout: 3 * TEST_MS,
}, async ({ skip }) => {
  const disk = aDisk(DISK_KIB);
  if (disk === null) return skip();
  const folders = someFolders();
  onTestFinished(folders.remove);
  const said: string[] = [];
  const runtime = await startLocalRuntime({
    port: null,
    dataDir: join(disk.dir, 'data'),
    workspaceDir: folders.workspaceDir,
    driver: 'simulated',
    script: { runMs: [0, TASK_MS] },
    wiring: TEST_WIRING,
    say: (line) => said.push(line),
  });
  if (runtime.kind !== 'started') throw new Error(runtime.reason);
  onTestFinished(async () => runtime.stop());
  const kube = kubeAt(runtime.url);
  const below = dice(SEED);
  await kube.create(shellJob('many', 'true', indexed(INDEXES, PARALLELISM)));

  for (let time = 1; time <= TIMES; time++) {
    // Spread over the Job's life by what it has done, not by the clock.
    const done = Math.floor(((time - below(100) / 100) / (TIMES + 1)) * INDEXES);
    await kube.until('many', (job) => job.status.succeeded >= done);
    expect(conditionsOf(await kube.job('many'))).toEqual([]); // it is under way
    fill(disk.dir);
    const refused = await kube.ask('POST', JOBS, shellJob('late', 'true'));
    expect(refused).toMatchObject({
      status: 507,
      text: expect.stringMatching(/nothing can be stored: the disk of .* is full: free some space/) as string,
    });
    await sleep(FULL_MS);
    rmSync(join(disk.dir, 'filling'));
  }

  const job = await kube.ended('many');
  expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
  expect(job.status).toMatchObject({
    succeeded: INDEXES,
    failed: 0,
    active: 0,
    completedIndexes: `0-${INDEXES - 1}`,
  });
  const warnings = said.filter((line) => line.startsWith('warning: '));
  expect(warnings[0]).toContain('is full: free some space');
  expect(warnings.length).toBeLessThan(100);
});
