import { comesBefore } from '../../domain/base/text-order.ts';
import type { ObjectKey, ObjectPage, ObjectStore, StoredKind, StoredObject } from '../../ports/object-store.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { type KindDefinition, defineKind } from './define-kind.ts';
import type { AdmittedPlain } from './plain-form.ts';
import type { KindHooks } from './stored-kind.ts';

/** Objects of a kind that are there though nobody has stored them. They have version 0. */
export type Derived = {
  /** Why nobody can change or delete the object of this key, whatever is stored; null: what is stored takes its place. */
  whyKept(key: ObjectKey): string | null;
  /** The object of this key; null: none is derived. */
  read(key: ObjectKey): Promise<StoredObject | null>;
  /** All of them in a namespace; null: everywhere. */
  list(namespace: string | null): Promise<readonly StoredObject[]>;
};

export type DerivedPorts = Pick<ApiDeps, 'objects' | 'hash' | 'commands'>;

type Definition = Pick<KindDefinition<AdmittedPlain>, 'resource' | 'form' | 'printer'> & {
  readonly derived: (ports: DerivedPorts) => Derived;
  /** See {@link KindHooks.objection}. */
  readonly objection?: (deps: ApiDeps) => KindHooks<AdmittedPlain>['objection'];
  /** What follows a change; omitted: nothing. */
  readonly after?: (deps: ApiDeps) => Pick<KindHooks<AdmittedPlain>, 'afterCreate' | 'afterReplace'>;
};

/** A kind of which some objects are derived. */
export const derivedKind = ({ derived, objection: objectionOf, after, ...kind }: Definition) =>
  defineKind<AdmittedPlain>({
    ...kind,
    seen: (deps) => withDerived(kind.resource, derived(deps), deps.objects),
    hooks: (deps) => {
      const objection = objectionOf?.(deps);
      return {
        ...derivedHooks(kind.resource, derived(deps), deps),
        ...after?.(deps),
        ...(objection === undefined ? {} : { objection }),
      };
    },
  });

/** The names of derived objects are taken, and one that was stored is there again once it is deleted. */
function derivedHooks(
  kind: StoredKind,
  derived: Derived,
  { objects }: Pick<ApiDeps, 'objects'>,
): KindHooks<AdmittedPlain> {
  const seen = withDerived(kind, derived, objects);
  return {
    mayNotDelete: (name) => derived.whyKept({ namespace: '', name }),
    isTaken: async (key) => (await seen.read(kind, key)) !== null,
    beforeRemove: async ({ key, version }) =>
      version === 0 || derived.whyKept(key) !== null ? { kind: 'deleted' } : null,
    async afterRemove({ key }) {
      const again = await seen.read(kind, key);
      // Watches hear of it, as in a cluster, where a controller creates it again.
      if (again?.version === 0) await objects.commit(kind, { key, was: 0, document: again.document });
    },
  };
}

/**
 * The store as users see it: with what is derived of this kind. Derived objects are read and listed; a feed has none of them, since
 * they never change.
 */
function withDerived(derivedOf: StoredKind, derived: Derived, objects: ObjectStore): ObjectStore {
  return {
    async read(kind, key) {
      if (kind !== derivedOf) return objects.read(kind, key);
      if (derived.whyKept(key) !== null) return derived.read(key);
      return (await objects.read(kind, key)) ?? derived.read(key);
    },
    async list(kind, page) {
      if (kind !== derivedOf) return objects.list(kind, page);
      return mixed(await objects.list(kind, page), await derived.list(page.namespace), page);
    },
    commit: async (kind, change) => objects.commit(kind, change),
    head: async (kind) => objects.head(kind),
    changes: async (kind, after, limit) => objects.changes(kind, after, limit),
  };
}

type Listed = Awaited<ReturnType<ObjectStore['list']>>;

/** A page of stored objects, and the derived ones whose place is on it. */
function mixed(stored: Listed, derived: readonly StoredObject[], { after, limit }: ObjectPage): Listed {
  const taken = new Set(stored.objects.map(({ key }) => idOf(key)));
  const between = derived.filter(({ key }) => {
    const id = idOf(key);
    return (after === null || comesBefore(after, id)) && (stored.next === null || !comesBefore(stored.next, id));
  });
  const all = [...stored.objects, ...between.filter(({ key }) => !taken.has(idOf(key)))].sort((a, b) =>
    comesBefore(idOf(a.key), idOf(b.key)) ? -1 : 1,
  );
  if (all.length <= limit) return { objects: all, next: stored.next };
  const shown = all.slice(0, limit);
  const last = shown.at(-1);
  return { objects: shown, next: last === undefined ? null : idOf(last.key) };
}

/** '!' sorts before every character of a namespace. */
const idOf = ({ namespace, name }: ObjectKey): string => `${namespace}!${name}`;
