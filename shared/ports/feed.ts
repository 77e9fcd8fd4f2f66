import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid } from '../domain/base/ids.ts';
import type { PodChange } from '../domain/scoreboard/journal.ts';
import type { Labels } from '../domain/manifests/manifest.ts';
import type { StoredSpec } from './job-store.ts';
import type { ShownStatus } from '../domain/scoreboard/shown-status.ts';
import type { PartName, PublishedPods, PublishedPart } from '../domain/scoreboard/published-pods.ts';

/**
 * The change feed: one numeric order for Jobs and their Pods, without gaps. A row's number is the resourceVersion of every
 * change that it lists. Rows are appended after the commit that they report, exactly once each, and are kept for two hours.
 */
export type Feed = {
  /** What is published about a Job; null if nothing is yet. */
  readMark(uid: JobUid): Promise<FeedMark | null>;
  /**
   * Appends one row (at most 98 Jobs) as number `head + 1` and moves the mark of every Job in it, all or nothing. `outrun`:
   * a mark was not at `entry.after`, because another process has published this Job since; nothing was written.
   */
  append(
    entries: readonly Publication[],
    at: EpochMs,
  ): Promise<{ readonly kind: 'appended'; readonly number: number } | { readonly kind: 'outrun' }>;
  /** What was published about a Job's Pods beyond the contents of its mark; missing parts are absent from the map. */
  readPublished(uid: JobUid, parts: readonly PartName[]): Promise<ReadonlyMap<PartName, PublishedPart>>;
  /** Stores parts, each only if the stored one has less. Safe to repeat. */
  writePublished(uid: JobUid, parts: ReadonlyMap<PartName, PublishedPart>): Promise<void>;
  /** Number of the newest row; 0 if there is none. */
  head(): Promise<number>;
  /** Rows with numbers above `after`, ascending. `expired`: some of them are already gone (410). */
  read(
    after: number,
    limit: number,
  ): Promise<{ readonly kind: 'rows'; readonly rows: readonly FeedRow[] } | { readonly kind: 'expired' }>;
};

export type FeedMark = {
  /** STATUS version up to which the Job is published; {@link DELETED_VERSION} after its deletion is. */
  readonly version: number;
  /** The journal's `nextSeq` of that version. */
  readonly seq: number;
  /** Number of the row that published it: the Job's resourceVersion. */
  readonly number: number;
  readonly at: EpochMs;
  /** What was published about its Pods, with numbers; null: an earlier version wrote the mark, without them. */
  readonly published: PublishedPods | null;
  /** What was published of the Job's status; omitted by earlier versions of Muster. */
  readonly shown?: ShownStatus | undefined;
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
  /** Revision of the spec for this version; omitted by earlier versions of Muster. */
  readonly revision?: number | undefined;
  /** The spec before a user's latest change: what earlier rows have shown. */
  readonly specBefore?: StoredSpec | undefined;
  /** Pods that changed since, each once, in their state at this version, by index. */
  readonly pods: readonly PodChange[];
  /** From this row on, all of its Pods are being deleted. */
  readonly ends?: true | undefined;
  /** What it publishes of the Job's status, which its mark has then, too; omitted by earlier versions of Muster. */
  readonly shown?: ShownStatus | undefined;
  /** The Job's previous labels, if a user has changed them since. */
  readonly labelsBefore?: Labels | undefined;
};

/** What a row reports about a Job, and what the Job's mark then stores about its Pods, which is not in the row. */
export type Publication = FeedEntry & { readonly published?: PublishedPods | undefined };

/** How long a row of a feed can be read: as long as a watch may lag behind before it has to list again. */
export const FEED_RETENTION_MS = 2 * 60 * 60_000;

export type { PodChange } from '../domain/scoreboard/journal.ts';

export type FeedRow = { readonly number: number; readonly at: EpochMs; readonly entries: readonly FeedEntry[] };
