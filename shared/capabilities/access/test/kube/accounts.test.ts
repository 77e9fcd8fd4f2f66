import type { User } from '../../../../domain/callers/user.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ApiOptions } from '../../../../kube/http/api-deps.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { JOBS, MERGE, job, send } from '../../../../../test/kube/write/a-client.ts';

const ANN: User = { username: 'ann', groups: ['system:authenticated'] };
const MASTER: User = { username: 'root', groups: ['system:masters'] };
const GROUP = 'rbac.authorization.k8s.io';
const CRON_JOBS = '/apis/batch/v1/namespaces/default/cronjobs';
const FURIKO = '/apis/execution.furiko.io/v1alpha1/namespaces/default';
const SUBMISSIONS = '/muster/v1/submissions';

/** Lets ann write what runs programs. */
const WRITES = [
  { verbs: ['get', 'create', 'update', 'patch'], apiGroups: ['batch'], resources: ['jobs', 'cronjobs'] },
  {
    verbs: ['get', 'create', 'update', 'patch'],
    apiGroups: ['execution.furiko.io'],
    resources: ['jobs', 'jobconfigs'],
  },
];

/** A world in which `as` says who sends what follows; `sent` holds what was submitted. */
async function anInstallation(authorization: ApiOptions['authorization'] = 'RBAC') {
  let user = MASTER;
  const sent: string[] = [];
  const submissions = {
    send: async (text: string) => {
      sent.push(text);
      return 'id';
    },
  };
  const world = await aWorld({ authorization, userOf: () => user }, { submissions });
  const as = async (who: User, method: string, path: string, body?: object, type?: string) => {
    user = who;
    const answer = await send(world, method, path, body, type);
    await world.clock.sleep(2000);
    return answer;
  };
  /** Gives ann rules, in her namespace or everywhere. */
  const grant = async (name: string, rules: readonly object[], kind: 'Role' | 'ClusterRole' = 'Role') => {
    const path = `/apis/${GROUP}/v1/${kind === 'Role' ? 'namespaces/default/' : ''}${kind.toLowerCase()}`;
    await as(MASTER, 'POST', `${path}s`, { metadata: { name }, rules });
    const subjects = [{ kind: 'User', name: 'ann' }];
    const binding = { metadata: { name }, roleRef: { kind, name }, subjects };
    expect((await as(MASTER, 'POST', `${path}bindings`, binding)).code).toBe(201);
  };
  /** Lets ann use an account. */
  const allow = async (account: string) =>
    grant('uses', [{ verbs: ['use'], apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [account] }]);
  await grant('writes', WRITES);
  return { as, grant, allow, sent };
}

const container = { name: 'main', image: 'busybox', command: ['true'] };
const podOf = (account: string | null) => ({
  restartPolicy: 'Never',
  containers: [container],
  ...(account === null ? {} : { serviceAccountName: account }),
});
const KINDS: readonly (readonly [kind: string, path: string, field: string, (account: string | null) => object])[] = [
  [
    'Job',
    JOBS,
    'spec.template.spec.serviceAccountName',
    (account) => ({ ...job('x'), spec: { template: { spec: podOf(account) } } }),
  ],
  [
    'CronJob',
    CRON_JOBS,
    'spec.jobTemplate.spec.template.spec.serviceAccountName',
    (account) => ({
      kind: 'CronJob',
      metadata: { name: 'x' },
      spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: { spec: podOf(account) } } } },
    }),
  ],
  [
    'Furiko Job',
    `${FURIKO}/jobs`,
    'spec.template.taskTemplate.pod.spec.serviceAccountName',
    (account) => ({
      kind: 'Job',
      metadata: { name: 'x' },
      spec: { template: { taskTemplate: { pod: { spec: podOf(account) } } } },
    }),
  ],
  [
    'JobConfig',
    `${FURIKO}/jobconfigs`,
    'spec.template.spec.taskTemplate.pod.spec.serviceAccountName',
    (account) => ({
      kind: 'JobConfig',
      metadata: { name: 'x' },
      spec: {
        concurrency: { policy: 'Allow' },
        template: { spec: { taskTemplate: { pod: { spec: podOf(account) } } } },
      },
    }),
  ],
];

describe.each(KINDS)('a %s under a ServiceAccount', (_, path, field, document) => {
  test('is written by who may use it', async () => {
    const { as, allow } = await anInstallation();
    const why = 'user "ann" cannot use the ServiceAccount "reports" in the namespace "default"';
    const refused = await as(ANN, 'POST', path, document('reports'));
    expect([refused.code, refused.body.details?.causes]).toMatchObject([403, [{ field, message: why }]]);
    expect(refused.body.message).toContain(`${field}: ${why}`);
    for (const account of [null, 'default']) {
      expect((await as(ANN, 'POST', `${path}?dryRun=All`, document(account))).code).toBe(201);
    }
    await allow('reports');
    expect((await as(ANN, 'POST', `${path}?dryRun=All`, document('other'))).code).toBe(403);
    expect((await as(ANN, 'POST', path, document('reports'))).code).toBe(201);
  });

  test('of somebody else may be labeled, but not made to run something else', async () => {
    const { as } = await anInstallation();
    await as(MASTER, 'POST', path, document('reports'));
    const labels = { metadata: { labels: { a: 'b' } } };
    expect((await as(ANN, 'PATCH', `${path}/x`, labels, MERGE)).code).toBe(200);
    if (!path.endsWith('cronjobs') && !path.endsWith('jobconfigs')) return; // a Job's template cannot change
    const other = JSON.parse(JSON.stringify(document('reports')).replace('busybox', 'mine')) as object;
    expect((await as(ANN, 'PUT', `${path}/x`, other)).code).toBe(403);
    expect((await as(MASTER, 'PUT', `${path}/x`, other)).code).toBe(200);
  });

  test('is anybody’s where roles do not decide', async () => {
    const { as } = await anInstallation('AlwaysAllow');
    expect((await as(ANN, 'POST', path, document('reports'))).code).toBe(201);
  });
});

test('the options of a JobConfig under an account are changed by who may use it, for a command may take their values', async () => {
  const { as } = await anInstallation();
  const path = `${FURIKO}/jobconfigs`;
  const optionOf = (value: string) => ({ options: [{ type: 'String', name: 'cmd', string: { default: value } }] });
  const pod = { spec: { ...podOf('reports'), containers: [{ ...container, command: ['sh', '-c', '${option.cmd}'] }] } };
  const spec = { concurrency: { policy: 'Allow' }, template: { spec: { taskTemplate: { pod } } } };
  const document = { kind: 'JobConfig', metadata: { name: 'x' }, spec: { ...spec, option: optionOf('true') } };
  expect((await as(MASTER, 'POST', path, document)).code).toBe(201);
  const change = { spec: { option: optionOf('id') } };
  expect((await as(ANN, 'PATCH', `${path}/x`, change, MERGE)).code).toBe(403);
  expect((await as(MASTER, 'PATCH', `${path}/x`, change, MERGE)).code).toBe(200);
});

test('which objects of S3 start a CronJob under an account is not changed beside its status either', async () => {
  const { as, grant } = await anInstallation();
  await grant('statuses', [{ verbs: ['update', 'patch'], apiGroups: ['batch'], resources: ['cronjobs/status'] }]);
  const [, [, , , aCron]] = KINDS as [(typeof KINDS)[number], (typeof KINDS)[number]];
  expect((await as(MASTER, 'POST', CRON_JOBS, aCron('reports'))).code).toBe(201);
  const place = { metadata: { annotations: { 'muster.run/on-object-created': 'bucket/mine/*' } } };
  for (const path of [`${CRON_JOBS}/x`, `${CRON_JOBS}/x/status`]) {
    expect((await as(ANN, 'PATCH', path, place, MERGE)).code).toBe(403);
    expect((await as(ANN, 'PATCH', path, { metadata: { annotations: { a: 'b' } } }, MERGE)).code).toBe(200);
    expect((await as(MASTER, 'PATCH', `${path}?dryRun=All`, place, MERGE)).code).toBe(200);
  }
});

test('a submission is held to it, too, whatever its Job is made from', async () => {
  const { as, allow, sent } = await anInstallation();
  const [[, , , aJob], [, , , aCron]] = KINDS as [(typeof KINDS)[number], (typeof KINDS)[number]];
  await as(MASTER, 'POST', CRON_JOBS, aCron('reports'));
  await as(MASTER, 'POST', JOBS, aJob('reports'));
  const messages = [
    { manifest: { apiVersion: 'batch/v1', kind: 'Job', ...aJob('reports') } },
    { from: { kind: 'CronJob', name: 'x' } },
    { from: { kind: 'Job', name: 'x' } },
  ];
  for (const message of messages) {
    const refused = await as(ANN, 'POST', SUBMISSIONS, message);
    expect([refused.code, refused.body.message]).toEqual([
      403,
      'user "ann" cannot use the ServiceAccount "reports" in the namespace "default"',
    ]);
  }
  expect((await as(ANN, 'POST', SUBMISSIONS, { manifest: aJob(null) })).code).toBe(202);
  await allow('reports');
  for (const message of messages) expect((await as(ANN, 'POST', SUBMISSIONS, message)).code).toBe(202);
  expect(sent).toHaveLength(4);
});

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
