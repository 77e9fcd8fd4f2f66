import type { EpochMs, JobUid } from '../domain/brand.ts';
import type { PodChange } from '../domain/journal.ts';
import type { Labels } from '../domain/manifest.ts';
import type { StoredSpec } from './job-store.ts';
import type { PartName, Told, ToldPart } from '../domain/told-pods.ts';

/**
 * The change feed: one numeric order for Jobs and their Pods, without gaps. A row's number is the resourceVersion of
 * every change that it lists. Rows are appended after the commit that they tell of, exactly once each, and are kept for
 * two hours.
 */
export type Feed = {
  /** What is published of a Job; null: nothing yet. */
  readMark(uid: JobUid): Promise<FeedMark | null>;
  /**
   * Appends one row (at most 98 Jobs) as number `head + 1` and moves the mark of every Job in it, all or nothing. `outrun`: a mark was not
   * at `entry.after`, so somebody else has published this Job meanwhile; nothing was written.
   */
  append(
    entries: readonly Publication[],
    at: EpochMs,
  ): Promise<{ readonly kind: 'appended'; readonly number: number } | { readonly kind: 'outrun' }>;
  /** What was told of a Job's Pods beyond what its mark holds; parts that there are not are absent from the map. */
  readTold(uid: JobUid, parts: readonly PartName[]): Promise<ReadonlyMap<PartName, ToldPart>>;
  /** Stores parts, each if the one that is there holds less. Repeating it does no harm. */
  writeTold(uid: JobUid, parts: ReadonlyMap<PartName, ToldPart>): Promise<void>;
  /** Number of the newest row, 0 for none. */
  head(): Promise<number>;
  /** Rows with numbers above `after`, ascending. `expired`: some of them are gone already (410). */
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly FeedRow[] } | { readonly kind: 'expired' }>;
};

export type FeedMark = {
  /** STATUS version up to which the Job is published; {@link DELETED_VERSION} once its end is. */
  readonly version: number;
  /** The journal's `nextSeq` of that version. */
  readonly seq: number;
  /** Number of the row that did it: the Job's resourceVersion. */
  readonly number: number;
  readonly at: EpochMs;
  /** What was told of its Pods, numbers filled in; null: an earlier version has written the mark, which kept none. */
  readonly told: Told | null;
};

export type FeedEntry = {
  readonly uid: JobUid;
  readonly namespace: string;
  readonly name: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The mark's version that this entry follows; 0: the Job's first. */
  readonly after: number;
  readonly version: number;
  readonly seq: number;
  /** Revision of the spec that this version goes by; left out by earlier versions of Muster. */
  readonly revision?: number | undefined;
  /** The spec as it was before a user has changed it since: what rows before this one have shown. */
  readonly specBefore?: StoredSpec | undefined;
  /** Pods that changed since, each once, as they are in this version, by index. */
  readonly pods: readonly PodChange[];
  /** From this row on all of its Pods are being deleted. */
  readonly ends?: true | undefined;
  /** The Job's labels as they were, if a user has changed them since. */
  readonly labelsBefore?: Labels | undefined;
};

/** What a row tells of a Job, and what the Job's mark then holds of its Pods, which is no part of the row. */
export type Publication = FeedEntry & { readonly told?: Told | undefined };

export type { PodChange } from '../domain/journal.ts';

export type FeedRow = { readonly number: number; readonly at: EpochMs; readonly entries: readonly FeedEntry[] };
