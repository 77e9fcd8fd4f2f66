import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { someFolders } from '../a-local-runtime.ts';
import { killNow, startRuntime } from '../a-runtime-process.ts';
import { EXAMPLES, TEST_MS, conditionsOf, eventually, kubeAt } from '../kube-calls.ts';
import { canLook, processesNaming } from '../processes-left.ts';

if (!canLook) console.warn('SKIPPED: workers to kill are looked for on Linux only');

/** The nine Jobs of examples/map-reduce: 402 indexes. */
const FLOW = parseAllDocuments(readFileSync(join(EXAMPLES, 'map-reduce/flow.yaml'), 'utf8')).map(
  (document) => document.toJS() as { readonly metadata: { readonly name: string } },
);
const PIECES = 200;

describe.runIf(canLook)('kill -9 of a worker, and of the runtime, while indexes wait for indexes of other Jobs', () => {
  test('examples/map-reduce comes to what one program counts', { timeout: 3 * TEST_MS }, async () => {
    const folders = someFolders();
    const { root, workspaceDir } = folders;
    onTestFinished(() => {
      for (const line of processesNaming(root)) killNow(Number.parseInt(line, 10));
      folders.remove();
    });
    cpSync(join(EXAMPLES, 'map-reduce'), workspaceDir, {
      recursive: true,
      filter: (path) => !path.endsWith('/counts'),
    });
    cpSync(join(EXAMPLES, 'wordcount/texts'), join(root, 'wordcount/texts'), { recursive: true });
    const counted = (job: string): number => {
      const folder = join(workspaceDir, 'counts', job);
      return existsSync(folder) ? readdirSync(folder).filter((file) => !file.startsWith('.')).length : 0;
    };
    let runtime = startRuntime(folders);
    let kube = kubeAt(await runtime.ready());
    for (const job of FLOW) await kube.create(job);

    await eventually(
      () => (killWorker(root) ? true : null),
      () => 'no worker runs',
    );
    for (const pieces of [PIECES / 3, (PIECES * 2) / 3]) {
      await eventually(
        () => (counted('map') >= pieces ? true : null),
        () => `${counted('map')} pieces are counted; ${runtime.said()}`,
      );
      expect(existsSync(join(workspaceDir, 'counts/merge-1/0'))).toBe(false); // it is under way
      killNow(runtime.child.pid);
      expect(await runtime.ended).toBe('SIGKILL');
      runtime = startRuntime(folders);
      kube = kubeAt(await runtime.ready());
    }

    for (const { metadata } of FLOW) expect(conditionsOf(await kube.ended(metadata.name))).toContain('Complete');
    const merged = readFileSync(join(workspaceDir, 'counts/merge-1/0'), 'utf8').trimEnd().split('\n');
    const sequential = spawnSync('sh', [join(workspaceDir, 'sequential.sh')], { encoding: 'utf8' });
    expect(sequential).toMatchObject({ status: 0, stderr: '' });
    expect(merged.toSorted()).toEqual(sequential.stdout.trimEnd().split('\n').toSorted());
    const failed = await Promise.all(FLOW.map(async ({ metadata }) => (await kube.job(metadata.name)).status.failed));
    expect(failed.reduce((sum, each) => sum + each)).toBe(1); // the worker that was killed

    runtime.child.kill('SIGTERM');
    expect(await runtime.ended).toBe(0);
    expect(processesNaming(root)).toEqual([]);
  });
});

/** Kills a task of `map` in the middle; false: none was found that had not ended by itself. */
function killWorker(root: string): boolean {
  const workers = () => processesNaming(root).filter((line) => /^\d+ \S*sh map\.sh $/.test(line));
  const pid = Number.parseInt(workers()[0] ?? '', 10);
  try {
    process.kill(pid, 'SIGSTOP');
  } catch {
    return false;
  }
  const isThere = workers().some((line) => Number.parseInt(line, 10) === pid); // what has stopped ends no more
  if (isThere) killNow(pid);
  return isThere;
}
