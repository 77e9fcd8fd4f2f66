import { describe, expect, test } from 'vitest';
import { authorize } from '../../shared/capabilities/access/domain/authorize.ts';
import { DEFAULT_ROLES } from '../../shared/capabilities/access/domain/default-policy.ts';
import { aBinding, aPolicy, aUser, toDo } from '../../shared/capabilities/access/test/domain/a-policy.ts';
import {
  ANN,
  type Accounted,
  MASTER,
  anInstallation,
  container,
  podOf,
  testAccounts,
} from '../../shared/capabilities/access/test/kube/an-account.ts';
import { CONFIGS, FURIKO_JOBS } from '../../shared/capabilities/furiko/test/kube/a-furiko-world.ts';
import { MERGE } from '../kube/write/a-client.ts';

const KINDS: readonly Accounted[] = [
  [
    'Furiko Job',
    FURIKO_JOBS,
    'spec.template.taskTemplate.pod.spec.serviceAccountName',
    (account) => ({
      kind: 'Job',
      metadata: { name: 'x' },
      spec: { template: { taskTemplate: { pod: { spec: podOf(account) } } } },
    }),
  ],
  [
    'JobConfig',
    CONFIGS,
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

describe.each(KINDS)('a %s under a ServiceAccount', (...each) => {
  testAccounts(each);
});

test('the options of a JobConfig under an account are changed by who may use it, for a command may take their values', async () => {
  const { as } = await anInstallation();
  const path = CONFIGS;
  const optionOf = (value: string) => ({ options: [{ type: 'String', name: 'cmd', string: { default: value } }] });
  const pod = { spec: { ...podOf('reports'), containers: [{ ...container, command: ['sh', '-c', '${option.cmd}'] }] } };
  const spec = { concurrency: { policy: 'Allow' }, template: { spec: { taskTemplate: { pod } } } };
  const document = { kind: 'JobConfig', metadata: { name: 'x' }, spec: { ...spec, option: optionOf('true') } };
  expect((await as(MASTER, 'POST', path, document)).code).toBe(201);
  const change = { spec: { option: optionOf('id') } };
  expect((await as(ANN, 'PATCH', `${path}/x`, change, MERGE)).code).toBe(403);
  expect((await as(MASTER, 'PATCH', `${path}/x`, change, MERGE)).code).toBe(200);
});

test('when a JobConfig under an account runs is said by who may write it', async () => {
  const { as } = await anInstallation();
  const [, [, , , aConfig]] = KINDS as [Accounted, Accounted];
  expect((await as(MASTER, 'POST', CONFIGS, aConfig('reports'))).code).toBe(201);
  const schedule = { spec: { schedule: { cron: { expression: '* * * * *' } } } };
  expect((await as(ANN, 'PATCH', `${CONFIGS}/x`, schedule, MERGE)).code).toBe(200);
});

test('who may view a namespace may list its JobConfigs', () => {
  const bindings = ['admin', 'edit', 'view'].map((role) => aBinding('team', `ClusterRole/${role}`, `User:${role}`));
  const policy = aPolicy(DEFAULT_ROLES, bindings);
  const wanted = toDo('list', { group: 'execution.furiko.io', resource: 'jobconfigs', namespace: 'team' });
  const may = (user: string) => authorize(aUser(user, 'system:authenticated'), wanted, policy).allowed;
  expect(['anybody', 'view', 'edit', 'admin'].map(may)).toEqual([false, true, true, true]);
});
