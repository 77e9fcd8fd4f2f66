import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';

const aCron = (path: string, more: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly' },
  spec: {
    schedule: '0 1 * * *',
    ...more,
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'main', image: 'busybox', command: ['true'] }],
            volumes: [{ name: 'in', hostPath: { path } }],
          },
        },
      },
    },
  },
});

test('a CronJob may mount of this machine what its Jobs may', async () => {
  const create = async (hostFolders: readonly string[] | null, path: string) =>
    (await aWorld({ hostFolders })).post(CRONS, aCron(path));
  expect((await create(['/srv'], '/srv/in')).status).toBe(201);
  for (const hostFolders of [null, [], ['/srv']]) {
    const answer = await create(hostFolders, '/etc');
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain('spec.jobTemplate.spec.template.spec.volumes[0].hostPath');
  }
});

test('what a CronJob has mounted it keeps when nothing is allowed any more, and it can be suspended', async () => {
  const hostFolders = ['/srv'];
  const world = await aWorld({ hostFolders });
  await world.post(CRONS, aCron('/srv/in'));
  hostFolders.pop();
  const put = async (document: object) =>
    (
      await world.app.request(`${CRONS}/nightly`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(document),
      })
    ).status;
  expect(await put(aCron('/srv/in', { suspend: true }))).toBe(200);
  expect(await put(aCron('/srv/other'))).toBe(422);
});
