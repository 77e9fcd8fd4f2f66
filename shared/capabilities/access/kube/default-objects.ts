import { DEFAULT_BINDINGS, DEFAULT_LABEL, DEFAULT_ROLES } from '../domain/default-policy.ts';
import { RBAC_GROUP } from '../domain/policy.ts';
import { DEFAULT_NAMESPACE } from '../../../domain/manifests/namespace.ts';
import type { ObjectKey, ObjectStore, StoredKind, StoredObject } from '../../../ports/object-store.ts';
import type { Derived, DerivedPorts } from '../../../kube/write/derived-kind.ts';

/** Of an installation whose namespace `default` cannot be read yet. */
const UNKNOWN_AGE = '1970-01-01T00:00:00Z';

/** Why the roles and bindings that always exist stay as they are. */
export const NEVER_CHANGES =
  'it always exists and cannot be changed or deleted; create one of another name, and bind that';

/** Whether this is a role or a binding that always exists, and that nobody can change. */
export const isDefaultPolicy = (kind: StoredKind, { namespace, name }: ObjectKey): boolean =>
  namespace === '' && contentsOf(kind).has(name);

/** The roles or bindings that always exist, as old as the installation. */
export const defaultsOf =
  (kind: StoredKind) =>
  ({ objects, hash }: DerivedPorts): Derived => ({
    whyKept: (key) => (isDefaultPolicy(kind, key) ? NEVER_CHANGES : null),
    async read(key) {
      if (!isDefaultPolicy(kind, key)) return null;
      return defaultObjects(kind, await bornAt(objects), hash).get(key.name) ?? null;
    },
    async list(namespace) {
      if ((namespace ?? '') !== '' || contentsOf(kind).size === 0) return [];
      return [...defaultObjects(kind, await bornAt(objects), hash).values()];
    },
  });

type Content = Readonly<Record<string, unknown>>;

const ROLE_CONTENTS: ReadonlyMap<string, Content> = new Map(DEFAULT_ROLES.map(({ name, rules }) => [name, { rules }]));
const BINDING_CONTENTS: ReadonlyMap<string, Content> = new Map(
  DEFAULT_BINDINGS.map(({ name, subjects, roleRef }) => [name, { subjects, roleRef }]),
);
const NO_CONTENTS: ReadonlyMap<string, Content> = new Map();

const contentsOf = (kind: StoredKind): ReadonlyMap<string, Content> =>
  kind === 'ClusterRole' ? ROLE_CONTENTS : kind === 'ClusterRoleBinding' ? BINDING_CONTENTS : NO_CONTENTS;

/** The same by name. */
function defaultObjects(
  kind: StoredKind,
  creationTimestamp: string,
  hash: DerivedPorts['hash'],
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
