import { AUTHENTICATED } from '../../../../domain/callers/user.ts';
import type { Context } from 'hono';
import { type Policy, type PolicyRule, type Role, type Subject, policyOf } from '../../domain/policy.ts';
import type { ApiOptions } from '../../../../kube/http/api-deps.ts';
import { roleAuthorizer } from '../../kube/role-authorizer.ts';
import { START, type World, aWorld } from '../../../../../test/kube/a-world.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

/** `get,list batch/jobs,pods`: these verbs on these resources; `get /version`: on a path. */
export function rule(text: string, resourceNames: readonly string[] = []): PolicyRule {
  const [verbs = '', what = ''] = text.split(' ');
  if (what.startsWith('/')) return { verbs: verbs.split(','), nonResourceURLs: what.split(',') };
  const named = what.split(',').map((each) => {
    const [first = '', ...rest] = each.split('/');
    return /[.*]|^batch$/.test(first) && rest.length > 0
      ? { group: first, resource: rest.join('/') }
      : { group: '', resource: each };
  });
  return {
    verbs: verbs.split(','),
    apiGroups: [...new Set(named.map(({ group }) => group))],
    resources: named.map(({ resource }) => resource),
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  };
}

/** What a user may do: in a namespace, or in all with ''. */
export type Grant = { readonly user: string; readonly namespace: string; readonly rules: readonly PolicyRule[] };

export function grants(...all: readonly Grant[]): Policy {
  const roles: Role[] = all.map(({ namespace, rules }, i) => ({ namespace, name: `role-${i}`, rules }));
  return policyOf(
    roles,
    all.map(({ user, namespace }, i) => ({
      namespace,
      name: `binding-${i}`,
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: namespace === '' ? 'ClusterRole' : 'Role',
        name: `role-${i}`,
      },
      subjects: [subjectOf(user)],
    })),
  );
}

const subjectOf = (user: string): Subject =>
  user.startsWith('system:') ? { kind: 'Group', name: user } : { kind: 'User', name: user };

/** The caller is who the header says. */
const userOf = (c: Context) => ({
  username: c.req.header('x-user') ?? 'nobody',
  groups: [AUTHENTICATED, ...(c.req.header('x-groups') ?? '').split(',').filter((group) => group !== '')],
});

export type Sent = {
  readonly as?: string;
  readonly groups?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** The API with roles that decide; `allow` changes them. */
export async function aGuardedWorld(
  policy: Policy,
  options: ApiOptions = {},
  hooks: Parameters<typeof aWorld>[1] = {},
  namespaces: readonly string[] = ['team-a', 'team-b'],
) {
  let now = policy;
  let fault: Error | null = null;
  let reads = 0;
  const reader = {
    policy: async () => {
      reads++;
      if (fault !== null) throw fault;
      return now;
    },
  };
  const world: World = await aWorld(
    { authorization: 'RBAC', authorizers: { RBAC: () => roleAuthorizer(reader) }, userOf, ...options },
    hooks,
  );
  for (const name of namespaces) await openNamespace(world.objects, name, START);
  const send = (method: string, path: string, { as = 'jane', groups = '', body, headers = {} }: Sent = {}) =>
    world.app.request(path, {
      method,
      headers: { 'x-user': as, 'x-groups': groups, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    ...world,
    send,
    asMaster: (method: string, path: string, body?: unknown) =>
      send(method, path, { as: 'root', groups: 'system:masters', body }),
    allow(next: Policy): void {
      now = next;
    },
    breakPolicy(error: Error | null): void {
      fault = error;
    },
    policyReads: () => reads,
  };
}
