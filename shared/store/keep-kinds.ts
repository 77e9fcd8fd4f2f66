import type { EpochMs } from '../domain/base/time.ts';
import type { Clock } from '../ports/clock.ts';
import type { FeedNotifications } from '../ports/feed-notifications.ts';
import type { ObjectStore, StoredKind, StoredObject } from '../ports/object-store.ts';
import { allObjects } from './every-object.ts';

/** How old something may be that this process did not change itself. */
const AGE_MS = 2000;

export type KeptPorts = {
  readonly objects: Pick<ObjectStore, 'head' | 'list'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly notifications?: FeedNotifications | undefined;
};

/** All objects of a kind, as they were when its feed stood at `head`, or a little later. */
type Loaded = { readonly head: number; readonly objects: readonly StoredObject[] };
type ByKind<K> = ReadonlyMap<K, Loaded>;

type Known<K, T> = { readonly value: T; readonly loaded: ByKind<K>; readonly lookedAt: EpochMs };

/** The objects of some kinds. */
export type ObjectsOf<K> = (...kinds: readonly K[]) => readonly StoredObject[];

/**
 * Reads all objects of some kinds, and keeps what is made of them. At most every 2 seconds (`ageMs`) a call looks at the heads of
 * the kinds' feeds, and reads a kind again only if its head has moved; a change that this process has made itself is seen by the
 * next call. Calls at the same time share one look, unless such a change has come since it began.
 *
 * A look is a read of a row of DynamoDB for each kind, one read unit each, however many requests there are.
 *
 * A look that fails is an error for all who wait for it: a caller that decides by it must refuse, never take what is empty.
 *
 * @param make what callers get, made anew only when something has changed
 */
export function keepKinds<K extends StoredKind, T>(
  kinds: readonly K[],
  make: (objects: ObjectsOf<K>) => T,
  { objects, clock, notifications }: KeptPorts,
  ageMs: number = AGE_MS,
): () => Promise<T> {
  let known: Known<K, T> | null = null;
  let looking: { readonly changes: number; readonly value: Promise<T> } | null = null;
  let changes = 0;
  let seenChanges = 0;
  for (const kind of kinds) notifications?.subscribe(kind, () => changes++);

  const look = async (): Promise<T> => {
    const [lookedAt, seen] = [clock.now(), changes];
    const loaded = await loadAll(kinds, objects, known?.loaded ?? new Map<K, Loaded>());
    const isSame = known !== null && kinds.every((kind) => loaded.get(kind) === known?.loaded.get(kind));
    const value =
      known !== null && isSame
        ? known.value
        : make((...some) => some.flatMap((kind) => loaded.get(kind)?.objects ?? []));
    known = { value, loaded, lookedAt };
    seenChanges = seen;
    return value;
  };

  return async () => {
    const isFresh = known !== null && changes === seenChanges && clock.now() < known.lookedAt + ageMs;
    if (known !== null && isFresh) return known.value;
    if (looking === null || looking.changes !== changes) {
      const own = { changes, value: look() };
      looking = own;
      void own.value
        .catch(() => undefined)
        .finally(() => {
          if (looking === own) looking = null;
        });
    }
    return looking.value;
  };
}

async function loadAll<K extends StoredKind>(
  kinds: readonly K[],
  objects: KeptPorts['objects'],
  before: ByKind<K>,
): Promise<ByKind<K>> {
  const entries = await Promise.all(
    kinds.map(async (kind) => {
      // The head first: a later change may be among the objects already, but none is missed.
      const head = await objects.head(kind);
      const known = before.get(kind);
      return [kind, known?.head === head ? known : { head, objects: await allObjects(kind, null, objects) }] as const;
    }),
  );
  return new Map(entries);
}
