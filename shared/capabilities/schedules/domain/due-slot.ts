import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import type { NextSlot } from '../../../domain/schedulers/next-slot.ts';

export type DueSlot =
  /** The schedule never fires. */
  | { readonly kind: 'never' }
  | { readonly kind: 'none'; readonly next: EpochMs }
  | {
      readonly kind: 'due';
      /** The earliest one. */
      readonly first: EpochMs;
      /** The most recent one. */
      readonly slot: EpochMs;
      /** About how many there were since; 0: only this one. */
      readonly missed: number;
      readonly next: EpochMs | null;
    };

/**
 * The slot that is due (kubernetes-job.md 8.4): the most recent one that is later than `earliest` and not later than `now`.
 *
 * Kubernetes finds it by the length of the first interval, and may miss it if intervals differ; this does not.
 */
export function dueSlot(next: NextSlot, earliest: EpochMs, now: EpochMs): DueSlot {
  const first = next(earliest);
  if (first === null) return { kind: 'never' };
  if (now < first) return { kind: 'none', next: first };
  const second = next(first);
  if (second === null || now < second) return { kind: 'due', first, slot: first, missed: 0, next: second };
  const intervalMs = second - first;
  const missed = Math.floor((now - first) / intervalMs) + 1;
  const slot = latestSlot(next, first, intervalMs, now);
  return { kind: 'due', first, slot, missed, next: next(slot) };
}

/**
 * The last slot up to `now`. Looks back further and further, so that few slots are walked through; in whole intervals from the
 * first, because the slots of `@every` depend on where one begins.
 */
function latestSlot(next: NextSlot, first: EpochMs, intervalMs: number, now: EpochMs): EpochMs {
  const intervals = Math.floor((now - first) / intervalMs);
  for (let back = 2; back < intervals; back *= 4) {
    const found = lastOf(next, next(asEpochMs(first + (intervals - back) * intervalMs)), now);
    if (found !== null) return found;
  }
  return lastOf(next, first, now) ?? first;
}

function lastOf(next: NextSlot, from: EpochMs | null, now: EpochMs): EpochMs | null {
  let last: EpochMs | null = null;
  for (let slot = from; slot !== null && slot <= now; slot = next(slot)) last = slot;
  return last;
}
