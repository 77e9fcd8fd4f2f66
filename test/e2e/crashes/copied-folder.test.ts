import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dice } from '../../support/arbitrary-board.ts';
import { TEST_WIRING } from '../../support/test-wiring.ts';
import { someFolders } from '../a-local-runtime.ts';
import { killNow, startRuntime } from '../a-runtime-process.ts';
import { TEST_MS, conditionsOf, indexed, kubeAt, shellJob } from '../kube-calls.ts';
import { canLook } from '../processes-left.ts';

if (!canLook) console.warn('SKIPPED: a runtime is held with SIGSTOP on Linux only');

/** Another seed copies at other moments: SEED=7 npx vitest run test/e2e/crashes/copied-folder.test.ts */
const SEED = Number(process.env['SEED'] ?? 1);
const COPIES = Number(process.env['COPIES'] ?? 5);
const INDEXES = 400;
const TASK_MS = 300;

// The DynamoDB engine of the other wiring is a process of its own, which goes on writing.
describe.runIf(canLook && TEST_WIRING === 'inProcess')('a copy of a data folder', () => {
  test(`taken while its runtime is held, ${COPIES} times: each goes on elsewhere, and counts each index once (seed ${SEED})`, {
    timeout: COPIES * TEST_MS,
  }, async () => {
    const below = dice(SEED);
    for (let copy = 1; copy <= COPIES; copy++) {
      const [here, there] = [someFolders(), someFolders()];
      onTestFinished(() => [here, there].forEach(({ remove }) => remove()));
      const original = startRuntime(here, TASK_MS);
      onTestFinished(() => killNow(original.child.pid));
      const kube = kubeAt(await original.ready());
      await kube.create(shellJob('many', 'true', indexed(INDEXES, 40)));
      const done = below(INDEXES - 50);
      await kube.until('many', (job) => job.status.succeeded >= done);
      await sleep(below(50));
      process.kill(original.child.pid!, 'SIGSTOP');
      cpSync(here.dataDir, there.dataDir, { recursive: true });
      process.kill(original.child.pid!, 'SIGCONT');

      // The lock in the copy is that of a runtime that lives, elsewhere.
      expect(JSON.parse(readFileSync(join(there.dataDir, 'lock'), 'utf8'))).toMatchObject({ pid: original.child.pid });
      const second = startRuntime(there, TASK_MS);
      onTestFinished(() => killNow(second.child.pid));
      for (const runtime of [second, original]) {
        const job = await kubeAt(await runtime.ready()).ended('many');
        expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
        const all = { succeeded: INDEXES, failed: 0, active: 0, completedIndexes: `0-${INDEXES - 1}` };
        expect(job.status).toMatchObject(all);
        runtime.child.kill('SIGTERM');
        expect(await runtime.ended).toBe(0);
      }
      expect(existsSync(join(there.dataDir, 'lock'))).toBe(false);
    }
  });
});
