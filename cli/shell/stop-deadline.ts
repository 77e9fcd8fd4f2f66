import { STOP_MS } from '../../local/stopping/shares.ts';

export type StopDeadline = {
  /** What is left of the time, in milliseconds; all of it while nobody has asked to stop. */
  readonly leftMs: () => number;
  /** All is done: now nothing is said at the deadline, and only what still keeps this process alive is ended. */
  readonly done: () => void;
};

export type DeadlineOptions = {
  /** Resolves when somebody asks to stop. */
  readonly stopping: Promise<void>;
  /** milliseconds, of any beginning */
  readonly now: () => number;
  /** Ends this process at once; `isDone`: it had nothing more to do. */
  readonly end: (isDone: boolean) => void;
};

/** Ends this process {@link STOP_MS} after the request to stop, whatever it is doing: starting, draining, or waiting for tasks. */
export function stopDeadline({ stopping, now, end }: DeadlineOptions): StopDeadline {
  let askedMs: number | null = null;
  let isDone = false;
  let timer: NodeJS.Timeout | null = null;
  void stopping.then(() => {
    askedMs = now();
    timer = setTimeout(() => end(isDone), STOP_MS);
  });
  return {
    leftMs: () => (askedMs === null ? STOP_MS : Math.max(askedMs + STOP_MS - now(), 0)),
    done() {
      isDone = true;
      timer?.unref();
    },
  };
}

export const CUT_SHORT =
  `Stopped after ${STOP_MS / 1_000} s, before everything was done. Nothing is lost: ` +
  'unfinished Jobs continue when you start `muster local` here again.\n';
