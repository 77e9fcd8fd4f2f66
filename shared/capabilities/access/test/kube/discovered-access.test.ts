import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const CHANGED = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

test.each([
  ['/apis/authentication.k8s.io/v1', [['selfsubjectreviews', false, ['create']]]],
  [
    '/apis/authorization.k8s.io/v1',
    [
      ['localsubjectaccessreviews', true, ['create']],
      ['selfsubjectaccessreviews', false, ['create']],
      ['selfsubjectrulesreviews', false, ['create']],
      ['subjectaccessreviews', false, ['create']],
    ],
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1',
    [
      ['clusterrolebindings', false, CHANGED],
      ['clusterroles', false, CHANGED],
      ['rolebindings', true, CHANGED],
      ['roles', true, CHANGED],
    ],
  ],
])('%s', async (path, expected) => {
  const world = await aWorld();
  const list = (await (await world.get(path)).json()) as {
    readonly resources: readonly { readonly name: string; readonly namespaced: boolean; readonly verbs: string[] }[];
  };
  expect(list).toMatchObject({ kind: 'APIResourceList', groupVersion: path.slice('/apis/'.length) });
  expect(list.resources.map(({ name, namespaced, verbs }) => [name, namespaced, verbs])).toEqual(expected);
});
