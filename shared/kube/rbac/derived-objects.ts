import { DEFAULT_ACCOUNT } from '../../domain/callers/accounts.ts';
import { comesBefore } from '../../domain/base/text-order.ts';
import { DEFAULT_BINDINGS, DEFAULT_LABEL, DEFAULT_ROLES } from '../../domain/rbac/default-policy.ts';
import { RBAC_GROUP } from '../../domain/rbac/policy.ts';
import { DEFAULT_NAMESPACE } from '../../domain/manifests/namespace.ts';
import type { ObjectKey, ObjectStore, StoredKind, StoredObject } from '../../ports/object-store.ts';
import { defaultAccountOf } from '../../store/default-account.ts';
import { allObjects } from '../../store/every-object.ts';
import type { ApiDeps } from '../http/api-deps.ts';

/** Of an installation whose namespace `default` cannot be read yet. */
const UNKNOWN_AGE = '1970-01-01T00:00:00Z';

/** Whether this is a role or a binding that always exists, and that nobody can change. */
export const isDefaultPolicy = (kind: StoredKind, { namespace, name }: ObjectKey): boolean =>
  namespace === '' && contentsOf(kind).has(name);

/**
 * The store as users see it: with the roles and bindings that always exist, and with the ServiceAccount `default` of each namespace
 * that has none stored. They are read and listed; a feed has none of them, since they never change. A list is whole, with whatever
 * limit: derived objects stand between stored ones.
 */
export function withDerived({ objects, hash }: Pick<ApiDeps, 'objects' | 'hash'>): ObjectStore {
  return {
    async read(kind, key) {
      if (isDefaultPolicy(kind, key)) return defaultsOf(kind, await bornAt(objects), hash).get(key.name) ?? null;
      const stored = await objects.read(kind, key);
      if (stored !== null || kind !== 'ServiceAccount' || key.name !== DEFAULT_ACCOUNT) return stored;
      const home = await objects.read('Namespace', { namespace: '', name: key.namespace });
      return home === null ? null : defaultAccountOf(home);
    },
    async list(kind, { namespace }) {
      const stored = await allObjects(kind, namespace, objects);
      const derived =
        kind === 'ServiceAccount'
          ? await accountsOf(objects, namespace)
          : (namespace ?? '') === ''
            ? [...defaultsOf(kind, contentsOf(kind).size === 0 ? '' : await bornAt(objects), hash).values()]
            : [];
      const taken = new Set(stored.map(({ key }) => idOf(key)));
      const all = [...stored, ...derived.filter(({ key }) => !taken.has(idOf(key)))];
      return { objects: all.sort((a, b) => (comesBefore(idOf(a.key), idOf(b.key)) ? -1 : 1)), next: null };
    },
    commit: async (kind, change) => objects.commit(kind, change),
    head: async (kind) => objects.head(kind),
    changes: async (kind, after, limit) => objects.changes(kind, after, limit),
  };
}

/** '!' sorts before every character of a namespace. */
const idOf = ({ namespace, name }: ObjectKey): string => `${namespace}!${name}`;

type Content = Readonly<Record<string, unknown>>;

const ROLE_CONTENTS: ReadonlyMap<string, Content> = new Map(DEFAULT_ROLES.map(({ name, rules }) => [name, { rules }]));
const BINDING_CONTENTS: ReadonlyMap<string, Content> = new Map(
  DEFAULT_BINDINGS.map(({ name, subjects, roleRef }) => [name, { subjects, roleRef }]),
);
const NO_CONTENTS: ReadonlyMap<string, Content> = new Map();

const contentsOf = (kind: StoredKind): ReadonlyMap<string, Content> =>
  kind === 'ClusterRole' ? ROLE_CONTENTS : kind === 'ClusterRoleBinding' ? BINDING_CONTENTS : NO_CONTENTS;

/** The roles or bindings that always exist, by name; they are as old as the installation. */
function defaultsOf(
  kind: StoredKind,
  creationTimestamp: string,
  hash: ApiDeps['hash'],
): ReadonlyMap<string, StoredObject> {
  return new Map(
    Array.from(contentsOf(kind), ([name, content]) => {
      const labels = { [DEFAULT_LABEL.key]: DEFAULT_LABEL.value };
      const metadata = { name, uid: uuidOf(hash(`${kind}/${name}`)), creationTimestamp, labels };
      const document = { apiVersion: `${RBAC_GROUP}/v1`, kind, metadata, ...content };
      return [name, { key: { namespace: '', name }, version: 0, document }];
    }),
  );
}

/** Digits of a hash in the form of a UUID. */
const uuidOf = (digits: string): string =>
  [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digits.slice(from, to))
    .join('-');

async function bornAt(objects: Pick<ObjectStore, 'read'>): Promise<string> {
  const home = await objects.read('Namespace', { namespace: '', name: DEFAULT_NAMESPACE });
  const born = home?.document.metadata['creationTimestamp'];
  return typeof born === 'string' ? born : UNKNOWN_AGE;
}

async function accountsOf(objects: ObjectStore, namespace: string | null): Promise<readonly StoredObject[]> {
  if (namespace === null) return (await allObjects('Namespace', null, objects)).map(defaultAccountOf);
  const home = await objects.read('Namespace', { namespace: '', name: namespace });
  return home === null ? [] : [defaultAccountOf(home)];
}
