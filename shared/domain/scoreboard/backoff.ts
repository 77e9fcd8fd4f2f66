import { type EpochMs, plusMs } from '../base/time.ts';
import type { IndexRecord } from './index-record.ts';
import type { Status } from './status.ts';
import { CLOCKS_APART_MAX_MS } from '../base/timing.ts';

/** `DefaultJobPodFailureBackOff` and `MaxJobPodFailureBackOff` of Kubernetes' Job controller. */
const BASE_MS = 10_000;
const MAX_MS = 600_000;
/** `MaxContainerBackOff` of the kubelet. */
const RESTART_MAX_MS = 300_000;

export type Backoff = Status['backoff'];

/**
 * The Job's back-off after a batch of ended attempts (KEP: Pod failure back-off, restartPolicy Never): failures add up until
 * something succeeds; after that, only failures later than the newest success count.
 */
export function foldBackoff(before: Backoff, failedAt: readonly EpochMs[], succeededAt: readonly EpochMs[]): Backoff {
  if (succeededAt.length === 0) {
    if (failedAt.length === 0) return before;
    return {
      failures: before.failures + failedAt.length,
      lastFailureAt: newest([...failedAt, ...(before.lastFailureAt === null ? [] : [before.lastFailureAt])]),
    };
  }
  const lastSuccessAt = Math.max(...succeededAt);
  const since = failedAt.filter((at) => at > lastSuccessAt);
  return { failures: since.length, lastFailureAt: newest(since) };
}

const newest = (times: readonly EpochMs[]): EpochMs | null =>
  times.reduce<EpochMs | null>((max, at) => (max === null || at > max ? at : max), null);

/** When the Job may start Pods again: 10 s after the first failure, doubled for each further one, 10 min at most. */
export function backoffEndsAt({ failures, lastFailureAt }: Backoff): EpochMs | null {
  if (failures === 0 || lastFailureAt === null) return null;
  return plusMs(lastFailureAt, doubledMs(failures));
}

/**
 * When an index that infrastructure took may start again: at once the first time, then after the same growing delays, so that
 * an image that cannot be pulled does not cause a tight loop.
 */
export function lossDelayEndsAt(lossesBefore: number, at: EpochMs): EpochMs | null {
  return lossesBefore === 0 ? null : plusMs(at, doubledMs(lossesBefore));
}

/** When an index with a limit of its own may start again after its `nth` failure, including ignored ones (KEP-3850). */
export const indexBackoffEndsAt = (nth: number, at: EpochMs): EpochMs => plusMs(at, doubledMs(nth));

/** When an index may start again in a Job that says how long it waits; null: at once. */
export const retryDelayEndsAt = (delaySec: number, at: EpochMs): EpochMs | null =>
  delaySec === 0 ? null : plusMs(at, delaySec * 1000);

/** When a Pod whose task did not start may have another, after its `nth` try. */
export const startDelayEndsAt = (nth: number, at: EpochMs): EpochMs => plusMs(at, doubledMs(nth));

/**
 * When a container may start again in its Pod: at once the first time, then after 10 s, doubled up to 5 min, like the kubelet.
 */
export function restartDelayEndsAt(restartsBefore: number, at: EpochMs): EpochMs | null {
  return restartsBefore === 0 ? null : plusMs(at, Math.min(doubledMs(restartsBefore), RESTART_MAX_MS));
}

/**
 * The wait of a record is over, as far as a clock at `now` can say: its end has come, or is further ahead than the longest wait
 * that the index's history allows. Such an end was written by a clock that has been wrong since.
 *
 * @param retryDelaySec the Job's constant delay, which may be longer than its history says; 0: it has none
 */
export function isDue(
  { notBefore, ...r }: Pick<IndexRecord, 'notBefore' | Befallen>,
  now: EpochMs,
  retryDelaySec = 0,
): boolean {
  if (notBefore === null || notBefore <= now) return true;
  const nth = Math.max(1, r.failures + r.ignored, r.infra + r.spot, r.restarts, r.nonce);
  const longestMs = Math.max(doubledMs(nth), retryDelaySec * 1000);
  return notBefore > plusMs(now, longestMs + CLOCKS_APART_MAX_MS);
}

type Befallen = 'failures' | 'ignored' | 'infra' | 'spot' | 'restarts' | 'nonce';

const doubledMs = (nth: number): number => Math.min(BASE_MS * 2 ** Math.min(nth - 1, 10), MAX_MS);
