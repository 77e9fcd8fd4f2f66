import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { someFolders } from '../e2e/a-local-runtime.ts';
import { killNow, startRuntime } from '../e2e/a-runtime-process.ts';
import { PATIENCE_MS, TEST_MS, kubeAt } from '../e2e/kube-calls.ts';
import { expectExact, fiveJobs, fly } from './five-jobs.ts';
import { type ReleaseBefore, THIS_RELEASE, checkOutReleaseBefore, hasReleaseBefore } from './release-before.ts';

// The embedded runtimes of two releases on one data folder, one after the other. Each ends in the middle of five Jobs, by SIGKILL or
// SIGTERM. There is no way back: this release has given the file of Jobs a new format.

if (!hasReleaseBefore) console.warn('SKIPPED: the release before (.ci/release-before) is not in this clone');
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
  'five Jobs of a data folder go on with the next release, which takes its file over',
  {
    timeout: 3 * TEST_MS,
  },
  async () => {
    if (before === undefined) throw new Error('it was not checked out');
    const turns = [
      { tree: before.folder, end: 'SIGTERM' },
      { tree: before.folder, end: 'SIGKILL' },
      { tree: THIS_RELEASE, end: 'SIGKILL' },
      { tree: THIS_RELEASE, end: 'SIGTERM' },
    ] as const;
    const folders = someFolders();
    onTestFinished(() => folders.remove());
    const five = fiveJobs(turns.length, folders.workspaceDir);
    for (const [stage, { tree, end }] of turns.entries()) {
      const runtime = startRuntime(folders, undefined, tree);
      onTestFinished(() => killNow(runtime.child.pid));
      const url = await runtime.ready();
      const kube = kubeAt(url);
      if (stage === 0) for (const { job } of five.all) await kube.create(job);
      await fly(five, stage, kube);
      if (stage === turns.length - 1) await expectExact(five, kube);
      const diagnosis = (await (await fetch(`${url}/muster/v1/diagnosis`)).json()) as { readonly deadLetters: unknown };
      expect([stage, diagnosis.deadLetters]).toEqual([stage, []]);
      runtime.child.kill(end);
      expect(await runtime.ended).toBe(end === 'SIGTERM' ? 0 : 'SIGKILL');
    }
  },
);
