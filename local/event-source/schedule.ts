import { setTimeout as sleep } from 'node:timers/promises';

export type ScheduleOptions = {
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
};

export type Schedule = {
  /** Starts no more work, and resolves when what is under way has ended, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
};

/** EventBridge Scheduler's part: does a piece of work again and again, whether the one before has ended or not. */
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
      const grace = new AbortController();
      const ended = Promise.all(underWay).finally(() => grace.abort());
      await Promise.race([ended, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
    },
  };
}
