import { expect, test } from 'vitest';
import { aServer } from '../../../../../test/cli/a-server.ts';
import { manifest } from '../../../../../test/kube/a-world.ts';

test('muster run -f: who may do what comes before what it is about', async () => {
  const { run } = await aServer();
  const rbac = 'rbac.authorization.k8s.io';
  const of = (kind: string, name: string, rest: object) => ({
    apiVersion: `${rbac}/v1`,
    kind,
    metadata: { name },
    ...rest,
  });
  const rules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['get'] }];
  const bound = (kind: string, role: string) =>
    of(`${kind}Binding`, `${role}-bound`, {
      roleRef: { apiGroup: rbac, kind, name: role },
      subjects: [{ kind: 'ServiceAccount', name: 'runner', namespace: 'default' }],
    });
  const documents = [
    manifest('a'),
    bound('Role', 'reader'),
    bound('ClusterRole', 'viewer'),
    of('Role', 'reader', { rules }),
    of('ClusterRole', 'viewer', { rules }),
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'runner' } },
  ];
  const stdin = documents.map((each) => JSON.stringify(each)).join('\n---\n');
  const { code, out } = await run('run -f -', { stdin });
  expect([code, out.trim().split('\n')]).toEqual([
    0,
    [
      'serviceaccount/runner created',
      `clusterrole.${rbac}/viewer created`,
      `role.${rbac}/reader created`,
      `clusterrolebinding.${rbac}/viewer-bound created`,
      `rolebinding.${rbac}/reader-bound created`,
      'job.batch/a created',
    ],
  ]);
});
