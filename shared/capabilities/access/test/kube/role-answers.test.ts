import { describe, expect, it } from 'vitest';
import { policyOf } from '../../domain/policy.ts';
import { aGuardedWorld, grants, rule } from './a-guarded-world.ts';
import { ASKING, AUTHORIZATION, ask, jane, may } from './asking.ts';

describe('where roles decide, a review', () => {
  it('answers as they do, whether or not something is served', async () => {
    const world = await aGuardedWorld(jane(rule('get batch/jobs'), rule('bind x.io/things')));
    const of = (verb: string, group: string, resource: string, namespace = 'team-a') =>
      may(world, { resourceAttributes: { verb, group, resource, namespace } });
    expect(await of('get', 'batch', 'jobs')).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "binding-1/team-a" of Role "role-1" to User "jane"',
    });
    expect(await of('bind', 'x.io', 'things')).toMatchObject({ allowed: true });
    expect(await of('list', 'batch', 'jobs')).toEqual({ allowed: false });
    expect(await of('get', 'batch', 'jobs', '')).toEqual({ allowed: false });
    expect(await may(world, { nonResourceAttributes: { verb: 'get', path: '/version' } })).toEqual({ allowed: false });
  });

  it('needs the right to ask', async () => {
    const world = await aGuardedWorld(policyOf([], []));
    expect((await ask(world, 'selfsubjectaccessreviews', { spec: {} })).code).toBe(403);
    expect((await ask(world, 'selfsubjectrulesreviews', { spec: {} })).code).toBe(403);
  });

  it('about another user needs a right of its own', async () => {
    const review = (user: string, namespace = 'team-a') => ({
      spec: { user, resourceAttributes: { verb: 'get', group: 'batch', resource: 'jobs', namespace } },
    });
    const world = await aGuardedWorld(jane(rule('get batch/jobs')));
    expect((await ask(world, 'subjectaccessreviews', review('jane'))).code).toBe(403);
    expect((await ask(world, 'namespaces/team-a/localsubjectaccessreviews', review('jane'))).code).toBe(403);
    const auditor = [
      { user: 'eve', namespace: '', rules: [rule('create authorization.k8s.io/subjectaccessreviews')] },
      { user: 'bob', namespace: 'team-a', rules: [rule('create authorization.k8s.io/localsubjectaccessreviews')] },
    ];
    const readers = { user: 'system:readers', namespace: 'team-a', rules: [rule('get batch/jobs')] };
    world.allow(grants(...auditor, readers));
    expect((await ask(world, 'subjectaccessreviews', review('jane'), 'eve')).status).toEqual({ allowed: false });
    const groups = { spec: { ...review('').spec, groups: ['system:readers'] } };
    expect((await ask(world, 'subjectaccessreviews', groups, 'eve')).status).toMatchObject({ allowed: true });
    const local = 'namespaces/team-a/localsubjectaccessreviews';
    expect(await ask(world, local, groups, 'bob')).toMatchObject({
      code: 201,
      kind: 'LocalSubjectAccessReview',
      metadata: { namespace: 'team-a' },
      status: { allowed: true },
    });
    expect((await ask(world, 'namespaces/team-b/localsubjectaccessreviews', review('x', 'team-b'), 'bob')).code).toBe(
      403,
    );
    expect(await ask(world, local, review('jane', 'team-b'), 'bob')).toMatchObject({ code: 422 });
    expect(await ask(world, local, { metadata: { namespace: 'team-b' }, ...review('jane') }, 'bob')).toMatchObject({
      code: 400,
    });
    expect((await ask(world, 'subjectaccessreviews', review(''), 'eve')).message).toContain(
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    );
  });

  it('lists the rules of a namespace, and says which roles are missing', async () => {
    const world = await aGuardedWorld(jane(rule('get batch/jobs', ['x']), rule('get /version')));
    const { status } = await ask(world, 'selfsubjectrulesreviews', { spec: { namespace: 'team-a' } });
    expect(status).toEqual({
      resourceRules: [...ASKING, rule('get batch/jobs', ['x'])],
      nonResourceRules: [rule('get /version')],
      incomplete: false,
    });
    const { roles, bindings } = jane();
    world.allow({ bindings, roles: new Map([...roles].filter(([key]) => key.startsWith('/'))) });
    expect((await ask(world, 'selfsubjectrulesreviews', { spec: { namespace: 'team-a' } })).status).toMatchObject({
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "role-1" not found',
    });
  });

  it('says who the caller is', async () => {
    const world = await aGuardedWorld(jane());
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect(await (await world.send('POST', path, { body: {} })).json()).toMatchObject({
      status: { userInfo: { username: 'jane', groups: ['system:authenticated'] } },
    });
  });

  it('lists everything for system:masters', async () => {
    const world = await aGuardedWorld(policyOf([], []));
    const path = `${AUTHORIZATION}/selfsubjectrulesreviews`;
    const answer = (await (await world.asMaster('POST', path, { spec: { namespace: 'x' } })).json()) as {
      readonly status: unknown;
    };
    expect(answer.status).toMatchObject({
      resourceRules: [rule('* */*')],
      nonResourceRules: [rule('* /*')].map(() => ({ verbs: ['*'], nonResourceURLs: ['*'] })),
    });
  });
});
