import type { ObjectChange, ObjectStore, StoredKind, StoredObject } from '../ports/object-store.ts';
import type { KubeObject } from './kube-object.ts';
import { Once } from './once.ts';
import { type Page, type PageRequest, behind, remainingFrom } from './list-page.ts';
import type { Change, WatchSource } from './watched.ts';

/** Which objects of a stored kind a request is about. */
export type Selection = {
  readonly kind: StoredKind;
  readonly apiVersion: string;
  /** null: of all namespaces. */
  readonly namespace: string | null;
  /** By labels and fields. */
  readonly matches: (object: KubeObject) => boolean;
  /**
   * What an object was before a change, as far as {@link matches} looks at it; its labels then are given. Where nobody
   * knows, a client may be told of an object twice, or that one has gone which it never had: clients take both.
   */
  readonly before?: (object: KubeObject) => KubeObject;
};

/** Objects are read from the store so many at a time. */
const OBJECTS_PER_READ = 200;

/** A stored object as it is shown. */
export function renderStored({ document, version }: StoredObject): KubeObject {
  const metadata = { ...document.metadata, resourceVersion: String(version) };
  return { ...document, metadata } as unknown as KubeObject; // what is stored was admitted as such an object
}

/** One page of a selection: objects in order of (namespace, name). */
export async function listStored(
  selection: Selection,
  { limit, from }: PageRequest,
  objects: ObjectStore,
): Promise<Page<KubeObject>> {
  // The head first: what comes after it may be in the list already, but nothing is in neither.
  const version = from?.version ?? (await objects.head(selection.kind));
  const items: KubeObject[] = [];
  for await (const found of selected(selection, from?.after ?? null, objects)) {
    const { object, key, after } = found;
    if (from !== null && isBefore(key, from.job)) continue;
    if (items.length >= limit)
      return { version, items, next: { version, after, job: key, pod: null }, ...remainingFrom(found) };
    items.push(object);
  }
  return { version, items, next: null };
}

/**
 * For one watch: objects of a selection as their kind's feed tells of them. A change is told as the client sees the
 * selection: what begins to match is ADDED, what does so no more is DELETED. What was shown with a later change already
 * is not told again for the changes before it.
 */
export function watchStored(selection: Selection, objects: ObjectStore): WatchSource<KubeObject, ObjectChange> {
  const told = new Map<string, { readonly version: number; readonly shown: boolean }>();
  const { kind, apiVersion } = selection;
  return {
    kind,
    apiVersion,
    concerns: ({ object: { key } }) => (selection.namespace ?? key.namespace) === key.namespace,
    async *present() {
      for await (const { object } of selected(selection, null, objects)) {
        told.set(object.metadata.uid, { version: Number(object.metadata.resourceVersion), shown: true });
        yield object;
      }
    },
    async *changes(change): AsyncGenerator<Change<KubeObject>> {
      const { key, version } = change.object;
      const object = RENDERED.of(change, '', () => renderStored(change.object));
      const { uid } = object.metadata;
      const last = told.get(uid);
      if (last !== undefined && version <= last.version) return;
      if ((selection.namespace ?? key.namespace) !== key.namespace) return;
      const was = change.type !== 'ADDED' && (last?.shown ?? selection.matches(formerly(change, object, selection)));
      const is = change.type !== 'DELETED' && selection.matches(object);
      if (change.type === 'DELETED') told.delete(uid);
      else told.set(uid, { version, shown: is });
      if (was || is) yield { type: is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED', object };
    },
  };
}

/** Objects as the watchers of a change are told of them. */
const RENDERED = new Once<KubeObject>();

/** The object before the change, as far as it is known; one that is gone, as it was last. */
function formerly({ type, labelsBefore }: ObjectChange, object: KubeObject, { before }: Selection): KubeObject {
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
  /** How many objects come after it, selected or not; left out where they have not been read. */
  readonly behind?: number;
};

async function* selected(
  { kind, namespace, matches }: Selection,
  from: string | null,
  objects: ObjectStore,
): AsyncGenerator<Selected> {
  let after = from;
  do {
    const page = await objects.list(kind, { namespace, after, limit: OBJECTS_PER_READ });
    for (const [i, stored] of page.objects.entries()) {
      const object = renderStored(stored);
      if (matches(object)) yield { object, key: stored.key, after, ...behind(page.objects, i, page.next) };
    }
    after = page.next;
  } while (after !== null);
}

const isBefore = (a: Key, b: Key): boolean =>
  a.namespace === b.namespace ? a.name < b.name : a.namespace < b.namespace;
