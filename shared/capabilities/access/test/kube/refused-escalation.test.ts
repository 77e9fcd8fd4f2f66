import type { User } from '../../../../domain/callers/user.ts';
import { describe, expect, test } from 'vitest';
import type { ApiOptions } from '../../../../kube/http/api-deps.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { APPLY, MERGE, send } from '../../../../../test/kube/write/a-client.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROOT = `/apis/${GROUP}/v1`;
const ROLES = `${ROOT}/namespaces/default/roles`;
const BINDINGS = `${ROOT}/namespaces/default/rolebindings`;
const MASTER: User = { username: 'root', groups: ['system:masters'] };
const ANN: User = { username: 'ann', groups: ['devs', 'system:authenticated'] };
const RULES = [{ verbs: ['get', 'list'], apiGroups: ['batch'], resources: ['jobs'] }];
const toAnn = (kind: string, name: string) => ({
  metadata: { name: `ann-${name}` },
  roleRef: { apiGroup: GROUP, kind, name },
  subjects: [{ kind: 'User', name: 'ann' }],
});

/** Lets ann write roles and bindings everywhere, as far as their contents allow. */
const WRITES = {
  verbs: ['get', 'create', 'update', 'patch'],
  apiGroups: [GROUP],
  resources: ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'],
};

/** A world in which `as` says who sends what follows. */
async function anInstallation(authorization: ApiOptions['authorization'] = 'RBAC') {
  let user = MASTER;
  const world = await aWorld({ authorization, userOf: () => user });
  const as = async (who: User, method: string, path: string, body?: object, type?: string) => {
    user = who;
    const answer = await send(world, method, path, body, type);
    await world.clock.sleep(2000);
    return answer;
  };
  await as(MASTER, 'POST', `${ROOT}/clusterroles`, { metadata: { name: 'writes' }, rules: [WRITES] });
  await as(MASTER, 'POST', `${ROOT}/clusterrolebindings`, toAnn('ClusterRole', 'writes'));
  return { as };
}

const NOT_HELD = `user "ann" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:["batch"], Resources:["jobs"], Verbs:["get" "list"]}`;

describe('a role', () => {
  test('is written by who has its rights', async () => {
    const { as } = await anInstallation();
    const role = { metadata: { name: 'r' }, rules: RULES };
    const refused = await as(ANN, 'POST', ROLES, role);
    expect([refused.code, refused.body.message]).toEqual([403, `roles.${GROUP} "r" is forbidden: ${NOT_HELD}`]);
    const config = { apiVersion: `${GROUP}/v1`, kind: 'Role', ...role };
    expect((await as(ANN, 'PATCH', `${ROLES}/r?fieldManager=ann`, config, APPLY)).code).toBe(403);
    expect((await as(ANN, 'POST', `${ROLES}?dryRun=All`, role)).code).toBe(403);
    expect((await as(MASTER, 'POST', BINDINGS, toAnn('ClusterRole', 'view'))).code).toBe(201);
    expect((await as(ANN, 'POST', ROLES, role)).code).toBe(201);
    const more = { rules: [{ ...RULES[0], verbs: ['get', 'delete'] }] };
    const grown = await as(ANN, 'PATCH', `${ROLES}/r`, more, MERGE);
    expect([grown.code, grown.body.message]).toEqual([403, expect.stringContaining('Verbs:["delete"]}')]);
    expect((await as(ANN, 'PUT', `${ROLES}/r`, { ...role, ...more })).code).toBe(403);
    // Rights elsewhere are not rights everywhere.
    expect((await as(ANN, 'POST', `${ROOT}/clusterroles`, role)).code).toBe(403);
  });

  test('whose rights one has not is touched by who changes nothing, or only its owners', async () => {
    const { as } = await anInstallation();
    const role = { metadata: { name: 'r' }, rules: RULES };
    await as(MASTER, 'POST', ROLES, role);
    expect((await as(ANN, 'PUT', `${ROLES}/r`, role)).code).toBe(200);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }];
    expect((await as(ANN, 'PATCH', `${ROLES}/r`, { metadata: { ownerReferences } }, MERGE)).code).toBe(200);
    expect((await as(ANN, 'PATCH', `${ROLES}/r`, { metadata: { labels: { a: 'b' } } }, MERGE)).code).toBe(403);
  });

  test('is written by who may escalate it', async () => {
    const { as } = await anInstallation();
    const escalate = { verbs: ['escalate'], apiGroups: [GROUP], resources: ['roles'], resourceNames: ['r'] };
    await as(MASTER, 'POST', ROLES, { metadata: { name: 'escalates' }, rules: [escalate] });
    await as(MASTER, 'POST', BINDINGS, toAnn('Role', 'escalates'));
    await as(MASTER, 'POST', ROLES, { metadata: { name: 'r' }, rules: [] });
    expect((await as(ANN, 'PATCH', `${ROLES}/r`, { rules: RULES }, MERGE)).code).toBe(200);
    expect((await as(ANN, 'POST', ROLES, { metadata: { name: 'other' }, rules: RULES })).code).toBe(403);
  });
});

describe('a binding', () => {
  test('is written by who has the rights of its role, or may bind it', async () => {
    const { as } = await anInstallation();
    const refused = await as(ANN, 'POST', BINDINGS, toAnn('ClusterRole', 'view'));
    expect([refused.code, refused.body.message]).toEqual([
      403,
      expect.stringMatching(
        /^rolebindings\S+ "ann-view" is forbidden: user "ann" .*not currently held:\n\{APIGroups:\[""\]/,
      ),
    ]);
    const bind = { verbs: ['bind'], apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['view'] };
    await as(MASTER, 'POST', `${ROOT}/clusterroles`, { metadata: { name: 'binds' }, rules: [bind] });
    await as(MASTER, 'POST', BINDINGS, toAnn('ClusterRole', 'binds'));
    expect((await as(ANN, 'POST', `${ROOT}/clusterrolebindings`, toAnn('ClusterRole', 'view'))).code).toBe(403);
    expect((await as(ANN, 'POST', BINDINGS, toAnn('ClusterRole', 'edit'))).code).toBe(403);
    expect((await as(ANN, 'POST', BINDINGS, toAnn('ClusterRole', 'view'))).code).toBe(201);
    // Now with all rights of view.
    await as(MASTER, 'DELETE', `${BINDINGS}/ann-binds`);
    const others = { metadata: { name: 'others' }, roleRef: toAnn('ClusterRole', 'view').roleRef };
    expect((await as(ANN, 'POST', BINDINGS, others)).code).toBe(201);
    expect(
      (await as(ANN, 'PATCH', `${BINDINGS}/others`, { subjects: [{ kind: 'Group', name: 'x' }] }, MERGE)).code,
    ).toBe(200);
    await as(MASTER, 'POST', BINDINGS, toAnn('ClusterRole', 'edit'));
    await as(MASTER, 'DELETE', `${BINDINGS}/ann-view`);
    await as(MASTER, 'DELETE', `${BINDINGS}/ann-edit`);
    expect((await as(ANN, 'PATCH', `${BINDINGS}/others`, { subjects: [] }, MERGE)).code).toBe(403);
  });

  test('of a role that does not exist is one of who may do everything', async () => {
    const { as } = await anInstallation();
    const missing = await as(ANN, 'POST', BINDINGS, toAnn('Role', 'gone'));
    expect([missing.code, missing.body.message]).toEqual([404, `role.${GROUP} "gone" not found`]);
    expect((await as(MASTER, 'POST', BINDINGS, toAnn('Role', 'gone'))).code).toBe(201);
  });
});

test('nobody is held to it where roles do not decide', async () => {
  const { as } = await anInstallation('AlwaysAllow');
  expect((await as(ANN, 'POST', ROLES, { metadata: { name: 'r' }, rules: RULES })).code).toBe(201);
  expect((await as(ANN, 'POST', BINDINGS, toAnn('ClusterRole', 'cluster-admin'))).code).toBe(201);
});
