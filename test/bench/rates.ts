/** What calls came to against a limit. */
export type RateFigures = {
  readonly ratePerSec: number;
  readonly calls: number;
  /** Calls a second over the share of the limit, from the second second on: the first is for getting started. */
  readonly sustainedShare: number;
  /** Most calls in any second, wherever it begins. */
  readonly worstSecond: number;
};

/** Pure. @param calledAtMs moments of all callers together, in any order; @param startAtMs when they began; @param lastsMs for how long */
export function rateOf(
  calledAtMs: readonly number[],
  {
    ratePerSec,
    startAtMs,
    lastsMs,
  }: { readonly ratePerSec: number; readonly startAtMs: number; readonly lastsMs: number },
): RateFigures {
  const sorted = [...calledAtMs].sort((a, b) => a - b);
  let worstSecond = 0;
  let first = 0;
  for (const [last, at] of sorted.entries()) {
    while ((sorted[first] ?? at) <= at - 1_000) first++;
    worstSecond = Math.max(worstSecond, last - first + 1);
  }
  const settled = sorted.filter((at) => at >= startAtMs + 1_000 && at < startAtMs + lastsMs).length;
  return {
    ratePerSec,
    calls: sorted.length,
    sustainedShare: settled / ((lastsMs / 1_000 - 1) * ratePerSec),
    worstSecond,
  };
}
