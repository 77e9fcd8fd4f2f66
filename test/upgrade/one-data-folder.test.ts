import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { someFolders } from '../e2e/a-local-runtime.ts';
import { killNow, startRuntime } from '../e2e/a-runtime-process.ts';
import { PATIENCE_MS, TEST_MS, kubeAt } from '../e2e/kube-calls.ts';
import { expectExact, fiveJobs, fly } from './five-jobs.ts';
import { type ReleaseBefore, THIS_RELEASE, checkOutReleaseBefore, hasReleaseBefore } from './release-before.ts';

// The embedded runtimes of two commits on one data folder, one after the other. Each ends in the middle of five Jobs, by SIGKILL or
// SIGTERM. There is no way back: this one has given the file of Jobs a new format.

if (!hasReleaseBefore) console.warn('SKIPPED: the commit before (.ci/release-before) is not in this clone');
const folder = mkdtempSync(join(tmpdir(), 'muster-upgrade-'));
let before: ReleaseBefore | undefined;
beforeAll(() => {
  if (hasReleaseBefore) before = checkOutReleaseBefore(join(folder, 'before'));
}, PATIENCE_MS);
afterAll(() => {
  before?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test.runIf(hasReleaseBefore)(
  'five Jobs of a data folder of the commit before go on with this one, which takes its file over once',
  {
    timeout: 3 * TEST_MS,
  },
  async () => {
    if (before === undefined) throw new Error('it was not checked out');
    const turns = [
      { tree: before.folder, end: 'SIGKILL', taken: 0 },
      { tree: THIS_RELEASE, end: 'SIGKILL', taken: 1 },
      { tree: THIS_RELEASE, end: 'SIGTERM', taken: 0 },
    ] as const;
    const folders = someFolders();
    onTestFinished(() => folders.remove());
    const five = fiveJobs(turns.length, folders.workspaceDir);
    for (const [stage, { tree, end, taken }] of turns.entries()) {
      const runtime = startRuntime(folders, undefined, tree);
      onTestFinished(() => killNow(runtime.child.pid));
      const url = await runtime.ready();
      const kube = kubeAt(url);
      if (stage === 0) for (const { job } of five.all) await kube.create(job);
      await fly(five, stage, kube);
      if (stage === turns.length - 1) await expectExact(five, kube);
      const diagnosis = (await (await fetch(`${url}/muster/v1/diagnosis`)).json()) as { readonly deadLetters: unknown };
      expect([stage, diagnosis.deadLetters]).toEqual([stage, []]);
      expect([stage, runtime.said().split('rows were taken over').length - 1]).toEqual([stage, taken]);
      runtime.child.kill(end);
      expect(await runtime.ended).toBe(end === 'SIGTERM' ? 0 : 'SIGKILL');
    }
  },
);
