import { expect, test } from 'vitest';
import type { Authorizer } from '../../../shared/kube/http/authorizer.ts';
import { aWorld } from '../a-world.ts';

test('an API whose callers need rights does not start where nothing decides about them', async () => {
  await expect(aWorld({ authorization: 'RBAC', authorizers: {} })).rejects.toThrow(
    'authorization is RBAC, but this build of Muster has nothing that decides so; it lets nobody in',
  );
});

/** What the kernel asks, and nothing that a capability adds. */
const ONLY_PATHS: Pick<Authorizer, 'decide' | 'accounts'> = {
  decide: async (_user, wanted) => ({ allowed: wanted.kind === 'path', reason: 'only paths' }),
  accounts: async () => [],
};

test('an API asks what decides, and nothing else', async () => {
  const { get } = await aWorld({ authorization: 'RBAC', authorizers: { RBAC: () => ONLY_PATHS as Authorizer } });
  expect((await get('/version')).status).toBe(200);
  const refused = await get('/api/v1/pods');
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain('at the cluster scope: only paths');
});
