import { expect, test } from 'vitest';
import { AUTHORIZATION } from '../../shared/capabilities/access/test/kube/asking.ts';
import { PATHS } from '../../shared/capabilities/doctor/test/diagnosis-paths.ts';
import { aWorld } from '../kube/a-world.ts';
import { send } from '../kube/write/a-client.ts';

test.each(PATHS)('any caller may read %s, where roles do not decide', async (path) => {
  const spec = { nonResourceAttributes: { path, verb: 'get' } };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec };
  const answer = await send(await aWorld(), 'POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, review);
  expect(answer).toMatchObject({ code: 201, body: { status: { allowed: true } } });
});
