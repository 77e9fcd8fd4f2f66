import { UnreadableRow } from '../domain/base/unreadable-row.ts';
import { STORED, type StoredKind } from '../domain/kinds/api-kinds.ts';

export type { StoredKind };

/** Kinds that are stored as they are shown. Jobs are not: they have their own kind of rows. */
export const STORED_KINDS: readonly StoredKind[] = STORED.map(({ name }) => name);

/** Identifies an object. Where a kind's objects are in no namespace, as Namespaces and ClusterRoles, `namespace` is ''. */
export type ObjectKey = { readonly namespace: string; readonly name: string };

export type StoredObject = {
  readonly key: ObjectKey;
  /** Its resourceVersion: the number of its kind's feed at which it was written. */
  readonly version: number;
  /** JSON as it is shown, without `metadata.resourceVersion`. */
  readonly document: StoredDocument;
};

export type StoredDocument = {
  readonly metadata: { readonly uid: string } & Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

export type ObjectPage = {
  /** null: all namespaces. */
  readonly namespace: string | null;
  /** `next` of the previous page, or null for the first; for any other value the page is empty. */
  readonly after: string | null;
  readonly limit: number;
  /** Gets the keys of rows that only a later release can read, and the page leaves those out; omitted: one is an error. */
  readonly onNewer?: (key: ObjectKey) => void;
};

export type ObjectCommit =
  | { readonly kind: 'committed'; readonly version: number }
  /** It is not at version `was` (any more); nothing was written. */
  | { readonly kind: 'lost' }
  /** A new object's namespace does not exist or is being deleted; nothing was written. */
  | { readonly kind: 'noNamespace' }
  | { readonly kind: 'terminating' };

/** One change. `object` is as written, or for DELETED its last state; its `version` is the change's number. */
export type ObjectChange = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
  /** Labels before the change, if they differ: a watch with a label selector sees the object appear or disappear. */
  readonly labelsBefore?: Readonly<Record<string, string>>;
};

/**
 * Objects by kind, each kind in one numeric order without gaps. An object, its row of the feed, and the feed's head are
 * written together, so that nothing is visible before its commit, and every commit becomes visible. Reads are strongly
 * consistent. A call that throws may or may not have taken effect, and may be repeated: if it had, the answer is `lost`.
 */
export type ObjectStore = {
  read(kind: StoredKind, key: ObjectKey): Promise<StoredObject | null>;
  /** In order of (namespace, name), at most `limit`, after `after`. `next`: pass it as `after`; null: that was all. */
  list(
    kind: StoredKind,
    page: ObjectPage,
  ): Promise<{ readonly objects: readonly StoredObject[]; readonly next: string | null }>;
  /**
   * Stores `document` under `key`, or removes the existing object (null), if it is still at version `was` (0: it does not
   * exist). Stores a new object only if its namespace, if it is in one, exists and is Active at that moment: nothing enters a
   * namespace once it is Terminating. Throws {@link ObjectTooLarge} for a document too large for a row.
   */
  commit(
    kind: StoredKind,
    change: { readonly key: ObjectKey; readonly was: number; readonly document: StoredDocument | null },
  ): Promise<ObjectCommit>;
  /** Number of the kind's newest change; 0 if there is none. */
  head(kind: StoredKind): Promise<number>;
  /** Changes with numbers above `after`, ascending, kept for two hours. `expired`: some of them are already gone (410). */
  changes(
    kind: StoredKind,
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly ObjectChange[] } | { readonly kind: 'expired' }>;
};

/** Where the stored document of a confidential kind has all that it holds, sealed. Only its uid is beside it. */
export const SEALED_FIELD = 'sealed';

/** The limit on an object's stored, compressed body: a row of DynamoDB holds 400 KB. */
export const OBJECT_BYTES_MAX = 350 * 1024;

/** An object whose row can be read, but not what it holds. It can be deleted all the same. */
export class UnreadableObject extends UnreadableRow {
  readonly stored: StoredObject;

  constructor(stored: StoredObject, ...row: ConstructorParameters<typeof UnreadableRow>) {
    super(...row);
    this.stored = stored;
  }
}

/** An object's body, or that of its row of the feed, exceeds {@link OBJECT_BYTES_MAX}; nothing was written. */
export class ObjectTooLarge extends Error {
  override readonly name = 'ObjectTooLarge';
  /** How many it would take, compressed. */
  readonly bytes: number;
  readonly bytesMax = OBJECT_BYTES_MAX;

  constructor(bytes: number) {
    super(`an object of ${bytes} bytes does not fit into a row (${OBJECT_BYTES_MAX})`);
    this.bytes = bytes;
  }
}
