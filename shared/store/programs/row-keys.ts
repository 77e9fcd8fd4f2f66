import { chunkOf } from '../../domain/scoreboard/board.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { PartName } from '../../domain/scoreboard/published-pods.ts';
import type { ContentId } from '../../ports/item-store.ts';
import type { ObjectKey, StoredKind } from '../../ports/object-store.ts';
import type { WaiterKey } from '../../ports/waiters.ts';
import type { RowKey } from '../rows/row.ts';

// Keys of every kind of row (design section 4). Numbers in sort keys are padded so that they sort as numbers.

const key = (partition: string, sort: string): RowKey => ({ partition, sort });

const padded = (n: number, digits: number): string => String(n).padStart(digits, '0');

export const jobPartition = (uid: JobUid): string => `JOB#${uid}`;
export const specKey = (uid: JobUid): RowKey => key(jobPartition(uid), 'SPEC');
export const statusKey = (uid: JobUid): RowKey => key(jobPartition(uid), 'STATUS');
export const templateKey = (uid: JobUid): RowKey => key(jobPartition(uid), 'TEMPLATE');
export const markKey = (uid: JobUid): RowKey => key(jobPartition(uid), 'MARK');
export const announcedKey = (uid: JobUid): RowKey => key(jobPartition(uid), 'ANNOUNCED');

/** 1,000,000 indexes have 245 chunks. */
export const boardKey = (uid: JobUid, no: number): RowKey => key(jobPartition(uid), `BOARD#${padded(no, 3)}`);

/** What was published about Pods, apart from the mark. */
export const publishedKey = (uid: JobUid, part: PartName): RowKey =>
  key(jobPartition(uid), TOLD + (part === 'tail' ? part : padded(part, 3)));
export function partNameIn({ sort }: RowKey): PartName {
  const part = sort.slice(TOLD.length);
  return part === 'tail' ? part : Number(part);
}
const TOLD = 'TOLD#';

/** 1,000,000 indexes have 100,000 launch rows. */
export const launchSort = (row: number): string => `LAUNCH#${padded(row, 6)}`;
export const launchKey = (uid: JobUid, row: number): RowKey => key(jobPartition(uid), launchSort(row));

/** Names of the indexes of one launch row. */
export const hostsKey = (uid: JobUid, row: number): RowKey => key(jobPartition(uid), `HOSTS#${padded(row, 6)}`);
/** All of them that a Job may have. */
export const HOSTS_RANGE = ['HOSTS#', 'HOSTS#~'] as const;

/**
 * Neighboring indexes often end together, and one partition takes 1,000 write units per second (aws.md 2.1): their records are
 * in several, so that passes, two at a time, are a burst's only limit.
 */
const ATTEMPT_SHARDS = 4;
const attemptPartition = (uid: JobUid, index: number): string =>
  `TASK#${uid}#${padded(chunkOf(index), 3)}#${index % ATTEMPT_SHARDS}`;
/** The partitions with the records of indexes `from`..`to` of one chunk. */
export const attemptPartitions = (uid: JobUid, from: number, to: number): readonly string[] =>
  Array.from({ length: Math.min(ATTEMPT_SHARDS, to - from + 1) }, (_, nth) => attemptPartition(uid, from + nth));
/** Indexes go up to 999,999. */
export const attemptSort = (index: number, attempt: number | 'all'): string =>
  `${padded(index, 6)}#${attempt === 'all' ? '~' : padded(attempt, 6)}`;
export const attemptKey = (uid: JobUid, index: number, attempt: number): RowKey =>
  key(attemptPartition(uid, index), attemptSort(index, attempt));

export const namePartition = (namespace: string): string => `NS#${namespace}`;
export const NAME_PREFIX = 'NAME#Job#';
export const nameKey = (namespace: string, name: string): RowKey =>
  key(namePartition(namespace), `${NAME_PREFIX}${name}`);

export const objectPartition = (kind: StoredKind): string => `OBJECT#${kind}`;
/** '!' sorts before every character of a name ('/' does not), so objects are in order of (namespace, name). */
export const objectSort = ({ namespace, name }: ObjectKey): string => `${namespace}!${name}`;
export const objectKey = (kind: StoredKind, at: ObjectKey): RowKey => key(objectPartition(kind), objectSort(at));
export const namespaceKey = (name: string): RowKey => objectKey('Namespace', { namespace: '', name });

export const objectFeedPartition = (kind: StoredKind): string => `FEED#${kind}`;
export const objectFeedKey = (kind: StoredKind, n: number): RowKey => key(objectFeedPartition(kind), feedSort(n));
export const objectHeadKey = (kind: StoredKind): RowKey => key(objectFeedPartition(kind), FEED_HEAD_SORT);

export const FEED_PARTITION = 'FEED#Job';
/** 15 digits hold every number that is exact in JavaScript. */
export const feedSort = (n: number): string => padded(n, 15);
export const feedKey = (n: number): RowKey => key(FEED_PARTITION, feedSort(n));
/** Sorts after every number. */
export const FEED_HEAD_SORT = 'HEAD';
export const feedHeadKey = (): RowKey => key(FEED_PARTITION, FEED_HEAD_SORT);

export const limitKey = (name: string): RowKey => key(`LIMIT#${name}`, 'LIMIT');

/** Dead letters, in the order in which they were sent. */
export const LETTER_PARTITION = 'DEAD';
export const deadLetterKey = ({
  sentAt,
  queue,
  id,
}: {
  readonly sentAt: number;
  readonly queue: string;
  readonly id: string;
}): RowKey => key(LETTER_PARTITION, `${padded(sentAt, 15)}#${queue}#${id}`);

/** Contents of lists that have a name, to find those that nobody needs. */
export const CONTENT_PARTITION = 'CONTENTS';
export const contentListKey = (content: ContentId): RowKey => key(CONTENT_PARTITION, content);
export const contentPartition = (content: ContentId): string => `ITEMS#${content}`;
export const contentHeadKey = (content: ContentId): RowKey => key(contentPartition(content), 'HEAD');
/** 1,000,000 items have a million parts at most. */
export const itemPartKey = (content: ContentId, no: number): RowKey =>
  key(contentPartition(content), `PART#${padded(no, 7)}`);
export const PARTS_RANGE = ['PART#', 'PART#~'] as const;
export const itemRunSort = (first: number): string => `RUN#${padded(first, 7)}`;
export const itemRunKey = (content: ContentId, first: number): RowKey =>
  key(contentPartition(content), itemRunSort(first));
export const itemUseKey = (content: ContentId, job: JobUid): RowKey => key(contentPartition(content), `USED#${job}`);
export const USES_RANGE = ['USED#', 'USED#~'] as const;

/** Jobs that wait for others, by the name that they wait for. */
export const waiterPartition = (namespace: string): string => `AFTER#${namespace}`;
export const waiterSort = (upstream: string, uid: string): string => `${upstream}!${uid}`;
export const waiterKey = ({ namespace, upstream, uid }: WaiterKey): RowKey =>
  key(waiterPartition(namespace), waiterSort(upstream, uid));

const CRONS = 'CRON#';
export const cronKey = (uid: string): RowKey => key(CRONS + uid, 'STATE');
export const cronUidIn = ({ partition }: RowKey): string => partition.slice(CRONS.length);
/** In the index of alarms, after the shards of Jobs. */
export const CRON_SHARD = 4;
