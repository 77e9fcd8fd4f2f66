import type { Accounts } from '../../../domain/callers/accounts.ts';
import { type ItemPart, partsOf, sealedOf } from '../../../domain/items/item-parts.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { asTime } from '../../../domain/base/time.ts';
import type { ContentHead, SealedContent } from '../../../ports/item-store.ts';
import {
  type WorkListItems,
  type WorkListManifest,
  type WorkListSpec,
  admitWorkList,
  admitWorkListUpdate,
} from '../schema/work-list-admission.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import type { KubeObject } from '../../../kube/http/kube-object.ts';
import { accountsOf } from '../../../kube/write/account-objection.ts';
import { defineKind } from '../../../kube/write/define-kind.ts';
import type { KindForm, KindHooks } from '../../../kube/write/stored-kind.ts';
import { addPart, listParts, sealList } from './work-list-parts.ts';
import { WORK_LIST_PRINTER } from './work-list-printer.ts';
import { type WorkListStatus, statusOf } from './work-list-status.ts';

/** An admitted WorkList; `items` null: they are stored already. */
type AdmittedWorkList = { readonly document: ReturnType<typeof documentOf>; readonly items: NewItems | null };

/** `parts` null: they are sent later. */
type NewItems = {
  readonly columns: readonly string[];
  readonly itemsPerPart: number;
  readonly parts: readonly ItemPart[] | null;
};

/** Items of a list that comes whole are stored in parts of this size. */
const ITEMS_PER_PART = 1_000;

/** `muster.run/v1` WorkLists. Their items are stored before the object is, so nobody sees a list that lacks some. */
export const WORK_LIST_KIND = defineKind<AdmittedWorkList>({
  resource: 'WorkList',
  form: formOf,
  printer: WORK_LIST_PRINTER,
  hooks: hooksOf,
  further: [
    { path: 'parts', answer: { method: 'GET', by: listParts } },
    { path: 'parts/:no', answer: { method: 'POST', by: addPart } },
    { path: 'seal', answer: { method: 'POST', by: sealList } },
  ],
});

function formOf({ clock, hash }: ApiDeps): KindForm<AdmittedWorkList> {
  return {
    admit(document, { uid, ...context }) {
      const admission = admitWorkList(document, context);
      if (admission.kind !== 'ok') return admission;
      const { manifest, warnings } = admission;
      const items = newItems(admission.items, hash);
      const status = items.parts === null ? { sealed: false } : statusOf(sealedAs(items.parts, hash));
      const standing = { uid, creationTimestamp: asTime(clock.now()), status };
      return { kind: 'ok', admitted: { document: documentOf(manifest, standing), items }, warnings };
    },
    admitUpdate({ object }, document, fieldValidation) {
      const { manifest: before, ...standing } = storedList(object);
      const update = admitWorkListUpdate({ manifest: before, uid: standing.uid }, document, { fieldValidation });
      if (update.kind !== 'ok') return update;
      const { manifest, warnings, changed } = update;
      return { kind: 'ok', admitted: { document: documentOf(manifest, standing), items: null }, warnings, changed };
    },
  };
}

const newItems = (sent: WorkListItems, hash: ApiDeps['hash']): NewItems =>
  sent.kind === 'whole'
    ? {
        columns: sent.list.columns,
        itemsPerPart: ITEMS_PER_PART,
        parts: [...partsOf(sent.list, ITEMS_PER_PART, hash)],
      }
    : { columns: sent.columns, itemsPerPart: sent.itemsPerPart, parts: null };

function sealedAs(parts: readonly ItemPart[], hash: ApiDeps['hash']): SealedContent {
  const whole = sealedOf(parts, ITEMS_PER_PART, hash);
  invariant(whole.kind === 'ok', 'parts of our own are whole');
  return whole.sealed;
}

/** What the server knows about a list. */
type Standing = Pick<KubeObject['metadata'], 'uid' | 'creationTimestamp'> & { readonly status: WorkListStatus };

const documentOf = (
  { apiVersion, kind, metadata, spec }: WorkListManifest,
  { uid, creationTimestamp, status }: Standing,
) => ({ apiVersion, kind, metadata: { ...metadata, uid, generation: 1, creationTimestamp }, spec, status });

/** A stored list as it was admitted: what is stored as this kind was admitted as one. */
function storedList({ metadata, spec, status }: KubeObject): Standing & { readonly manifest: WorkListManifest } {
  const { uid, creationTimestamp, generation: _one, resourceVersion: _version, ...own } = metadata;
  const manifest: WorkListManifest = {
    apiVersion: 'muster.run/v1',
    kind: 'WorkList',
    metadata: { ...own, namespace: own.namespace ?? '' },
    spec: spec as WorkListSpec,
  };
  return { manifest, uid, creationTimestamp, status: status as WorkListStatus };
}

function hooksOf(deps: ApiDeps): KindHooks<AdmittedWorkList> {
  const { objects, items, telemetry } = deps;
  return {
    // Nothing is stored of the items of a list whose name is taken.
    isTaken: async (key) => (await objects.read('WorkList', key)) !== null,
    async beforeCreate(admitted, user) {
      const accounts = await accountsOf(user, admitted.document.metadata.namespace, deps);
      await storeItems(admitted, accounts, deps);
    },
    async notCreated({ document }) {
      await items.remove(document.metadata.uid);
    },
    async afterRemove({ key, document }) {
      // Jobs that use its items keep them. If this fails, the sweep removes what nobody needs.
      await items.remove(document.metadata.uid).catch((error: unknown) => {
        telemetry.warn('items not removed', { list: key.name, error: String(error) });
      });
    },
  };
}

async function storeItems({ document, items }: AdmittedWorkList, accounts: Accounts, deps: ApiDeps): Promise<void> {
  invariant(items !== null, 'a new list comes with its items, or says that it has none yet');
  const { uid, namespace, name } = document.metadata;
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
