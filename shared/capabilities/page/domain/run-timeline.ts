import type { EpochMs } from '../../../domain/base/time.ts';
import type { RunEnd } from './durations.ts';

/** What is known of an attempt that is over. null: it never ran. */
export type PastRun = { readonly startedAt: EpochMs | null; readonly endedAt: EpochMs | null; readonly end: RunEnd };

export type TimeRange = { readonly from: number; readonly to: number; readonly buckets: number };

export type TimeBucket = {
  readonly from: number;
  readonly to: number;
  readonly started: number;
  readonly ended: number;
  readonly failed: number;
  /** That ran at some time in it. */
  readonly ran: number;
};

/** What happened when, in equal steps. What lies outside is left out. */
export function timelineOf(runs: readonly PastRun[], { from, to, buckets: count }: TimeRange): readonly TimeBucket[] {
  const step = (to - from) / count;
  const edge = (nth: number): number => Math.round(from + nth * step);
  const buckets = Array.from({ length: count }, (_, nth) => ({
    from: edge(nth),
    to: edge(nth + 1),
    started: 0,
    ended: 0,
    failed: 0,
    ran: 0,
  }));
  const placeOf = (at: number): number => (at === to ? count - 1 : Math.floor((at - from) / step));
  for (const { startedAt, endedAt, end } of runs) {
    const started = startedAt === null ? undefined : buckets[placeOf(startedAt)];
    if (started !== undefined) started.started++;
    const ended = endedAt === null ? undefined : buckets[placeOf(endedAt)];
    if (ended !== undefined) ended.ended++;
    if (ended !== undefined && end === 'failed') ended.failed++;
    if (startedAt === null || endedAt === null || endedAt < from || startedAt > to) continue;
    const last = Math.min(placeOf(endedAt), count - 1);
    for (let nth = Math.max(placeOf(startedAt), 0); nth <= last; nth++) {
      const bucket = buckets[nth];
      if (bucket !== undefined) bucket.ran++;
    }
  }
  return buckets;
}
