import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { CONFIGS, FURIKO_JOBS, aConfig, aFurikoJob } from './a-furiko-world.ts';

const taskTemplate = (path: string) => ({
  pod: {
    spec: {
      containers: [{ name: 'main', image: 'busybox', command: ['true'] }],
      volumes: [{ name: 'in', hostPath: { path } }],
    },
  },
});
const configAt = (path: string, spec: object = {}) =>
  aConfig(
    'nightly',
    { schedule: { cron: { expression: '@daily' }, ...spec } },
    { spec: { taskTemplate: taskTemplate(path) } },
  );

test("a Job and a JobConfig of Furiko's may mount of this machine what a Job may", async () => {
  const create = async (hostFolders: readonly string[] | null) => {
    const world = await aWorld({ hostFolders });
    const job = await world.post(FURIKO_JOBS, aFurikoJob('once', { taskTemplate: taskTemplate('/srv/in') }));
    const config = await world.post(CONFIGS, configAt('/srv/in'));
    return [job.status, config.status, /volumes\[0\]\.hostPath[.\w]*: Forbidden/.test(await config.text())];
  };
  expect(await create(['/srv'])).toEqual([201, 201, false]);
  for (const hostFolders of [['/srv/other'], [], null]) expect(await create(hostFolders)).toEqual([422, 422, true]);
});

test('what a JobConfig has mounted it keeps when nothing is allowed any more, and it can be disabled', async () => {
  const hostFolders = ['/srv'];
  const world = await aWorld({ hostFolders });
  await world.post(CONFIGS, configAt('/srv/in'));
  hostFolders.pop();
  const put = async (document: object) =>
    (
      await world.app.request(`${CONFIGS}/nightly`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(document),
      })
    ).status;
  expect(await put(configAt('/srv/in', { disabled: true }))).toBe(200);
  expect(await put(configAt('/srv/other'))).toBe(422);
});
