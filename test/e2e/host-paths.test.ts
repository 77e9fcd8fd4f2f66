import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, conditionsOf, eventually, linesOf, shellJob } from './kube-calls.ts';

let root: string;
let local: ALocalRuntime;
beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'muster-paths-')));
  mkdirSync(join(root, 'real'));
  writeFileSync(join(root, 'real/file'), 'text\n');
  symlinkSync('real', join(root, 'allowed'));
  local = await aLocalRuntime({ hostFolders: [join(root, 'allowed')] });
}, PATIENCE_MS);
afterAll(async () => {
  await local.close();
  rmSync(root, { recursive: true, force: true });
});

const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';

describe.concurrent('what is on this machine, for processes', { timeout: TEST_MS }, () => {
  const pod = (script: string, path: string, type = '') => ({
    restartPolicy: 'Never',
    volumes: [{ name: 'in', hostPath: { path, type } }],
    containers: [
      { name: 'main', image: 'i', command: ['sh', '-c', script], volumeMounts: [{ name: 'in', mountPath: '/in' }] },
    ],
  });

  test('MUSTER_VOLUME says its real path', async ({ expect }) => {
    const script = 'echo "$MUSTER_VOLUME_IN" > where; cat "$MUSTER_VOLUME_IN/file" >> where';
    await local.kube.create(shellJob('real', '', {}, pod(script, join(root, 'allowed'))));
    expect(conditionsOf(await local.kube.ended('real'))).toContain('Complete');
    expect(linesOf(local.workspaceDir, 'where')).toEqual([join(root, 'real'), 'text']);
  });

  test('a Pod whose path leads elsewhere waits and says why', async ({ expect }) => {
    symlinkSync('/etc', join(root, 'real/link'));
    await local.kube.create(shellJob('elsewhere', '', {}, pod('true', join(root, 'allowed/link'))));
    await eventually(
      async () => {
        const { text } = await local.kube.ask(
          'GET',
          '/api/v1/namespaces/default/pods?labelSelector=job-name%3Delsewhere',
        );
        return text.includes(`is /etc, which is not within what muster local --allow-host-path names: ${root}/real`)
          ? true
          : null;
      },
      () => 'the Pod does not say where its path leads',
    );
    expect(conditionsOf(await local.kube.job('elsewhere'))).toEqual([]);
    await local.kube.remove('elsewhere');
  });

  test('a CronJob may have what a Job may, and no more', async ({ expect }) => {
    const cron = (name: string, path: string) => ({
      metadata: { name },
      spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec: pod('true', path) } } } },
    });
    expect((await local.kube.ask('POST', CRONS, cron('fine', join(root, 'real')))).status).toBe(201);
    const { status, text } = await local.kube.ask('POST', CRONS, cron('other', '/etc'));
    expect(status).toBe(422);
    expect(text).toContain('spec.jobTemplate.spec.template.spec.volumes[0].hostPath.path');
  });
});
