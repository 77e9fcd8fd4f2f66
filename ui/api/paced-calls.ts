/** Moments, and what is to come after some time. */
export type Pacemaker = {
  readonly nowMs: () => number;
  /** Returns what calls it off. */
  readonly after: (ms: number, work: () => void) => () => void;
};

const OF_BROWSER: Pacemaker = {
  nowMs: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Calls that come too soon, or while one is under way, become one that comes later. */
export function pacedCalls(
  pauseMs: number,
  work: (aborted: AbortSignal) => Promise<void>,
  { nowMs, after }: Pacemaker = OF_BROWSER,
): { readonly call: () => void; readonly stop: () => void } {
  const mine = new AbortController();
  let isBusy = false;
  let isWanted = false;
  let callOff: (() => void) | null = null;
  let lastMs = Number.NEGATIVE_INFINITY;
  const start = (): void => {
    callOff = null;
    isBusy = true;
    lastMs = nowMs();
    void work(mine.signal).finally(() => {
      isBusy = false;
      if (!isWanted) return;
      isWanted = false;
      call();
    });
  };
  const call = (): void => {
    if (mine.signal.aborted || callOff !== null) return;
    if (isBusy) isWanted = true;
    else callOff = after(Math.max(lastMs + pauseMs - nowMs(), 0), start);
  };
  return {
    call,
    stop: () => {
      callOff?.();
      mine.abort();
    },
  };
}
