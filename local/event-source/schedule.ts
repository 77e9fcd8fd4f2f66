import { waitAtMost } from '../stopping/wait-at-most.ts';

export type ScheduleOptions = {
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
};

export type Schedule = {
  /** Starts no more work. Resolves when current work has ended, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

/** EventBridge Scheduler's part: starts a piece of work at each interval, even if the previous one has not ended. */
export function startSchedule({ everyMs, work, onError }: ScheduleOptions): Schedule {
  const underWay = new Set<Promise<void>>();
  const timer = setInterval(() => {
    const run = work().then(() => undefined, onError);
    underWay.add(run);
    void run.finally(() => underWay.delete(run));
  }, everyMs);
  return {
    async stop(graceMs) {
      clearInterval(timer);
      await waitAtMost(Promise.all(underWay), graceMs);
    },
  };
}
