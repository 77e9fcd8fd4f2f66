import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import {
  EXAMPLES,
  PATIENCE_MS,
  TEST_MS,
  conditionsOf,
  eventually,
  exampleJob,
  indexOf,
  indexed,
  linesOf,
  reasonOf,
  shellJob,
} from './kube-calls.ts';
import { canLook, processesNaming } from './processes-left.ts';

// One runtime for all; each test keeps to a folder of the workspace that is named after its Job.

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => local.close());

/** Makes the Job's folder; its scripts begin with `cd` into it. */
function folderFor(name: string): { readonly folder: string; readonly lines: (file?: string) => readonly string[] } {
  const folder = join(local.workspaceDir, name);
  mkdirSync(folder);
  return { folder, lines: (file = 'out') => linesOf(folder, file) };
}

describe.concurrent('Jobs on the embedded runtime', { timeout: TEST_MS }, () => {
  test('one failure too many: the Job has failed, and its other tasks are gone', async ({ expect }) => {
    const { kube } = local;
    const { lines, folder } = folderFor('doomed');
    const others = '[ $JOB_COMPLETION_INDEX = 2 ] || exec sleep 600';
    // Index 2 fails once the other three run.
    const third = 'while [ $(wc -l < out) -lt 4 ]; do sleep 0.1; done; exit 3';
    const script = `cd doomed; echo $JOB_COMPLETION_INDEX >> out; ${others}; ${third}`;
    await kube.create(shellJob('doomed', script, { ...indexed(8, 4), backoffLimit: 0 }));
    const job = await kube.ended('doomed');
    expect(conditionsOf(job)).toEqual(['FailureTarget', 'Failed']);
    expect(reasonOf(job)).toBe('BackoffLimitExceeded');
    expect(job.status).toMatchObject({ succeeded: 0, active: 0, terminating: 0 });
    expect(lines().toSorted()).toEqual(['0', '1', '2', '3']);
    const failed = (await kube.pods('doomed')).filter((pod) => indexOf(pod) === 2);
    expect(failed.map(({ status }) => status.phase)).toEqual(['Failed']);
    if (canLook) expect(processesNaming(folder)).toEqual([]);
  });

  test('args without a command are run, with their variables filled in', async ({ expect }) => {
    const { kube } = local;
    const { lines } = folderFor('args');
    const args = ['sh', '-c', 'echo "$1" >> args/out', 'sh', 'index $(JOB_COMPLETION_INDEX)'];
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'tool', args }] } };
    const metadata = { name: 'args' };
    await kube.create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { ...indexed(2, 2), template } });
    expect((await kube.ended('args')).status).toMatchObject({ succeeded: 2 });
    expect(lines().toSorted()).toEqual(['index 0', 'index 1']);
  });

  test('a work queue: as many tasks as there are completions take as many items', async ({ expect }) => {
    const { kube } = local;
    const { folder, lines } = folderFor('queue');
    const items = Array.from({ length: 6 }, (_, n) => `item-${n}`);
    mkdirSync(join(folder, 'todo'));
    mkdirSync(join(folder, 'done'));
    for (const item of items) writeFileSync(join(folder, 'todo', item), '');
    // The task that can move an item has it.
    const take =
      'for item in todo/*; do mv "$item" done/ 2>/dev/null && echo "${item#todo/}" >> out && exit 0; done; exit 1';
    await kube.create(shellJob('queue', `cd queue; ${take}`, { completions: 6, parallelism: 2 }));
    const job = await kube.ended('queue');
    expect(conditionsOf(job)).toContain('Complete');
    expect(job.status).toMatchObject({ succeeded: 6, failed: 0 });
    expect(job.status.completedIndexes).toBeUndefined();
    expect(lines().toSorted()).toEqual(items);
  });

  test('workers without a number of completions: when one has succeeded, no more are started', async ({ expect }) => {
    const { kube } = local;
    const { lines } = folderFor('workers');
    // None ends before all three are there.
    const script = 'cd workers; echo x >> out; while [ $(wc -l < out) -lt 3 ]; do sleep 0.1; done';
    await kube.create(shellJob('workers', script, { parallelism: 3 }));
    const job = await kube.ended('workers');
    expect(conditionsOf(job)).toContain('Complete');
    expect(job.status).toMatchObject({ succeeded: 3, failed: 0 });
    expect(lines()).toHaveLength(3);
  });

  test('created suspended, nothing of it is ever started', async ({ expect }) => {
    const { kube } = local;
    const { lines } = folderFor('asleep');
    await kube.create(shellJob('asleep', 'cd asleep; echo x >> out', { ...indexed(3, 3), suspend: true }));
    const job = await kube.until('asleep', (seen) => conditionsOf(seen).length > 0);
    expect(conditionsOf(job)).toEqual(['Suspended']);
    // What comes later is done long before.
    await kube.create(shellJob('awake', 'true', indexed(3, 3)));
    await kube.ended('awake');
    expect((await kube.job('asleep')).status).toMatchObject({ active: 0, succeeded: 0 });
    expect(await kube.pods('asleep')).toEqual([]);
    expect(lines()).toEqual([]);
  });

  test('deleted while it runs: the name is free at once, and the tasks get SIGTERM and are gone', async ({
    expect,
  }) => {
    const { kube } = local;
    const { folder, lines } = folderFor('redone');
    const task = (word: string) =>
      shellJob(
        'redone',
        `cd redone; trap 'echo "$JOB_COMPLETION_INDEX told" >> out; exit 0' TERM; echo ${word} >> started; sleep ${word === 'first' ? 600 : 0} & wait`,
        indexed(3, 3),
      );
    const first = await kube.create(task('first'));
    await eventually(
      () => (lines('started').length === 3 ? true : null),
      () => lines('started').join(),
    );
    await kube.remove('redone');
    expect((await kube.ask('GET', '/apis/batch/v1/namespaces/default/jobs/redone')).status).toBe(404);
    const second = await kube.create(task('second'));
    expect(second).not.toBe(first);
    const job = await kube.ended('redone');
    expect(job.metadata.uid).toBe(second);
    expect(job.status).toMatchObject({ succeeded: 3, failed: 0, completedIndexes: '0-2' });
    await eventually(
      () => (lines().length >= 3 ? true : null),
      () => lines().join(),
    );
    expect(lines().toSorted()).toEqual(['0 told', '1 told', '2 told']);
    expect(lines('started').toSorted()).toEqual(['first', 'first', 'first', 'second', 'second', 'second']);
    if (!canLook) return;
    await eventually(
      () => (processesNaming(folder).length === 0 ? true : null),
      () => processesNaming(folder).join('\n'),
    );
  });

  test('a command that does not exist is named in its Pod, whatever its characters', async ({ expect }) => {
    const { kube } = local;
    const program = 'no-such-program-\u{1F600}\uFFFF';
    const containers = [{ name: 'main', image: 'busybox', command: [program] }];
    await kube.create(shellJob('missing', '', indexed(1, 1), { containers }));
    const told = await eventually(
      async () => (await kube.pods('missing')).find(({ status }) => status.phase === 'Failed') ?? null,
      () => local.said.join('\n'),
    );
    const { terminated } = told.status.containerStatuses?.[0]?.state ?? {};
    expect(terminated?.exitCode).toBe(128);
    expect(terminated?.message).toContain(`CannotStartContainerError: ${program}: command not found; looked in PATH /`);
    await kube.remove('missing');
  });

  test('an init container has succeeded before the main one begins', async ({ expect }) => {
    const { kube } = local;
    const { lines } = folderFor('prepared');
    const init = {
      name: 'init',
      image: 'busybox',
      command: ['sh', '-c', 'cd prepared; sleep 0.3; echo init | tee -a out'],
    };
    await kube.create(shellJob('prepared', 'cd prepared; echo main | tee -a out', {}, { initContainers: [init] }));
    expect(conditionsOf(await kube.ended('prepared'))).toContain('Complete');
    expect(lines()).toEqual(['init', 'main']);
    const [pod] = await kube.pods('prepared');
    expect(await kube.log(pod!.metadata.name)).toBe('main\n');
    expect(await kube.log(pod!.metadata.name, '?container=init')).toBe('init\n');
  });

  test('every attempt has a Pod and a log of its own', async ({ expect }) => {
    const { kube } = local;
    folderFor('retried');
    const script = 'echo "attempt $MUSTER_ATTEMPT of $JOB_COMPLETION_INDEX"; echo second line; [ $MUSTER_ATTEMPT = 2 ]';
    await kube.create(shellJob('retried', script, { ...indexed(1, 1), backoffLimit: 1 }));
    const job = await kube.ended('retried'); // Kubernetes waits 10 s before the second attempt
    expect(conditionsOf(job)).toContain('Complete');
    expect(job.status).toMatchObject({ succeeded: 1, failed: 1 });
    const logs = new Map<string, string>();
    for (const { metadata, status } of await kube.pods('retried'))
      logs.set(status.phase, await kube.log(metadata.name));
    expect(Object.fromEntries(logs)).toEqual({
      Failed: 'attempt 1 of 0\nsecond line\n',
      Succeeded: 'attempt 2 of 0\nsecond line\n',
    });
    const [pod] = (await kube.pods('retried')).filter(({ status }) => status.phase === 'Succeeded');
    expect(await kube.log(pod!.metadata.name, '?tailLines=1')).toBe('second line\n');
  });

  test('wordcount, from the manifest to the table, is what the shell computes', async ({ expect }) => {
    const { kube } = local;
    cpSync(join(EXAMPLES, 'wordcount'), local.workspaceDir, { recursive: true });
    await kube.create(exampleJob('wordcount'));
    const job = await kube.ended('wordcount');
    expect(conditionsOf(job)).toContain('Complete');
    expect(job.status).toMatchObject({ succeeded: 16, failed: 0, completedIndexes: '0-15' });
    const run = (command: string, ...args: readonly string[]): string => {
      const env = { PATH: process.env['PATH'], LC_ALL: 'C', MUSTER_WORKSPACE: local.workspaceDir };
      const { status, stdout, stderr } = spawnSync(command, args, { cwd: local.workspaceDir, encoding: 'utf8', env });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout.replaceAll(/^ +/gm, '');
    };
    const pipeline = /^(cat \$.*)$/m.exec(readFileSync(join(EXAMPLES, 'wordcount/README.md'), 'utf8'))?.[1];
    const merged = run('node', 'merge.mjs');
    expect(merged.split('\n')).toHaveLength(21);
    expect(merged).toBe(run('sh', '-c', pipeline ?? 'exit 9'));
  });
});
