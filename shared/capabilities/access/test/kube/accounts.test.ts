import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { JOBS, MERGE, job, send } from '../../../../../test/kube/write/a-client.ts';
import { ANN, type Accounted, anInstallation, podOf, testAccounts, testSubmissions } from './an-account.ts';

const SUBMISSIONS = '/muster/v1/submissions';

const JOB: Accounted = [
  'Job',
  JOBS,
  'spec.template.spec.serviceAccountName',
  (account) => ({ ...job('x'), spec: { template: { spec: podOf(account) } } }),
];
const [, , , aJob] = JOB;

describe('a Job under a ServiceAccount', () => {
  testAccounts(JOB);
});

testSubmissions([[JOBS, aJob('reports')]], aJob, [{ kind: 'Job', name: 'x' }]);

test('a message of S3 starts what CronJobs of all namespaces say, under any account, so it takes both rights everywhere', async () => {
  const { as, grant, sent } = await anInstallation();
  const message = JSON.parse(
    readFileSync(new URL('../../../../../test/fixtures/submissions/s3-notification.json', import.meta.url), 'utf8'),
  ) as object;
  expect((await as(ANN, 'POST', SUBMISSIONS, message)).code).toBe(403);
  await grant('creates', [{ verbs: ['create'], apiGroups: ['batch'], resources: ['jobs'] }], 'ClusterRole');
  expect((await as(ANN, 'POST', SUBMISSIONS, message)).code).toBe(403);
  await grant('uses', [{ verbs: ['use'], apiGroups: [''], resources: ['serviceaccounts'] }], 'ClusterRole');
  expect((await as(ANN, 'POST', SUBMISSIONS, message)).code).toBe(202);
  expect(sent).toHaveLength(1);
});

describe('the role that a ServiceAccount names', () => {
  const [A, B] = ['arn:aws:iam::123456789012:role/a', 'arn:aws:iam::123456789012:role/b'];
  const PATH = '/api/v1/namespaces/default/serviceaccounts';
  const named = (name: string, arn: string) => ({
    metadata: { name, annotations: { 'eks.amazonaws.com/role-arn': arn } },
  });

  test('is one that the installation lists for its namespace', async () => {
    const world = await aWorld(
      {},
      {
        taskRoles: new Map([
          ['default/*', A],
          ['other/*', B],
        ]),
      },
    );
    expect((await send(world, 'POST', PATH, named('reports', A))).code).toBe(201);
    const refused = await send(world, 'POST', PATH, named('loader', B));
    expect([refused.code, refused.body.message]).toEqual([
      422,
      `ServiceAccount "loader" is invalid: metadata.annotations[eks.amazonaws.com/role-arn]: Unsupported value: "${B}": supported values: "${A}"`,
    ]);
    expect((await send(world, 'PATCH', `${PATH}/reports`, named('reports', B), MERGE)).code).toBe(422);
    expect((await send(world, 'PATCH', `${PATH}/reports`, { metadata: { labels: { a: 'b' } } }, MERGE)).code).toBe(200);
  });

  test('is any where there are no roles, but the one named default has none', async () => {
    const world = await aWorld();
    expect((await send(world, 'POST', PATH, named('reports', 'any'))).code).toBe(201);
    expect(
      (await send(world, 'PATCH', `${PATH}/default`, named('default', A), MERGE)).body.details?.causes,
    ).toMatchObject([{ message: expect.stringContaining("have the stack's task role") as unknown }]);
  });
});
