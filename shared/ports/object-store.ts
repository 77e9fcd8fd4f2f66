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

/**
 * Objects by kind, each kind in one numeric order without gaps. An object, its row of the feed and the feed's head are
 * written together, so that nothing is seen before it was committed and nothing committed stays unseen. Reads are
 * strongly consistent.
 */
export type ObjectStore = {
  read(kind: StoredKind, key: ObjectKey): Promise<StoredObject | null>;
  /** In order of (namespace, name), at most `limit`, after `after`. `next`: pass it as `after`; null: that was all. */
  list(
    kind: StoredKind,
    page: { readonly namespace: string | null; readonly after: string | null; readonly limit: number },
  ): Promise<{ readonly objects: readonly StoredObject[]; readonly next: string | null }>;
  /**
   * Stores `document` under `key`, or removes what is there (null), if it is still at version `was` (0: there is none).
   * `lost`: it is not; nothing was written.
   */
  commit(
    kind: StoredKind,
    change: { readonly key: ObjectKey; readonly was: number; readonly document: StoredDocument | null },
  ): Promise<{ readonly kind: 'committed'; readonly version: number } | { readonly kind: 'lost' }>;
  /** Number of the kind's newest change, 0 for none. */
  head(kind: StoredKind): Promise<number>;
  /** Changes with numbers above `after`, ascending, kept for two hours. `expired`: some of them are gone already (410). */
  changes(
    kind: StoredKind,
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly ObjectChange[] } | { readonly kind: 'expired' }>;
};

/** One change. `object` is as it was written, for DELETED as it was last; its `version` is the change's number. */
export type ObjectChange = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
  /** Labels before the change, where they differ: who selects by labels sees it come or go. */
  readonly labelsBefore?: Readonly<Record<string, string>>;
};
