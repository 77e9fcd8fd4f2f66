/** Kinds that are stored as they are shown. Jobs are not: their rows are of a kind of their own. */
export type StoredKind = 'CronJob' | 'Namespace';

/** Which object. A Namespace's own `namespace` is ''. */
export type ObjectKey = { readonly namespace: string; readonly name: string };

export type StoredObject = {
  readonly key: ObjectKey;
  /** Its resourceVersion: the number of its kind's feed at which it was written. */
  readonly version: number;
  /** JSON, as it is shown but for `metadata.resourceVersion`. */
  readonly document: StoredDocument;
};

export type StoredDocument = {
  readonly metadata: { readonly uid: string } & Readonly<Record<string, unknown>>;
} & Readonly<Record<string, unknown>>;

export type ObjectPage = {
  /** null: of all namespaces. */
  readonly namespace: string | null;
  /** `next` of the page before, or null for the first; after anything else the page is empty. */
  readonly after: string | null;
  readonly limit: number;
};

export type ObjectCommit =
  | { readonly kind: 'committed'; readonly version: number }
  /** It is not at version `was` (any more); nothing was written. */
  | { readonly kind: 'lost' }
  /** A new object's namespace is not there, or is being deleted; nothing was written. */
  | { readonly kind: 'noNamespace' }
  | { readonly kind: 'terminating' };

/** One change. `object` is as it was written, for DELETED as it was last; its `version` is the change's number. */
export type ObjectChange = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
  /** Labels before the change, where they differ: who selects by labels sees it come or go. */
  readonly labelsBefore?: Readonly<Record<string, string>>;
};

/**
 * Objects by kind, each kind in one numeric order without gaps. An object, its row of the feed and the feed's head are
 * written together, so that nothing is seen before it was committed and nothing committed stays unseen. Reads are
 * strongly consistent. A call that throws may or may not have been carried out, and may be repeated: then it is `lost`
 * if it was.
 */
export type ObjectStore = {
  read(kind: StoredKind, key: ObjectKey): Promise<StoredObject | null>;
  /** In order of (namespace, name), at most `limit`, after `after`. `next`: pass it as `after`; null: that was all. */
  list(
    kind: StoredKind,
    page: ObjectPage,
  ): Promise<{ readonly objects: readonly StoredObject[]; readonly next: string | null }>;
  /**
   * Stores `document` under `key`, or removes what is there (null), if it is still at version `was` (0: there is none).
   * A new object in a namespace is stored only if that namespace is there and Active at that very moment: nothing comes
   * into a namespace once it is Terminating. Throws for a document too large for a row ({@link OBJECT_BYTES_MAX}).
   */
  commit(
    kind: StoredKind,
    change: { readonly key: ObjectKey; readonly was: number; readonly document: StoredDocument | null },
  ): Promise<ObjectCommit>;
  /** Number of the kind's newest change, 0 for none. */
  head(kind: StoredKind): Promise<number>;
  /** Changes with numbers above `after`, ascending, kept for two hours. `expired`: some of them are gone already (410). */
  changes(
    kind: StoredKind,
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly ObjectChange[] } | { readonly kind: 'expired' }>;
};

/** What an object's body may have as it is stored, packed: a row of DynamoDB holds 400 KB. */
export const OBJECT_BYTES_MAX = 350 * 1024;
