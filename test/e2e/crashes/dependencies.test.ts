import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { someFolders } from '../a-local-runtime.ts';
import { killNow, startRuntime } from '../a-runtime-process.ts';
import { type Kube, TEST_MS, eventually, indexed, kubeAt, linesOf, reasonOf, shellJob } from '../kube-calls.ts';
import { canLook, processesNaming } from '../processes-left.ts';

if (!canLook) console.warn('SKIPPED: processes that a kill leaves behind are looked for on Linux only');

const INDEXES = 20;
/** Nothing of the first Job's index with this number happens before the test says so. */
const SLOW = 9;

/** A Job that waits for others, with real processes. */
function waiting(name: string, annotations: Readonly<Record<string, string>>, script: string, spec: object = {}) {
  const job = shellJob(name, script, spec) as { readonly metadata: object };
  return { ...job, metadata: { ...job.metadata, annotations } };
}
const after = (name: string, jobs: string): object =>
  waiting(name, { 'muster.run/after': jobs }, `echo ${name} >> order`);

describe.runIf(canLook)('Jobs that wait for others, on the embedded runtime', () => {
  test('a chain, a failure, and indexes that start one by one, while the runtime is killed', {
    timeout: 2 * TEST_MS,
  }, async () => {
    const folders = someFolders();
    onTestFinished(() => {
      for (const line of processesNaming(folders.root)) killNow(Number.parseInt(line, 10));
      folders.remove();
    });
    const lines = (file: string): readonly string[] => linesOf(folders.workspaceDir, file);
    let runtime = startRuntime(folders);
    let kube: Kube = kubeAt(await runtime.ready());
    const created = async (...jobs: readonly object[]): Promise<void> => {
      for (const job of jobs) await kube.create(job);
    };

    // Those that wait are there before those that they wait for.
    await created(
      after('third', 'second'),
      after('second', 'first'),
      after('in-vain', 'broken'),
      after('behind', 'in-vain'),
      after('clean-up', 'broken:failed, in-vain:finished'),
      waiting(
        'reduce',
        { 'muster.run/after-indexes': 'map' },
        'echo $JOB_COMPLETION_INDEX >> reduced',
        indexed(INDEXES, INDEXES),
      ),
    );
    await created(
      shellJob('first', 'until [ -e go ]; do sleep 0.1; done; echo first >> order'),
      shellJob('broken', 'until [ -e go ]; do sleep 0.1; done; exit 3', { backoffLimit: 0 }),
      shellJob(
        'map',
        `[ $JOB_COMPLETION_INDEX = ${SLOW} ] && until [ -e go ]; do sleep 0.1; done; echo $JOB_COMPLETION_INDEX >> mapped`,
        indexed(INDEXES, 4),
      ),
    );
    const others = Array.from({ length: INDEXES }, (_, index) => String(index)).filter(
      (index) => index !== String(SLOW),
    );
    await eventually(
      () => (lines('reduced').length === others.length ? true : null),
      () => `reduced so far: ${lines('reduced').join(' ')}; ${runtime.said()}`,
    );
    expect(lines('reduced').toSorted()).toEqual(others.toSorted());
    expect(lines('order')).toEqual([]);

    killNow(runtime.child.pid);
    expect(await runtime.ended).toBe('SIGKILL');
    // What they wait for happens while nobody looks.
    writeFileSync(join(folders.workspaceDir, 'go'), '');
    runtime = startRuntime(folders);
    kube = kubeAt(await runtime.ready());

    const ends: Record<string, string | undefined> = {};
    for (const name of ['first', 'second', 'third', 'broken', 'in-vain', 'behind', 'clean-up', 'map', 'reduce'])
      ends[name] = reasonOf(await kube.ended(name));
    const complete = 'CompletionsReached';
    expect(ends).toEqual({
      first: complete,
      second: complete,
      third: complete,
      broken: 'BackoffLimitExceeded',
      'in-vain': 'DependencyFailed',
      behind: 'DependencyFailed',
      'clean-up': complete,
      map: complete,
      reduce: complete,
    });
    expect(lines('order').filter((line) => line !== 'clean-up')).toEqual(['first', 'second', 'third']);
    expect(lines('order')).toContain('clean-up');
    expect(lines('reduced').toSorted()).toEqual([...others, String(SLOW)].toSorted());
    expect(lines('mapped')).toHaveLength(INDEXES); // tasks that ran were adopted, not repeated

    runtime.child.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
  });
});
