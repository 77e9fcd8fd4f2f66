import type { ObjectStore, StoredKind, StoredObject } from '../ports/object-store.ts';

const OBJECTS_PER_READ = 200;

/**
 * Every object of a kind, read in pages.
 *
 * @param namespace null: of all namespaces
 */
export async function* everyObject(
  kind: StoredKind,
  namespace: string | null,
  objects: Pick<ObjectStore, 'list'>,
): AsyncGenerator<StoredObject> {
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<ObjectStore['list']>> = await objects.list(kind, {
      namespace,
      after,
      limit: OBJECTS_PER_READ,
    });
    yield* page.objects;
    after = page.next;
  } while (after !== null);
}

/** The same, all at once. */
export async function allObjects(...asked: Parameters<typeof everyObject>): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = [];
  for await (const object of everyObject(...asked)) found.push(object);
  return found;
}
