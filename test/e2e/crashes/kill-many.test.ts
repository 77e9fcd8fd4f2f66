import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dice } from '../../support/arbitrary-board.ts';
import { someFolders } from '../a-local-runtime.ts';
import { killNow, startRuntime } from '../a-runtime-process.ts';
import { TEST_MS, conditionsOf, eventually, indexed, kubeAt, shellJob } from '../kube-calls.ts';
import { canLook, processesNaming } from '../processes-left.ts';

// Simulated tasks live in the process that is killed, so they are lost with it: infrastructure, which spends no attempt
// of the user's. What runs as a process outlives it: kill.test.ts.

if (!canLook) console.warn('SKIPPED: processes that a kill leaves behind are looked for on Linux only');

const SEED = Number(process.env['SEED'] ?? 1);
/** Two chunks of the board. */
const INDEXES = 5_000;
const PARALLELISM = 500;
/** At most: so that the last sixth of the indexes takes longer than a kill needs, however fast the machine. */
const TASK_MS = 600;
const KILLS = 5;

describe.runIf(canLook)('kill -9 of the runtime while a Job of many indexes runs', () => {
  test(`${INDEXES} indexes, five times: each is counted once, none failed, nothing is left (seed ${SEED})`, {
    timeout: 3 * TEST_MS,
  }, async () => {
    const folders = someFolders();
    onTestFinished(() => {
      for (const line of processesNaming(folders.root)) killNow(Number.parseInt(line, 10));
      folders.remove();
    });
    const below = dice(SEED);
    let runtime = startRuntime(folders, TASK_MS);
    await kubeAt(await runtime.ready()).create(shellJob('many', 'true', indexed(INDEXES, PARALLELISM)));

    for (let kill = 1; kill <= KILLS; kill++) {
      // Spread over the Job's life by what it has done, not by the clock.
      const done = Math.floor(((kill - below(100) / 100) / (KILLS + 1)) * INDEXES);
      const kube = kubeAt(await runtime.ready());
      await kube.until('many', (job) => job.status.succeeded >= done);
      await sleep(below(200));
      expect(conditionsOf(await kube.job('many'))).toEqual([]); // it is under way
      killNow(runtime.child.pid);
      expect(await runtime.ended).toBe('SIGKILL');
      runtime = startRuntime(folders, TASK_MS);
    }

    const kube = kubeAt(await runtime.ready());
    const job = await kube.ended('many');
    expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(job.status).toMatchObject({
      succeeded: INDEXES,
      failed: 0,
      active: 0,
      terminating: 0,
      completedIndexes: `0-${INDEXES - 1}`,
    });
    await kube.remove('many');
    await eventually(
      async () => ((await kube.ask('GET', '/apis/batch/v1/namespaces/default/jobs/many')).status === 404 ? true : null),
      () => 'the Job is still there',
    );
    runtime.child.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
    expect(processesNaming(folders.root)).toEqual([]);
  });
});
