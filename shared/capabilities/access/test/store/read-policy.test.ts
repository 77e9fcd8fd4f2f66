import type { User } from '../../../../domain/callers/user.ts';
import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { asEpochMs, plusMs } from '../../../../domain/base/time.ts';
import { roleKey } from '../../domain/policy.ts';
import { authorize } from '../../domain/authorize.ts';
import type { ObjectStore, StoredKind } from '../../../../ports/object-store.ts';
import { createPolicyReader } from '../../store/read-policy.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

const ANN: User = { username: 'ann', groups: [] };
const READS = {
  kind: 'resource',
  verb: 'get',
  group: '',
  resource: 'pods',
  subresource: '',
  namespace: 'team',
  name: 'x',
} as const;

async function aStore() {
  let now = asEpochMs(1_700_000_000_000);
  const objects = createMemoryStore({ now: () => now }).objects;
  await openNamespace(objects, 'team');
  const calls: string[] = [];
  let fault: Error | null = null;
  const seen: Pick<ObjectStore, 'head' | 'list'> = {
    async head(kind) {
      calls.push(`head ${kind}`);
      if (fault !== null) throw fault;
      return objects.head(kind);
    },
    async list(kind, page) {
      calls.push(`list ${kind}`);
      return objects.list(kind, page);
    },
  };
  const rings = new Map<StoredKind | 'Job', () => void>();
  const ports = { objects: seen, clock: { now: () => now } };
  const put = async (kind: StoredKind, namespace: string, name: string, content: object, was = 0) => {
    const document = { metadata: { uid: name }, ...content };
    const done = await objects.commit(kind, { key: { namespace, name }, was, document });
    if (done.kind !== 'committed') throw new Error(done.kind);
  };
  return {
    ports,
    rings,
    notifications: { subscribe: (kind: StoredKind | 'Job', ring: () => void) => void rings.set(kind, ring) },
    put,
    /** What was read since the last call. */
    calls: () => calls.splice(0),
    pass: (ms: number) => {
      now = plusMs(now, ms);
    },
    fail: (error: Error | null) => {
      fault = error;
    },
  };
}

const RULES = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
const BINDING = {
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reads' },
  subjects: [{ kind: 'User', name: 'ann' }],
};
const HEADS = ['head ClusterRole', 'head ClusterRoleBinding', 'head Role', 'head RoleBinding'];

describe('a policy', () => {
  test('has what is stored, and what always exists', async () => {
    const { ports, put } = await aStore();
    await put('Role', 'team', 'reads', { rules: RULES });
    await put('RoleBinding', 'team', 'readers', BINDING);
    await put('ClusterRole', '', 'own', {});
    await put('ClusterRoleBinding', '', 'own', { ...BINDING, subjects: undefined });
    const policy = await createPolicyReader(ports).policy();
    expect(authorize(ANN, READS, policy)).toMatchObject({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "readers/team" of Role "reads" to User "ann"',
    });
    expect(policy.roles.get(roleKey('', 'own'))).toEqual({ namespace: '', name: 'own', rules: [] });
    expect(policy.roles.has(roleKey('', 'view'))).toBe(true);
    expect(policy.bindings.get('')?.map(({ name }) => name)).toContain('system:discovery');
  });

  test('keeps the roles that always exist, whatever is stored', async () => {
    const { ports, put } = await aStore();
    await put('ClusterRole', '', 'view', { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] });
    const policy = await createPolicyReader(ports).policy();
    expect(policy.roles.get(roleKey('', 'view'))?.rules).not.toContainEqual(expect.objectContaining({ verbs: ['*'] }));
  });

  test('is looked up once in two seconds, and read again only where something has changed', async () => {
    const { ports, put, calls, pass } = await aStore();
    const reader = createPolicyReader(ports);
    const first = await reader.policy();
    expect(calls().toSorted()).toEqual([...HEADS, ...HEADS.map((call) => call.replace('head', 'list'))]);
    pass(1999);
    expect(await reader.policy()).toBe(first);
    expect(calls()).toEqual([]);
    pass(1);
    expect(await reader.policy()).toBe(first);
    expect(calls().toSorted()).toEqual(HEADS);
    await put('Role', 'team', 'reads', { rules: RULES });
    pass(2000);
    expect((await reader.policy()).roles.has(roleKey('team', 'reads'))).toBe(true);
    expect(calls().toSorted()).toEqual([...HEADS, 'list Role']);
  });

  test('sees at once what this process has changed', async () => {
    const { ports, put, calls, rings, notifications } = await aStore();
    const reader = createPolicyReader({ ...ports, notifications });
    await reader.policy();
    calls();
    await put('Role', 'team', 'reads', { rules: RULES });
    rings.get('Role')?.();
    expect((await reader.policy()).roles.has(roleKey('team', 'reads'))).toBe(true);
    await reader.policy();
    expect(calls().toSorted()).toEqual([...HEADS, 'list Role']);
  });

  test('is read once for all who ask at the same time', async () => {
    const { ports, calls } = await aStore();
    const reader = createPolicyReader(ports);
    const [one, other] = await Promise.all([reader.policy(), reader.policy()]);
    expect(one).toBe(other);
    expect(calls()).toHaveLength(8);
  });

  test('that cannot be read is an error for all who ask, and the next call tries again', async () => {
    const { ports, fail, pass } = await aStore();
    const reader = createPolicyReader(ports);
    fail(new Error('no table'));
    const all = await Promise.allSettled([reader.policy(), reader.policy()]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fail(null);
    await reader.policy();
    pass(2000);
    fail(new Error('no table'));
    // What was known is too old to decide by.
    await expect(reader.policy()).rejects.toThrow('no table');
  });

  test('of more than a page is whole', async () => {
    const { ports, put } = await aStore();
    for (let i = 0; i < 401; i++) await put('Role', 'team', `r${i}`, { rules: RULES });
    const policy = await createPolicyReader(ports).policy();
    expect([...policy.roles.values()].filter(({ namespace }) => namespace === 'team')).toHaveLength(401);
  });
});
