import { type ItemPart, partsOf, sealedOf } from '../../domain/items/item-parts.ts';
import { invariant } from '../../domain/base/invariant.ts';
import { asTime } from '../../domain/base/time.ts';
import type { Accounts } from '../../domain/rbac/usable-accounts.ts';
import type { ManagedFieldsEntry } from '../../domain/spec/manifest.ts';
import type { ContentHead, SealedContent } from '../../ports/item-store.ts';
import type { StoredDocument, StoredObject } from '../../ports/object-store.ts';
import {
  type WorkListManifest,
  admitWorkList,
  admitWorkListUpdate,
} from '../../schema/worklist/work-list-admission.ts';
import { namespaceStanding } from '../../store/namespace-standing.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { renderStored } from '../list/stored-objects.ts';
import { accountsOf } from '../write/account-objection.ts';
import type { Found, WritableKind } from '../write/writable-kind.ts';

/** An existing WorkList: as shown and as stored. */
export type FoundWorkList = Found & { readonly stored: StoredObject };

/** An admitted WorkList; `items` null: they are stored already. */
export type AdmittedWorkList = {
  readonly manifest: WorkListManifest;
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly items: NewItems | null;
  readonly status: WorkListStatus;
};

/** `parts` null: they are sent later. */
type NewItems = {
  readonly columns: readonly string[];
  readonly itemsPerPart: number;
  readonly parts: readonly ItemPart[] | null;
};

export type WorkListStatus = {
  readonly sealed: boolean;
  readonly items?: number;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly longestItem?: number;
};

/** Items of a list that comes whole are stored in parts of this size. */
const ITEMS_PER_PART = 1_000;

/** WorkLists as users write them. Their items are stored before the object is, so nobody sees a list that lacks some. */
export function workListKind(deps: ApiDeps): WritableKind<FoundWorkList, AdmittedWorkList> {
  const { objects, clock, hash, quotaCommands } = deps;

  return {
    resource: API_KINDS.WorkList,
    apiVersion: 'muster.run/v1',
    type: 'WorkList',
    orphans: null,

    async find(key) {
      const stored = await objects.read('WorkList', key);
      return stored === null ? null : { object: renderStored(stored), stored };
    },

    admit(document, { uid, ...context }) {
      const admission = admitWorkList(document, context);
      if (admission.kind !== 'ok') return admission;
      const { manifest, items: sent, warnings } = admission;
      const items =
        sent.kind === 'whole'
          ? {
              columns: sent.list.columns,
              itemsPerPart: ITEMS_PER_PART,
              parts: [...partsOf(sent.list, ITEMS_PER_PART, hash)],
            }
          : { ...sent, parts: null };
      const status = items.parts === null ? { sealed: false } : statusOf(sealedAs(items.parts, hash));
      const admitted = { manifest, uid, creationTimestamp: asTime(clock.now()), items, status };
      return { kind: 'ok', admitted, name: manifest.metadata.name, warnings };
    },

    admitUpdate({ stored }, document, fieldValidation) {
      const update = admitWorkListUpdate(
        { manifest: asManifest(stored.document), uid: stored.document.metadata.uid },
        document,
        { fieldValidation },
      );
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: { ...standingOf(stored.document), manifest }, warnings, changed };
    },

    preview: (admitted) => shown(admitted, [], 0),

    async create(admitted, managedFields, user) {
      const { manifest, uid } = admitted;
      const key = keyOf(manifest);
      if ((await objects.read('WorkList', key)) !== null) return { kind: 'taken' };
      const document = documentOf(admitted, managedFields);
      const accounts = await accountsOf(user, key.namespace, deps);
      const committed = await quotaCommands.createObject('WorkList', uid, key, async () => {
        await storeItems(admitted, accounts, deps);
        return objects.commit('WorkList', { key, was: 0, document });
      });
      if (committed.kind === 'forbidden') return committed;
      if (committed.kind === 'committed')
        return { kind: 'created', object: shown(admitted, managedFields, committed.version) };
      await deps.items.remove(uid);
      return { kind: committed.kind === 'lost' ? 'taken' : committed.kind };
    },

    async wouldCreate({ manifest, uid }) {
      const key = keyOf(manifest);
      const standing = await namespaceStanding(key.namespace, { objects });
      if (standing !== 'open') return { kind: standing };
      if ((await objects.read('WorkList', key)) !== null) return { kind: 'taken' };
      return quotaCommands.tryObject('WorkList', uid, key);
    },

    async replace({ stored }, admitted, managedFields) {
      const document = documentOf(admitted, managedFields);
      const committed = await objects.commit('WorkList', { key: stored.key, was: stored.version, document });
      return committed.kind === 'committed'
        ? { kind: 'replaced', object: renderStored({ ...stored, version: committed.version, document }) }
        : { kind: 'lost' };
    },

    async remove({ stored }) {
      const { key, version, document } = stored;
      const removed = await objects.commit('WorkList', { key, was: version, document: null });
      if (removed.kind !== 'committed') return { kind: 'lost' };
      // Jobs that use its items keep them. If this fails, the sweep removes what nobody needs.
      await deps.items.remove(document.metadata.uid).catch((error: unknown) => {
        deps.telemetry.warn('items not removed', { list: key.name, error: String(error) });
      });
      return { kind: 'deleted' };
    },
  };
}

async function storeItems(
  { manifest, uid, items }: AdmittedWorkList,
  accounts: Accounts,
  deps: ApiDeps,
): Promise<void> {
  invariant(items !== null, 'a new list comes with its items, or says that it has none yet');
  const { namespace, name } = manifest.metadata;
  const head: ContentHead = {
    content: uid,
    namespace,
    name,
    columns: items.columns,
    itemsPerPart: items.itemsPerPart,
    createdAt: deps.clock.now(),
    ...(accounts === 'all' ? {} : { accounts }),
    sealed: null,
  };
  await deps.items.begin(head);
  if (items.parts === null) return;
  for (const part of items.parts) await deps.items.writePart(head, part);
  await deps.items.seal(uid, sealedAs(items.parts, deps.hash));
}

function sealedAs(parts: readonly ItemPart[], hash: ApiDeps['hash']): SealedContent {
  const whole = sealedOf(parts, ITEMS_PER_PART, hash);
  invariant(whole.kind === 'ok', 'parts of our own are whole');
  return whole.sealed;
}

export const statusOf = ({ count, bytes, sha256, widest }: SealedContent): WorkListStatus => ({
  sealed: true,
  items: count,
  bytes,
  sha256,
  longestItem: widest.line,
});

const keyOf = ({ metadata: { namespace, name } }: WorkListManifest) => ({ namespace, name });

/** As it is stored: as it is shown, without its resourceVersion. */
export function documentOf(
  { manifest, uid, creationTimestamp, status }: AdmittedWorkList,
  managedFields: readonly ManagedFieldsEntry[],
): StoredDocument {
  const { managedFields: _before, ...metadata } = manifest.metadata;
  return {
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    metadata: {
      ...metadata,
      uid,
      generation: 1,
      creationTimestamp,
      ...(managedFields.length === 0 ? {} : { managedFields }),
    },
    spec: manifest.spec,
    status,
  };
}

const shown = (admitted: AdmittedWorkList, managedFields: readonly ManagedFieldsEntry[], version: number): KubeObject =>
  renderStored({ key: keyOf(admitted.manifest), version, document: documentOf(admitted, managedFields) });

/** What is stored as this kind was admitted as one. */
const asManifest = (document: StoredDocument): WorkListManifest => {
  const { apiVersion, kind, metadata, spec } = document as unknown as WorkListManifest;
  return { apiVersion, kind, metadata, spec };
};

/** A stored list as it was admitted. */
export function standingOf(document: StoredDocument): AdmittedWorkList {
  const { status, metadata } = document as unknown as {
    readonly status: WorkListStatus;
    readonly metadata: { readonly uid: string; readonly creationTimestamp: string };
  };
  const { uid, creationTimestamp } = metadata;
  const { uid: _uid, creationTimestamp: _at, generation: _n, ...own } = document.metadata;
  const manifest = { ...asManifest(document), metadata: own as unknown as WorkListManifest['metadata'] };
  return { manifest, uid, creationTimestamp, items: null, status };
}
