import { expect, test } from 'vitest';
import { aServer } from '../../../../../test/cli/a-server.ts';
import { manifest } from '../../../../../test/kube/a-world.ts';

test('muster run -f: how much there may be comes before what it is about', async () => {
  const { run } = await aServer();
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team' },
    spec: { hard: { 'count/jobs.batch': '1', 'requests.cpu': '1' } },
  };
  const limits = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'usual' },
    spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '250m' } }] },
  };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner' } };
  const documents = [manifest('a'), manifest('b'), quota, limits, account];
  const stdin = documents.map((each) => JSON.stringify(each)).join('\n---\n');
  const { code, out, err } = await run('run -f -', { stdin });
  expect([code, out.trim().split('\n')]).toEqual([
    1,
    ['serviceaccount/runner created', 'limitrange/usual created', 'resourcequota/team created', 'job.batch/a created'],
  ]);
  expect(err).toContain('jobs.batch "b" is forbidden: exceeded quota: team');
});
