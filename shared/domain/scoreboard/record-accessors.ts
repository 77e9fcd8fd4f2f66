import type { Reader } from '../base/bytes.ts';
import type { EpochMs } from '../base/time.ts';
import { EXTRAS, type Extras, type IndexRecord, type IndexState } from './index-record.ts';

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

/** Those whose bits `has` holds follow; times count from `from`. */
export const readExtras = (r: Reader, has: number, from: EpochMs): Extras => ({
  nonce: (has & 1) === 0 ? 0 : EXTRAS.nonce.read(r, from),
  stopping: (has & 2) !== 0,
  failures: (has & 4) === 0 ? 0 : EXTRAS.failures.read(r, from),
  ignored: (has & 8) === 0 ? 0 : EXTRAS.ignored.read(r, from),
  infra: (has & 16) === 0 ? 0 : EXTRAS.infra.read(r, from),
  spot: (has & 32) === 0 ? 0 : EXTRAS.spot.read(r, from),
  notBefore: (has & 64) === 0 ? null : EXTRAS.notBefore.read(r, from),
  podDeleted: (has & 128) !== 0,
  restarts: (has & 256) === 0 ? 0 : EXTRAS.restarts.read(r, from),
  unstartedSince: (has & 512) === 0 ? null : EXTRAS.unstartedSince.read(r, from),
  evicted: (has & 1024) !== 0,
  podCreatedSec: (has & 2048) === 0 ? null : EXTRAS.podCreatedSec.read(r, from),
  earlierRestarts: (has & 4096) === 0 ? 0 : EXTRAS.earlierRestarts.read(r, from),
  overdue: (has & 8192) !== 0,
  held: (has & 16384) !== 0,
  ranSec: (has & 32768) === 0 ? null : EXTRAS.ranSec.read(r, from),
  launchedSec: (has & 65536) === 0 ? null : EXTRAS.launchedSec.read(r, from),
  late: (has & 131072) !== 0 ? 'attempt' : (has & 262144) !== 0 ? 'index' : null,
  wish: (has & 524288) !== 0 ? 'cancel' : (has & 1048576) !== 0 ? 'requeue' : null,
});

/** Whether any extra is not as most records have it. */
export const hasExtras = (e: Extras): boolean =>
  e.nonce !== 0 ||
  e.stopping ||
  e.failures !== 0 ||
  e.ignored !== 0 ||
  e.infra !== 0 ||
  e.spot !== 0 ||
  e.notBefore !== null ||
  e.podDeleted ||
  e.restarts !== 0 ||
  e.unstartedSince !== null ||
  e.evicted ||
  e.podCreatedSec !== null ||
  e.earlierRestarts !== 0 ||
  e.overdue ||
  e.held ||
  e.ranSec !== null ||
  e.launchedSec !== null ||
  e.late !== null ||
  e.wish !== null;

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
