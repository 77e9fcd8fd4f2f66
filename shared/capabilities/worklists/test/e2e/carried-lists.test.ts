import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { runCommandLine } from '../../../../../cli/program/program.ts';
import { aShell } from '../../../../../test/cli/a-shell.ts';
import { type ALocalRuntime, aLocalRuntime } from '../../../../../test/e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS } from '../../../../../test/e2e/kube-calls.ts';

// Lists that are too large for a manifest, with tasks that only seem to run.

const ITEMS = 12_000;
const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime({ driver: 'simulated', script: { runMs: 1 } });
  const lines = Array.from({ length: ITEMS }, (_, n) => `file ${n}.dat`);
  writeFileSync(join(local.workspaceDir, 'many.txt'), `${lines.join('\n')}\n`);
}, PATIENCE_MS);
afterAll(async () => local.close());

async function muster(...words: readonly string[]) {
  const shell = aShell({ cwd: local.workspaceDir, now: Date.now });
  const code = await runCommandLine(['--kubeconfig', local.runtime.kubeconfig, ...words], shell.shell);
  return { code, out: shell.out(), err: shell.err() };
}

const run = (name: string, ...more: readonly string[]) =>
  muster('run', name, '--image', 'i', '--per-completion-env', 'F=@many.txt', ...more, '--', 'gzip', '$F');

describe('a list that is too large for a manifest', { timeout: TEST_MS }, () => {
  test('is uploaded, and gone when the Job has it', async ({ expect }) => {
    const { kube } = local;
    expect(await run('zip', '-P', '50')).toMatchObject({ code: 0, out: 'job.batch/zip created\n' });
    expect((await kube.ask('GET', `${LISTS}/zip`)).status).toBe(404);
    const job = await kube.ended('zip');
    expect(job.status).toMatchObject({ succeeded: ITEMS, completedIndexes: `0-${ITEMS - 1}` });
    const last = `/api/v1/namespaces/default/pods?labelSelector=job-name%3Dzip,batch.kubernetes.io%2Fjob-completion-index%3D11999`;
    expect((await kube.ask('GET', last)).text).toContain('"muster.run/item":"file 11999.dat"');
  });

  test('leaves nothing if the Job is refused, or if it is only tried', async ({ expect }) => {
    const { kube } = local;
    const dry = await run('tried', '--dry-run=client');
    expect(dry.err).toContain('12000 items are too much for the manifest: they would be uploaded as worklist/tried\n');
    const refused = await run('refused', '--cpu', '999');
    expect([refused.code, refused.err.includes('CPUs')]).toEqual([1, true]);
    for (const name of ['tried', 'refused']) expect((await kube.ask('GET', `${LISTS}/${name}`)).status).toBe(404);
  });

  test('says so if a list of this name is there', async ({ expect }) => {
    const list = { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { name: 'taken' }, spec: { range: '1-3' } };
    await local.kube.ask('POST', LISTS, list);
    const { code, err } = await run('taken');
    expect(code).toBe(1);
    expect(err).toMatch(
      /already exists\nIt was not made by an upload: choose another name, or, if no CronJob uses it, kubectl delete worklist taken\n$/,
    );
  });
});
