import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attributes, ResourceAttributes } from '../../../shared/domain/rbac/attributes.ts';
import { type Policy, type PolicyRule, policyOf } from '../../../shared/domain/rbac/policy.ts';
import { ruleAllows } from '../../../shared/domain/rbac/rule-allows.ts';
import { SERVED } from '../../../shared/kube/discovery/served-resources.ts';
import { aGuardedWorld, grants, rule } from '../authorization/a-guarded-world.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const ASKING = [
  rule('create authorization.k8s.io/selfsubjectaccessreviews,authorization.k8s.io/selfsubjectrulesreviews'),
  rule('create authentication.k8s.io/selfsubjectreviews'),
];
const jane = (...rules: readonly PolicyRule[]): Policy =>
  grants({ user: 'jane', namespace: '', rules: ASKING }, { user: 'jane', namespace: 'team-a', rules });

type World = Awaited<ReturnType<typeof aGuardedWorld>>;
type Review = { readonly status: Record<string, unknown>; readonly message: string; readonly [field: string]: unknown };

async function ask(world: World, path: string, body: object, as = 'jane') {
  const response = await world.send('POST', `${AUTHORIZATION}/${path}`, { as, body });
  return { code: response.status, ...((await response.json()) as Review) };
}

const may = async (world: World, spec: object, as = 'jane') =>
  (await ask(world, 'selfsubjectaccessreviews', { spec }, as)).status;

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
    const answer = (await (await world.asMaster('POST', path, { spec: { namespace: 'x' } })).json()) as Review;
    expect(answer.status).toMatchObject({
      resourceRules: [rule('* */*')],
      nonResourceRules: [rule('* /*')].map(() => ({ verbs: ['*'], nonResourceURLs: ['*'] })),
    });
  });
});

const NAMESPACES = ['', 'team-a', 'team-b'];
const NAMES = ['', 'x', 'y'];

type Case = { readonly wanted: ResourceAttributes; readonly method: string; readonly path: string };
const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};
const OF_COLLECTIONS: readonly string[] = ['list', 'watch', 'create', 'deletecollection'];

/** Every served verb, on every resource, in some namespaces, with some names. */
const CASES: readonly Case[] = SERVED.flatMap(({ name: group, version, resources }) =>
  resources.flatMap(({ plural, namespaced, verbs, subresources = [] }) =>
    [{ name: '', verbs }, ...subresources].flatMap(({ name: subresource, verbs: served }) =>
      served.flatMap((verb) => {
        const isWhole = subresource === '' && OF_COLLECTIONS.includes(verb);
        return NAMESPACES.flatMap((namespace) =>
          NAMES.flatMap((name): readonly Case[] => {
            if ((name === '') !== isWhole) return [];
            const isAll = namespaced && namespace === '';
            if (isAll && !['list', 'watch'].includes(verb)) return [];
            if (!namespaced && namespace !== '') return [];
            const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
            const at = namespaced && !isAll ? `/namespaces/${namespace}` : '';
            const tail = [name, subresource].filter((part) => part !== '').map((part) => `/${part}`);
            const path = `${root}${at}/${plural}${tail.join('')}${verb === 'watch' ? '?watch=true' : ''}`;
            const place = plural === 'namespaces' ? name : namespace;
            const wanted = {
              kind: 'resource',
              verb,
              group,
              resource: plural,
              subresource,
              namespace: place,
              name,
            } as const;
            return [{ wanted, method: METHODS[verb] ?? '', path }];
          }),
        );
      }),
    ),
  ),
);

const some = <T>(...from: readonly T[]) => fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 3 });
const RESOURCES = [
  ...new Set(CASES.map(({ wanted: { resource, subresource } }) => [resource, subresource].filter(Boolean).join('/'))),
];
const GROUPS = [...new Set(CASES.map(({ wanted }) => wanted.group))];
const anyRule: fc.Arbitrary<PolicyRule> = fc
  .record({
    verbs: some(...Object.keys(METHODS), '*', '*', '*'),
    apiGroups: some(...GROUPS, '', 'batch', '*'),
    resources: some(...RESOURCES, '*', '*/status'),
    resourceNames: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: some('x', 'y') }),
  })
  .map(({ resourceNames, ...given }) => (resourceNames.length === 0 ? given : { ...given, resourceNames }));
const anyPolicy = fc
  .array(
    fc.record({
      user: fc.constantFrom('jane', 'jane', 'jane', 'joe', 'system:authenticated'),
      namespace: fc.constantFrom(...NAMESPACES),
      rules: fc.array(anyRule, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 4 },
  )
  .map((all) => grants({ user: 'jane', namespace: '', rules: ASKING }, ...all));

describe('for any policy', () => {
  it('a review says what the request then gets, and so do the rules', { timeout: 300_000 }, async () => {
    expect(CASES.length).toBeGreaterThan(150);
    const world = await aGuardedWorld(policyOf([], []), { streamMaxSec: 0 });
    const counts = { yes: 0, no: 0 };
    await fc.assert(
      fc.asyncProperty(
        anyPolicy,
        fc.shuffledSubarray([...CASES], { minLength: 24, maxLength: 24 }),
        async (policy, cases) => {
          world.allow(policy);
          const rules = new Map<string, readonly PolicyRule[]>();
          for (const namespace of ['team-a', 'team-b', 'x', 'y']) {
            const { status } = await ask(world, 'selfsubjectrulesreviews', { spec: { namespace } });
            rules.set(namespace, status['resourceRules'] as readonly PolicyRule[]);
          }
          for (const { wanted, method, path } of cases) {
            const { kind: _, ...resourceAttributes } = wanted;
            const { allowed } = await may(world, { resourceAttributes });
            const response = await world.send(method, path, method === 'GET' ? {} : { body: '{' });
            const text = await response.text();
            const isRefused = response.status === 403 && text.includes('User \\"jane\\" cannot');
            expect(!isRefused, `${method} ${path}: ${text}`).toBe(allowed);
            // The rules of a namespace have those of the cluster, which alone say what may be done everywhere.
            const inAll = ['team-a', 'team-b', 'x', 'y'].map((each) => allows(rules.get(each) ?? [], wanted));
            if (wanted.namespace === '')
              expect(allowed === true ? inAll : [false], path).not.toContain(allowed !== true);
            else expect(allows(rules.get(wanted.namespace) ?? [], wanted), path).toBe(allowed);
            counts[allowed === true ? 'yes' : 'no']++;
          }
        },
      ),
      { numRuns: 200, seed: 20_261_128 },
    );
    expect(Math.min(counts.yes, counts.no)).toBeGreaterThan(300);
  });
});

const allows = (rules: readonly PolicyRule[], wanted: Attributes): boolean =>
  rules.some((each) => ruleAllows(each, wanted));
