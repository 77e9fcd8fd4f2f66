import { type KubeObject, keyOf } from './objects.ts';

/** One line of a watch. */
export type WatchEvent<T extends KubeObject> = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
};

/** Objects of one kind, by namespace and name, and up to which version they are known. */
export type Known<T extends KubeObject> = {
  readonly objects: ReadonlyMap<string, T>;
  readonly version: string;
  /** The watch cannot go on from here: list again. */
  readonly isExpired: boolean;
};

/** What a list says. */
export const knownOf = <T extends KubeObject>(items: readonly T[], version: string): Known<T> => ({
  objects: new Map(items.map((item) => [keyOf(item), item])),
  version,
  isExpired: false,
});

/** What is known after some lines of a watch. */
export function foldEvents<T extends KubeObject>(known: Known<T>, events: readonly WatchEvent<T>[]): Known<T> {
  if (events.length === 0) return known;
  const objects = new Map(known.objects);
  let { version } = known;
  for (const { type, object } of events) {
    if (type === 'ERROR') return { objects, version, isExpired: true };
    version = object.metadata.resourceVersion ?? version;
    if (type === 'ADDED' || type === 'MODIFIED') objects.set(keyOf(object), object);
    if (type === 'DELETED') objects.delete(keyOf(object));
  }
  return { objects, version, isExpired: false };
}
