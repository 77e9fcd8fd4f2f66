/**
 * Resolves in a later turn of the event loop, for one caller per turn. Otherwise, work that calls only engines in this
 * process would block sockets, timers, and signals until it is done.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(next);
  });

const waiting: (() => void)[] = [];

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(next);
}
