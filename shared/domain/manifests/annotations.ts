// Muster's own names in Kubernetes' objects. Each annotation is a row of `annotations/`; what follows from the rows is theirs.

export { ANNOTATIONS } from './annotations/rows.ts';
export { parseFlag, parseMoment, parsePendingTimeout } from './annotations/annotation-values.ts';
export { parseGang } from './annotations/gangs.ts';
export { parseBatch } from './annotations/lists.ts';
export { DEFAULT_DISRUPTIONS, DEFAULT_PENDING_TIMEOUT_SEC, parseDisruptions } from './annotations/losses.ts';
export { isTaskToken } from './annotations/task-tokens.ts';
export { parseRetryDelay } from './annotations/times.ts';

/** What Muster adds to Kubernetes' names, all under one prefix. */
export const OWN_PREFIX = 'muster.run/';

/** The condition of a Job that waits for other Jobs. */
export const HELD_CONDITION = `${OWN_PREFIX}held`;

/** On a Job that a message made: the CronJob or Job whose template it has. */
export const SUBMITTED_FROM_LABEL = `${OWN_PREFIX}submitted-from`;

/** On a Pod: its item's hash, to select it by. */
export const ITEM_HASH_LABEL = `${OWN_PREFIX}item-hash`;

/** In a pod template's nodeSelector: `spot` or `on-demand`. */
export const CAPACITY_SELECTOR = `${OWN_PREFIX}capacity`;
