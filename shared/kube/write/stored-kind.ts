import type { User } from '../../domain/callers/user.ts';
import { apiVersionOf } from '../../domain/kinds/api-kind.ts';
import { API_KINDS, type StoredKind } from '../../domain/kinds/api-kinds.ts';
import type { ManagedFieldsEntry } from '../../domain/manifests/manifest.ts';
import type { DeletedOwner } from '../../ports/owner-commands.ts';
import {
  type ObjectKey,
  type ObjectStore,
  type StoredDocument,
  type StoredObject,
  UnreadableObject,
} from '../../ports/object-store.ts';
import type { FieldError } from '../../schema/object/field-error.ts';
import type { Extent } from '../../schema/object/object-update.ts';
import type { FieldValidation, Undecodable } from '../../schema/object/read-object.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { renderStored } from '../list/stored-objects.ts';
import { firstObjection, takeAll } from './take-all.ts';
import type {
  AdmittedUpdate,
  FoundObject,
  NewObject,
  Propagation,
  Removed,
  Subresource,
  WritableKind,
} from './writable-kind.ts';

/** An existing object: as shown and as stored. Version 0: it is derived, and not stored. */
export type FoundStored = FoundObject & { readonly stored: StoredObject };

/** A document as it is stored: as it is shown, without resourceVersion. */
export type ObjectDocument = StoredDocument & {
  readonly metadata: {
    readonly name: string;
    /** Omitted for a kind that is in no namespace. */
    readonly namespace?: string;
    /** Omitted for a kind that does not count changes of its spec. */
    readonly generation?: number;
  };
};

/** What was admitted, whole, but for who manages which field. A kind may need more of it than is stored. */
export type AdmittedObject = { readonly document: ObjectDocument };

/** How documents of a kind are admitted. */
export type KindForm<A extends AdmittedObject> = {
  admit(
    document: unknown,
    context: NewObject,
  ):
    | { readonly kind: 'ok'; readonly admitted: A; readonly warnings: readonly string[] }
    | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
    | Undecodable;
  /** A document that replaces a stored object. A changed spec gets the next generation by itself. */
  admitUpdate(found: FoundStored, document: unknown, fieldValidation: FieldValidation): AdmittedUpdate<A>;
};

/** What a kind does beside being stored. Whatever runs before a commit must do no harm if nothing is stored afterwards. */
export type KindHooks<A extends AdmittedObject> = {
  /** See {@link WritableKind}. */
  readonly objection?: WritableKind<FoundStored, A>['objection'];
  /** Why an object of this name is never deleted; null: it may be. */
  mayNotDelete?(name: string): string | null;
  /** Whether a name is taken, where that must be known before anything else is done. Omitted: the commit tells. */
  isTaken?(key: ObjectKey): Promise<boolean>;
  /** Nothing has spoken against it. */
  beforeCreate?(admitted: A, user: User): Promise<void>;
  /** It could not be stored after {@link KindHooks.beforeCreate}. */
  notCreated?(admitted: A): Promise<void>;
  /** @returns what is shown */
  afterCreate?(created: StoredObject): Promise<StoredObject>;
  beforeReplace?(was: StoredObject, document: StoredDocument, changed: Extent): Promise<void>;
  /** @returns what is shown */
  afterReplace?(was: StoredObject, is: StoredObject, changed: Extent): Promise<StoredObject>;
  /** Deletes it in the kind's own way; null: its row goes now. */
  beforeRemove?(stored: StoredObject, propagation: Propagation): Promise<DeletedOwner | null>;
  /** Its row is gone. */
  afterRemove?(stored: StoredObject): Promise<void>;
};

/** How objects of a kind are read. */
export type StoredKindOptions<A extends AdmittedObject> = {
  readonly form: KindForm<A>;
  readonly hooks: KindHooks<A>;
  /** Why they cannot orphan their dependents; null: they can. */
  readonly orphans: string | null;
  /** The store as users see it: it may show more than is stored. */
  readonly seen: ObjectStore;
};

/** How objects that are stored as they are shown are created, changed, and deleted. */
export function storedKind<A extends AdmittedObject>(
  name: StoredKind,
  { form, hooks, orphans, seen }: StoredKindOptions<A>,
  { objects, objectGuards }: Pick<ApiDeps, 'objects' | 'objectGuards'>,
): WritableKind<FoundStored, A> {
  const row = API_KINDS[name];
  const apiVersion = apiVersionOf(row);
  const find = async (key: ObjectKey): Promise<FoundStored | null> => {
    const stored = await seen.read(name, key);
    return stored === null ? null : { object: renderStored(stored), stored };
  };
  return {
    resource: row,
    apiVersion,
    type: name,
    orphans,
    ...(hooks.objection === undefined ? {} : { objection: hooks.objection }),

    find,

    async findToRemove(key) {
      try {
        return await find(key);
      } catch (error) {
        if (!(error instanceof UnreadableObject)) throw error;
        const { stored } = error;
        const { uid } = stored.document.metadata;
        const metadata = { ...key, uid, resourceVersion: String(stored.version), creationTimestamp: '' };
        return { object: { apiVersion, kind: row.kind, metadata }, stored };
      }
    },

    admit(document, context) {
      const admission = form.admit(document, context);
      return admission.kind === 'ok' ? { ...admission, name: admission.admitted.document.metadata.name } : admission;
    },

    admitUpdate: (found, document, fieldValidation) => form.admitUpdate(found, document, fieldValidation),

    preview: ({ document }) => renderStored({ key: keyOf(document), version: 0, document: managed(document, []) }),

    async create(admitted, managedFields, user) {
      const { uid } = admitted.document.metadata;
      const key = keyOf(admitted.document);
      if ((await hooks.isTaken?.(key)) === true) return { kind: 'taken' };
      const document = managed(admitted.document, managedFields);
      const taken = await takeAll(objectGuards, { kind: name, uid, key });
      if (taken.kind === 'forbidden') return (await objects.read(name, key)) === null ? taken : { kind: 'taken' };
      await hooks.beforeCreate?.(admitted, user);
      const committed = await objects.commit(name, { key, was: 0, document });
      if (committed.kind !== 'committed') {
        await taken.undo();
        await hooks.notCreated?.(admitted);
        return { kind: committed.kind === 'lost' ? 'taken' : committed.kind };
      }
      taken.keep();
      const created = { key, version: committed.version, document };
      return { kind: 'created', object: renderStored((await hooks.afterCreate?.(created)) ?? created) };
    },

    async wouldCreate({ document }) {
      const key = keyOf(document);
      const standing = key.namespace === '' ? 'open' : await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      if ((await seen.read(name, key)) !== null) return { kind: 'taken' };
      return firstObjection(objectGuards, { kind: name, uid: document.metadata.uid, key });
    },

    async replace({ stored }, admitted, managedFields, changed) {
      const document = managed(
        changed === 'spec' ? nextGeneration(admitted.document) : admitted.document,
        managedFields,
      );
      await hooks.beforeReplace?.(stored, document, changed);
      const committed = await objects.commit(name, { key: stored.key, was: stored.version, document });
      if (committed.kind !== 'committed') return { kind: 'lost' };
      const replaced = { ...stored, version: committed.version, document };
      const seenNow = (await hooks.afterReplace?.(stored, replaced, changed)) ?? replaced;
      return { kind: 'replaced', object: renderStored(seenNow) };
    },

    async remove({ stored }, propagation) {
      const removed = await hooks.beforeRemove?.(stored, propagation);
      if (removed) return shownRemoval(removed);
      const committed = await objects.commit(name, { key: stored.key, was: stored.version, document: null });
      if (committed.kind !== 'committed') return { kind: 'lost' };
      await hooks.afterRemove?.(stored);
      return { kind: 'deleted' };
    },
  };
}

/** A part of the objects of a kind that is written at a path of its own. */
export const storedPart = <A extends AdmittedObject>(
  whole: WritableKind<FoundStored, A>,
  subresource: 'status' | 'finalize',
  admitUpdate: KindForm<A>['admitUpdate'],
): Subresource<FoundStored, A> => ({
  resource: whole.resource,
  apiVersion: whole.apiVersion,
  type: whole.type,
  subresource,
  ...(whole.objection === undefined ? {} : { objection: whole.objection }),
  find: (key, published) => whole.find(key, published),
  admitUpdate,
  preview: (admitted) => whole.preview(admitted),
  replace: (found, admitted, managedFields, changed, user) =>
    whole.replace(found, admitted, managedFields, changed, user),
});

const keyOf = ({ metadata: { namespace = '', name } }: ObjectDocument): ObjectKey => ({ namespace, name });

function managed(document: ObjectDocument, managedFields: readonly ManagedFieldsEntry[]): ObjectDocument {
  const { managedFields: _before, ...metadata } = document.metadata;
  return { ...document, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
}

function nextGeneration(document: ObjectDocument): ObjectDocument {
  const { generation } = document.metadata;
  return generation === undefined
    ? document
    : { ...document, metadata: { ...document.metadata, generation: generation + 1 } };
}

const shownRemoval = (removed: DeletedOwner): Removed =>
  removed.kind === 'terminating' ? { kind: 'terminating', object: renderStored(removed.object) } : removed;
