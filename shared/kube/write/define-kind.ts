import type { Context, Hono } from 'hono';
import { apiVersionOf } from '../../domain/kinds/api-kind.ts';
import { API_KINDS, type StoredKind } from '../../domain/kinds/api-kinds.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Printer } from '../list/printer.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import { type FurtherRoute, addChangeRoutes, addOtherRoutes, addPartRoutes, addReadRoutes } from './kind-routes.ts';
import { type AdmittedObject, type KindForm, type KindHooks, storedKind, storedPart } from './stored-kind.ts';

/**
 * What a kind that is stored as it is shown has beside the facts of its row.
 *
 * @typeParam A what was admitted and is to be stored
 */
export type KindDefinition<A extends AdmittedObject> = Pick<ListedKind, 'fields' | 'before'> & {
  /** Its row. */
  readonly resource: StoredKind;
  readonly form: (deps: ApiDeps) => KindForm<A>;
  readonly printer: Printer<KubeObject>;
  /** Omitted: it is only stored. */
  readonly hooks?: (deps: ApiDeps) => KindHooks<A>;
  /** How the parts are admitted that are written at paths of their own. */
  readonly subresources?: readonly Part<A>[];
  /** Further paths below that of an object. */
  readonly further?: readonly FurtherRoute[];
  /** Why its objects cannot orphan their dependents; omitted: they can. */
  readonly orphans?: string;
  /** The store as users see it, where that is more than what is stored. */
  readonly seen?: (deps: ApiDeps) => ObjectStore;
};

type Part<A extends AdmittedObject> = readonly [name: 'status' | 'finalize', admitUpdate: KindForm<A>['admitUpdate']];

/** A kind, ready to be served. */
export type DefinedKind = {
  readonly resource: StoredKind;
  readonly printer: Printer<KubeObject>;
  addRoutes(app: Hono, deps: ApiDeps, options: ApiOptions): void;
};

/** Serves a kind with every verb of its row: create, PUT, the patches, apply, delete; lists, tables, and watches. */
export const defineKind = <A extends AdmittedObject>(kind: KindDefinition<A>): DefinedKind => ({
  resource: kind.resource,
  printer: kind.printer,
  addRoutes(app, deps, options) {
    const { resource, printer, orphans = null, further = [], fields, before } = kind;
    const row = API_KINDS[resource];
    const seen = kind.seen?.(deps) ?? deps.objects;
    const hooks = kind.hooks?.(deps) ?? {};
    const whole = storedKind(resource, { form: kind.form(deps), hooks, orphans, seen }, deps);
    const listed: ListedKind = {
      kind: resource,
      resource: row,
      apiVersion: apiVersionOf(row),
      printer,
      ...(fields === undefined ? {} : { fields }),
      ...(before === undefined ? {} : { before }),
    };
    const select = (c: Context, namespace: string | null, objects: ObjectStore) =>
      selectStored(c, row.isNamespaced ? namespace : null, listed, { ...deps, objects });
    addReadRoutes(
      app,
      row,
      {
        printer,
        find: async (key) => (await whole.find(key, false))?.object ?? null,
        select: (c, namespace) => select(c, namespace, seen),
      },
      deps,
      options,
    );
    addChangeRoutes(
      app,
      row,
      {
        kind: whole,
        // What is derived is not deleted with the others.
        select: (c, namespace) => select(c, namespace, deps.objects),
        mayNotDelete: (name) => hooks.mayNotDelete?.(name) ?? null,
      },
      deps,
    );
    for (const [name, admitUpdate] of kind.subresources ?? [])
      addPartRoutes(app, row, storedPart(whole, name, admitUpdate), deps);
    addOtherRoutes(app, row, further, deps);
  },
});
