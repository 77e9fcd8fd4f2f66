import type { Clock } from '../../../ports/clock.ts';
import type { ReadUsage } from '../../../ports/gathered/read-usage.ts';
import { type Measured, type Sample, canCompare, ratesBetween, sampleOf } from '../domain/usage-rates.ts';

/** So long what was measured is news; two samples are at least so far apart. */
const FRESH_MS = 1_000;

/**
 * Measures when it is asked, and only then: however many ask, it looks once a second at most. A rate needs two looks, so who asks
 * first, or after a container has started, waits for a second.
 */
export function createMeter(read: ReadUsage, clock: Clock): () => Promise<Measured> {
  let last: Sample | null = null;
  let known: Measured | null = null;
  let underWay: Promise<Measured> | null = null;

  const sample = async (): Promise<Sample> => sampleOf(clock.now(), await read());
  const measure = async (): Promise<Measured> => {
    const [before, now] = [last, await sample()];
    last = now;
    if (before !== null && canCompare(before, now)) return ratesBetween(before, now);
    await clock.sleep(FRESH_MS);
    const later = await sample();
    last = later;
    return ratesBetween(now, later);
  };
  return async () => {
    const age = known === null ? Number.POSITIVE_INFINITY : clock.now() - known.atMs;
    if (known !== null && age >= 0 && age < FRESH_MS) return known;
    underWay ??= measure().finally(() => (underWay = null));
    known = await underWay;
    return known;
  };
}
