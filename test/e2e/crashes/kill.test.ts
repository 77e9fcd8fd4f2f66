import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { TEST_WIRING } from '../../support/test-wiring.ts';
import { dice } from '../../support/arbitrary-board.ts';
import { someFolders } from '../a-local-runtime.ts';
import { type RuntimeProcess, enginePid, killNow, spawnRuntime, startRuntime } from '../a-runtime-process.ts';
import { TEST_MS, conditionsOf, eventually, indexed, kubeAt, linesOf, shellJob } from '../kube-calls.ts';
import { canLook, processesNaming } from '../processes-left.ts';

if (!canLook) console.warn('SKIPPED: processes that a kill leaves behind are looked for on Linux only');

/** Another seed kills at other moments: SEED=7 npx vitest run test/e2e/crashes/kill.test.ts */
const SEED = Number(process.env['SEED'] ?? 1);
const INDEXES = 200;
const PARALLELISM = 60;

/**
 * Says in the workspace that it starts and ends; what ends in between has said only the one. The last few wait for their
 * leave, so that every kill finds the Job under way.
 */
const HELD_FROM = 190;
const TASK = `echo "start $JOB_COMPLETION_INDEX" >> out; sleep 2
  [ $JOB_COMPLETION_INDEX -lt ${HELD_FROM} ] || while [ ! -e go ]; do sleep 0.2; done
  echo "end $JOB_COMPLETION_INDEX" >> out`;
/** One after the other. */
const VICTIMS = {
  inProcess: ['runtime', 'runtime', 'runtime', 'runtime', 'runtime while it starts', 'runtime'],
  emulateAws: ['runtime', 'engine', 'both', 'runtime', 'runtime while it starts', 'both'],
} as const;
/** Ends by SIGKILL alone. */
const STUBBORN = `trap '' TERM; echo "start $JOB_COMPLETION_INDEX" >> out; while :; do sleep 1; done`;

// Each test has a runtime of its own and mostly waits, so they run side by side.
describe.runIf(canLook).concurrent('kill -9 at any moment', { timeout: 2 * TEST_MS }, () => {
  test(`200 tasks run once each (seed ${SEED})`, async ({ expect, onTestFinished }) => {
    const { folders, said, indexesThat } = place(onTestFinished);
    const below = dice(SEED);
    let runtime = startRuntime(folders);
    await kubeAt(await runtime.ready()).create(shellJob('sums', TASK, indexed(INDEXES, PARALLELISM)));

    const victims = VICTIMS[TEST_WIRING];
    for (const [n, victim] of victims.entries()) {
      // Spread over the Job's life by what it has said, not by the clock.
      const lines = Math.floor(((n + below(100) / 100) * 1.8 * INDEXES) / victims.length);
      await eventually(
        () => (said().length >= lines ? true : null),
        () => `${said().length} of ${lines} lines; ${runtime.said()}`,
      );
      await sleep(below(300));
      const engine = enginePid(folders.dataDir);
      expect(engine === null).toBe(TEST_WIRING === 'inProcess');
      if (victim === 'engine' || victim === 'both') killNow(engine);
      if (victim !== 'engine') {
        killNow(runtime.child.pid);
        expect(await runtime.ended).toBe('SIGKILL');
        runtime = startRuntime(folders);
      }
      if (victim === 'runtime while it starts') {
        await sleep(below(1500));
        killNow(runtime.child.pid);
        await runtime.ended;
        runtime = startRuntime(folders);
      }
      await runtime.ready();
    }
    writeFileSync(join(folders.workspaceDir, 'go'), '');

    const job = await kubeAt(await runtime.ready()).ended('sums');
    expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
    expect(job.status).toMatchObject({ succeeded: INDEXES, failed: 0, active: 0, completedIndexes: '0-199' });
    const all = Array.from({ length: INDEXES }, (_, index) => index);
    expect(indexesThat('end')).toEqual(all);
    expect(indexesThat('start')).toEqual(all); // running tasks were adopted, not repeated

    runtime.child.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
    expect(processesNaming(folders.root)).toEqual([]);
  });

  test(`while Ctrl-C is stopping it: nothing is left once it was started and stopped again (seed ${SEED})`, async ({
    expect,
    onTestFinished,
  }) => {
    const { folders, said, indexesThat } = place(onTestFinished);
    let runtime = startRuntime(folders);
    await kubeAt(await runtime.ready()).create(shellJob('stubborn', STUBBORN, indexed(6, 6)));
    await eventually(
      () => (indexesThat('start').length >= 6 ? true : null),
      () => `${said().join()}; ${runtime.said()}`,
    );
    pressCtrlC(runtime);
    await sleep(dice(SEED + 1)(2500)); // the tasks are given 3 s
    killNow(runtime.child.pid);
    expect(await runtime.ended).toBe('SIGKILL');
    expect(processesNaming(folders.root)).not.toEqual([]);
    runtime = startRuntime(folders);
    await runtime.ready();
    pressCtrlC(runtime);
    expect(await runtime.ended).toBe(0);
    expect(processesNaming(folders.root)).toEqual([]);
  });

  test('a second runtime on the same folder is refused, and leaves the first alone', async ({
    expect,
    onTestFinished,
  }) => {
    const { folders } = place(onTestFinished);
    let runtime = startRuntime(folders);
    const url = await runtime.ready();
    const second = spawnRuntime(folders);
    expect(await second.ended).toBe(1);
    expect(second.said()).toContain(`another runtime (pid ${runtime.child.pid}) runs on ${folders.dataDir}`);
    await kubeAt(url).create(shellJob('sums', 'true'));
    expect(conditionsOf(await kubeAt(url).ended('sums'))).toContain('Complete');
    runtime.child.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
    // The folder is free again.
    runtime = startRuntime(folders);
    expect(conditionsOf(await kubeAt(await runtime.ready()).job('sums'))).toContain('Complete');
    runtime.child.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
    expect(processesNaming(folders.root)).toEqual([]);
  });
});

/** Folders of one test, which are removed at its end with whatever a failed one has left running on them. */
function place(atEnd: (fn: () => void) => void) {
  const folders = someFolders();
  atEnd(() => {
    for (const line of processesNaming(folders.root)) killNow(Number.parseInt(line, 10));
    folders.remove();
  });
  const said = (): readonly string[] => linesOf(folders.workspaceDir, 'out');
  return {
    folders,
    said,
    /** The indexes of the lines that begin with a word, in order; an index that said it twice comes twice. */
    indexesThat: (word: string): readonly number[] =>
      said()
        .filter((line) => line.startsWith(`${word} `))
        .map((line) => Number(line.slice(word.length)))
        .toSorted((a, b) => a - b),
  };
}

/** A terminal sends SIGINT to the whole group in the foreground. */
function pressCtrlC({ child }: RuntimeProcess): void {
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
}
