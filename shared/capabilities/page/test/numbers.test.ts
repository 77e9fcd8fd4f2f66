import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES } from '../../../domain/scoreboard/board.ts';
import { asEpochMs } from '../../../domain/base/time.ts';
import { type Run, histogramOf, summaryOf } from '../domain/durations.ts';
import { ATTEMPTS_MAX, READS_MAX, SPAN_INDEXES, type Span, boundedReads, sampleSpans } from '../domain/sample-plan.ts';
import { timelineOf } from '../domain/run-timeline.ts';

describe('a summary', () => {
  test('has values that were there', () => {
    const values = Array.from({ length: 100 }, (_, nth) => 100 - nth);
    expect(summaryOf(values)).toEqual({ count: 100, min: 1, p50: 50, p90: 90, p95: 95, p99: 99, max: 100, mean: 50.5 });
    expect(summaryOf([7])).toEqual({ count: 1, min: 7, p50: 7, p90: 7, p95: 7, p99: 7, max: 7, mean: 7 });
    expect(summaryOf([])).toBeNull();
  });
});

describe('a histogram', () => {
  const seconds = fc
    .oneof(fc.nat({ max: 100 }), fc.double({ min: 0, max: 3e6, noNaN: true }))
    .map((each) => Math.round(each * 1000) / 1000);
  const run = fc.record({ end: fc.constantFrom('succeeded' as const, 'failed' as const, 'other' as const), seconds });

  test('has each run once, where it belongs, in some forty steps without a gap', () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 300 }), (runs) => {
        const buckets = histogramOf(runs);
        expect(buckets.length).toBeLessThanOrEqual(42);
        for (const [nth, { from, to }] of buckets.entries()) {
          expect(to).toBeGreaterThan(from);
          expect(from).toBe(nth === 0 ? from : buckets[nth - 1]?.to);
        }
        const isIn = ({ seconds: took }: Run, nth: number): boolean => {
          const { from = 0, to = 0 } = buckets[nth] ?? {};
          return took >= from && (took < to || (nth === buckets.length - 1 && took <= to));
        };
        for (const [nth, bucket] of buckets.entries())
          for (const end of ['succeeded', 'failed', 'other'] as const)
            expect(bucket[end]).toBe(runs.filter((each) => each.end === end && isIn(each, nth)).length);
        const all = buckets.reduce((sum, { succeeded, failed, other }) => sum + succeeded + failed + other, 0);
        expect(all).toBe(runs.length);
      }),
      { endOnFailure: true },
    );
  });

  test('has round steps, which grow where runs differ much', () => {
    const of = (...each: readonly number[]) => histogramOf(each.map((took) => ({ end: 'succeeded', seconds: took })));
    expect(
      of(10, 20, 48)
        .slice(0, 2)
        .map(({ from, to }) => [from, to]),
    ).toEqual([
      [10, 11],
      [11, 12],
    ]);
    const wide = of(1, 10, 1000);
    expect(wide[0]).toMatchObject({ from: 1, succeeded: 1 });
    expect(wide.at(-1)).toMatchObject({ to: 1000, succeeded: 1 });
    expect((wide[1]?.to ?? 0) - (wide[1]?.from ?? 0)).toBeGreaterThan((wide[0]?.to ?? 0) - (wide[0]?.from ?? 0));
    expect(of(0, 0)).toHaveLength(1);
  });
});

/** How many indexes these are. */
const indexesOf = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from + 1, 0);

describe('a sample', () => {
  const untouched = { pending: CHUNK_INDEXES, held: 0, excluded: 0 };
  const done = { pending: 0, held: 0, excluded: 0 };

  test('of a small Job is all of it', () => {
    const cells = SPAN_INDEXES * READS_MAX;
    expect(indexesOf(sampleSpans([untouched], cells))).toBe(cells);
    expect(sampleSpans([{ ...untouched, pending: 5 }], 5)).toEqual([{ from: 0, to: 4 }]);
  });

  test('of a large Job is spread over what was tried, and never more than its bound', () => {
    const chunk = fc.nat({ max: CHUNK_INDEXES }).map((pending) => ({ ...untouched, pending }));
    fc.assert(
      fc.property(fc.array(chunk, { minLength: 2, maxLength: 245 }), (chunks) => {
        const spans = sampleSpans(chunks, chunks.length * CHUNK_INDEXES);
        expect(spans.length).toBeLessThanOrEqual(READS_MAX);
        let before = -1;
        for (const { from, to } of spans) {
          expect(from).toBeGreaterThan(before);
          expect(to).toBeGreaterThanOrEqual(from);
          expect(to - from).toBeLessThan(SPAN_INDEXES);
          expect(Math.floor(from / CHUNK_INDEXES)).toBe(Math.floor(to / CHUNK_INDEXES));
          const { pending = 0 } = chunks[Math.floor(from / CHUNK_INDEXES)] ?? {};
          expect(to % CHUNK_INDEXES).toBeLessThan(CHUNK_INDEXES - pending);
          before = to;
        }
      }),
      { endOnFailure: true },
    );
    const whole = Array.from({ length: 245 }, () => done);
    const spans = sampleSpans(whole, 1_000_000);
    expect(spans).toHaveLength(READS_MAX);
    expect(indexesOf(spans)).toBe(SPAN_INDEXES * READS_MAX);
    expect(spans.at(-1)?.from).toBeGreaterThan(950_000);
    expect(sampleSpans([done, untouched], 8_000).every(({ to }) => to < CHUNK_INDEXES)).toBe(true);
    expect(sampleSpans([untouched, untouched], 8_000)).toEqual([]);
  });
});

test('reads bring no more records than their bound, and none of indexes that were never tried', () => {
  const of = (...attempts: readonly number[]) =>
    boundedReads([{ from: 0, to: attempts.length - 1 }], (index) => attempts[index] ?? 0);
  expect(of(0, 0, 1, 3, 0, 1, 0)).toEqual({ reads: [{ from: 2, to: 5 }], indexes: 7 });
  expect(of(0, 0)).toEqual({ reads: [], indexes: 2 });
  expect(of(ATTEMPTS_MAX + 1, 2, 2)).toEqual({ reads: [{ from: 1, to: 2 }], indexes: 2 });
  expect(of(2, ATTEMPTS_MAX + 1, 2)).toEqual({ reads: [{ from: 0, to: 0 }], indexes: 1 });
  expect(of(ATTEMPTS_MAX - 1, 1, 1)).toEqual({ reads: [{ from: 0, to: 1 }], indexes: 2 });
});

test('a timeline has what happened in each step, and nothing from outside', () => {
  const run = (startedAt: number | null, endedAt: number | null, end: 'succeeded' | 'failed' = 'succeeded') => ({
    startedAt: startedAt === null ? null : asEpochMs(startedAt),
    endedAt: endedAt === null ? null : asEpochMs(endedAt),
    end,
  });
  const runs = [run(0, 5), run(10, 39, 'failed'), run(12, 40), run(null, 25, 'failed'), run(30, 90), run(50, 60)];
  expect(timelineOf(runs, { from: 10, to: 40, buckets: 3 })).toEqual([
    { from: 10, to: 20, started: 2, ended: 0, failed: 0, ran: 2 },
    { from: 20, to: 30, started: 0, ended: 1, failed: 1, ran: 2 },
    { from: 30, to: 40, started: 1, ended: 2, failed: 1, ran: 3 },
  ]);
});
