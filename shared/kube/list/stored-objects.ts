import { comesBefore } from '../../domain/base/text-order.ts';
import { LEDGER_FIELD } from '../../domain/manifests/ledger-field.ts';
import type { ObjectChange, ObjectStore, StoredKind, StoredObject } from '../../ports/object-store.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { Once } from '../feed/once.ts';
import { ShownObjects } from '../feed/shown-objects.ts';
import { LeftOut } from './left-out.ts';
import { type Page, type PageRequest, behind, remainingFrom } from './list-page.ts';
import type { WatchedChange, WatchSource } from '../feed/watched.ts';

/** Which objects of a stored kind a request selects. */
export type StoredSelection = {
  readonly kind: StoredKind;
  readonly apiVersion: string;
  /** null: all namespaces. */
  readonly namespace: string | null;
  /** By labels and fields. */
  readonly matches: (object: KubeObject) => boolean;
  /**
   * What an object was before a change, as far as {@link matches} needs it; its earlier labels are given. If that is unknown, a
   * client may get an object twice, or the end of an object that it never had: clients accept both.
   */
  readonly before?: (object: KubeObject) => KubeObject;
};

/** Objects are read from the store in pages of this size. */
const OBJECTS_PER_READ = 200;

/** A stored object as it is shown. */
export function renderStored({ document, version }: StoredObject): KubeObject {
  const { [LEDGER_FIELD]: _unseen, ...shown } = document;
  const metadata = { ...document.metadata, resourceVersion: String(version) };
  return { ...shown, metadata } as KubeObject; // what is stored was admitted as such an object
}

/** One page of a selection: objects in order of (namespace, name). */
export async function listStored(
  selection: StoredSelection,
  { limit, from }: PageRequest,
  objects: ObjectStore,
): Promise<Page<KubeObject>> {
  // The head first: a later change may already be in the list, but none is missed.
  const version = from?.version ?? (await objects.head(selection.kind));
  const items: KubeObject[] = [];
  const leftOut = new LeftOut(selection.kind);
  for await (const found of selected(selection, from?.after ?? null, objects, leftOut)) {
    const { object, key, after } = found;
    if (from !== null && isBefore(key, from.job)) continue;
    if (items.length >= limit)
      return {
        version,
        items,
        next: { version, after, job: key, pod: null },
        ...leftOut.page(),
        ...remainingFrom(found),
      };
    items.push(object);
  }
  return { version, items, next: null, ...leftOut.page() };
}

/**
 * For one watch: objects of a selection as their kind's feed reports them. A change is sent as the client sees the selection:
 * an object that begins to match is ADDED, one that no longer matches is DELETED. An object that was already shown after a
 * later change is not sent again for the changes before it.
 */
export function watchStored(selection: StoredSelection, objects: ObjectStore): WatchSource<KubeObject, ObjectChange> {
  const shown = new ShownObjects();
  const { kind, apiVersion } = selection;
  return {
    kind,
    apiVersion,
    concerns: ({ object: { key } }) => (selection.namespace ?? key.namespace) === key.namespace,
    async *present() {
      for await (const { object } of selected(selection, null, objects, new LeftOut(kind))) {
        shown.show(object.metadata.uid, Number(object.metadata.resourceVersion));
        yield object;
      }
    },
    async *changes(change): AsyncGenerator<WatchedChange<KubeObject>> {
      const { key, version } = change.object;
      const object = RENDERED.of(change, '', () => renderStored(change.object));
      const { uid } = object.metadata;
      if (shown.isTold(uid, version)) return;
      if ((selection.namespace ?? key.namespace) !== key.namespace) return;
      const was =
        change.type !== 'ADDED' && (shown.isShown(uid) ?? selection.matches(formerly(change, object, selection)));
      const is = change.type !== 'DELETED' && selection.matches(object);
      const type = shown.turn(uid, was, is, change.type === 'DELETED', version);
      if (type !== null) yield { type, object };
    },
  };
}

/** Objects as the watches of a change see them. */
const RENDERED = new Once<KubeObject>();

/** The object before the change, as far as it is known; a deleted object in its last state. */
function formerly({ type, labelsBefore }: ObjectChange, object: KubeObject, { before }: StoredSelection): KubeObject {
  if (type === 'DELETED') return object;
  const labelled =
    labelsBefore === undefined ? object : { ...object, metadata: { ...object.metadata, labels: labelsBefore } };
  return before?.(labelled) ?? labelled;
}

type Key = { readonly namespace: string; readonly name: string };
type Selected = {
  readonly object: KubeObject;
  readonly key: Key;
  /** The store's cursor of the page that it was on. */
  readonly after: string | null;
  /** How many objects follow, selected or not; omitted if they were not read. */
  readonly behind?: number;
};

async function* selected(
  { kind, namespace, matches }: StoredSelection,
  from: string | null,
  objects: ObjectStore,
  leftOut: LeftOut,
): AsyncGenerator<Selected> {
  const onNewer = (key: Key): void => leftOut.add(key);
  let after = from;
  do {
    const page = await objects.list(kind, { namespace, after, limit: OBJECTS_PER_READ, onNewer });
    for (const [i, stored] of page.objects.entries()) {
      const object = renderStored(stored);
      if (matches(object)) yield { object, key: stored.key, after, ...behind(page.objects, i, page.next) };
    }
    after = page.next;
  } while (after !== null);
}

const isBefore = (a: Key, b: Key): boolean =>
  a.namespace === b.namespace ? comesBefore(a.name, b.name) : a.namespace < b.namespace;
