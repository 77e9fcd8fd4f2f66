import type { JobUid } from '../../domain/base/ids.ts';
import type { PartName } from '../../domain/scoreboard/published-pods.ts';
import type { StoredDeadLetter } from '../../ports/dead-letters.ts';
import type { ContentId } from '../../ports/item-store.ts';
import type { ObjectKey, StoredKind } from '../../ports/object-store.ts';

// Keys of every kind of row. Numbers are padded, so that keys sort as their numbers do; '~' sorts after all of them.

const padded = (n: number, digits: number): string => String(n).padStart(digits, '0');

/** LMDB takes keys of at most 1,978 bytes. Names are shorter, but a request may ask for anything. */
export const isShortEnough = (key: string): boolean => Buffer.byteLength(key) <= 1024;

/** Everything between a prefix and its end. */
export const rangeOf = (prefix: string): readonly [from: string, to: string] => [prefix, `${prefix}~`];

export const JOBS = 'JOB#';
export const jobOf = (uid: JobUid): string => `${JOBS}${uid}#`;
export const specKey = (uid: JobUid): string => `${jobOf(uid)}SPEC`;
export const statusKey = (uid: JobUid): string => `${jobOf(uid)}STATUS`;
export const templateKey = (uid: JobUid): string => `${jobOf(uid)}TEMPLATE`;
export const markKey = (uid: JobUid): string => `${jobOf(uid)}MARK`;
export const announcedKey = (uid: JobUid): string => `${jobOf(uid)}ANNOUNCED`;
export const boardKey = (uid: JobUid, no: number): string => `${jobOf(uid)}BOARD#${padded(no, 3)}`;
export const publishedKey = (uid: JobUid, part: PartName): string =>
  `${jobOf(uid)}PUBLISHED#${part === 'tail' ? part : padded(part, 3)}`;

/** Indexes go up to 999,999, in launch rows and host rows of ten. */
export const launchesOf = (uid: JobUid): string => `LAUNCH#${uid}#`;
export const launchKey = (uid: JobUid, row: number): string => launchesOf(uid) + padded(row, 6);
export const hostsKey = (uid: JobUid, row: number): string => `HOSTS#${uid}#${padded(row, 6)}`;
export const hostsOf = (uid: JobUid): string => `HOSTS#${uid}#`;
export const RESERVED_KEY = 'RESERVED';

export const attemptsOf = (uid: JobUid): string => `ATTEMPT#${uid}#`;
export const attemptKey = (uid: JobUid, index: number, attempt: number): string =>
  `${attemptsOf(uid)}${padded(index, 6)}#${padded(attempt, 6)}`;
export const attemptRange = (uid: JobUid, from: number, to: number): readonly [from: string, to: string] => [
  attemptsOf(uid) + padded(from, 6),
  `${attemptsOf(uid)}${padded(to, 6)}#~`,
];

/** '!' sorts before every character of a name, so names lie in order of (namespace, name). */
export const sortOf = ({ namespace, name }: ObjectKey): string => `${namespace}!${name}`;
export const keyIn = (sort: string): ObjectKey => {
  const mark = sort.indexOf('!');
  return { namespace: sort.slice(0, mark), name: sort.slice(mark + 1) };
};

export const NAMES = 'NAME#';
export const nameKey = (at: ObjectKey): string => NAMES + sortOf(at);
export const objectsOf = (kind: StoredKind): string => `OBJECT#${kind}#`;
export const objectKey = (kind: StoredKind, at: ObjectKey): string => objectsOf(kind) + sortOf(at);

/** 15 digits hold every number that is exact in JavaScript. */
export const feedKey = (feed: StoredKind | 'Job', n: number): string => `FEED#${feed}#${padded(n, 15)}`;
export const numberInFeedKey = (key: string): number => Number(key.slice(key.lastIndexOf('#') + 1));
export const headKey = (feed: StoredKind | 'Job'): string => `HEAD#${feed}`;

export const ALARMS = 'ALARM#';
export const alarmSort = (minute: number, uid: JobUid): string => `${padded(minute, 12)}#${uid}`;

export const limitKey = (name: string): string => `LIMIT#${name}`;

export const DEAD_LETTERS = 'DEAD#';
export const deadLetterKey = ({ sentAt, queue, id }: StoredDeadLetter): string =>
  `${DEAD_LETTERS}${padded(sentAt, 15)}#${queue}#${id}`;

export const CONTENTS = 'CONTENT#';
export const contentKey = (content: ContentId): string => CONTENTS + content;
export const itemsOf = (content: ContentId): string => `ITEMS#${content}#`;
export const partsOf = (content: ContentId): string => `${itemsOf(content)}PART#`;
export const partKey = (content: ContentId, no: number): string => partsOf(content) + padded(no, 7);
export const itemRunsOf = (content: ContentId): string => `${itemsOf(content)}RUN#`;
export const itemRunKey = (content: ContentId, first: number): string => itemRunsOf(content) + padded(first, 7);
export const usedOf = (content: ContentId): string => `${itemsOf(content)}USED#`;
export const usedKey = (content: ContentId, job: JobUid): string => usedOf(content) + job;

/** Jobs that wait for the one of this name. */
export const waitersOf = (upstream: ObjectKey): string => `AFTER#${sortOf(upstream)}!`;
export const waiterKey = (upstream: ObjectKey, uid: JobUid): string => waitersOf(upstream) + uid;

export const cronKey = (uid: string): string => `CRON#${uid}`;
export const CRON_ALARMS = 'CRONALARM#';
export const cronAlarmKey = (at: number, uid: string): string => `${CRON_ALARMS}${padded(at, 15)}#${uid}`;
