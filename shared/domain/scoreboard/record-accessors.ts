import type { Extras, IndexRecord, IndexState } from './index-record.ts';

// Written by record-accessors.test.ts, from the table in index-record.ts. All objects of a function have one shape.

export const extrasOf = (e: Extras): Extras => ({
  nonce: e.nonce,
  stopping: e.stopping,
  failures: e.failures,
  ignored: e.ignored,
  infra: e.infra,
  spot: e.spot,
  notBefore: e.notBefore,
  podDeleted: e.podDeleted,
  restarts: e.restarts,
  unstartedSince: e.unstartedSince,
  evicted: e.evicted,
  podCreatedSec: e.podCreatedSec,
  earlierRestarts: e.earlierRestarts,
  overdue: e.overdue,
  held: e.held,
  ranSec: e.ranSec,
  launchedSec: e.launchedSec,
  late: e.late,
  wish: e.wish,
});

export const recordOf = (state: IndexState, attempt: number, e: Extras): IndexRecord => ({
  state,
  attempt,
  nonce: e.nonce,
  stopping: e.stopping,
  failures: e.failures,
  ignored: e.ignored,
  infra: e.infra,
  spot: e.spot,
  notBefore: e.notBefore,
  podDeleted: e.podDeleted,
  restarts: e.restarts,
  unstartedSince: e.unstartedSince,
  evicted: e.evicted,
  podCreatedSec: e.podCreatedSec,
  earlierRestarts: e.earlierRestarts,
  overdue: e.overdue,
  held: e.held,
  ranSec: e.ranSec,
  launchedSec: e.launchedSec,
  late: e.late,
  wish: e.wish,
});

/** Which extras are not as most records have them, a bit each. */
export const extraBitsOf = (e: Extras): number =>
  (e.nonce === 0 ? 0 : 1) |
  (e.stopping ? 2 : 0) |
  (e.failures === 0 ? 0 : 4) |
  (e.ignored === 0 ? 0 : 8) |
  (e.infra === 0 ? 0 : 16) |
  (e.spot === 0 ? 0 : 32) |
  (e.notBefore === null ? 0 : 64) |
  (e.podDeleted ? 128 : 0) |
  (e.restarts === 0 ? 0 : 256) |
  (e.unstartedSince === null ? 0 : 512) |
  (e.evicted ? 1024 : 0) |
  (e.podCreatedSec === null ? 0 : 2048) |
  (e.earlierRestarts === 0 ? 0 : 4096) |
  (e.overdue ? 8192 : 0) |
  (e.held ? 16384 : 0) |
  (e.ranSec === null ? 0 : 32768) |
  (e.launchedSec === null ? 0 : 65536) |
  (e.late === 'attempt' ? 131072 : 0) |
  (e.late === 'index' ? 262144 : 0) |
  (e.wish === 'cancel' ? 524288 : 0) |
  (e.wish === 'requeue' ? 1048576 : 0);
