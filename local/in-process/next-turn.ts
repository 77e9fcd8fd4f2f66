/**
 * Resolves in a later turn of the event loop, for one caller a turn. Work that waits for nothing but engines in this
 * process would otherwise keep sockets, timers and signals waiting until it is done.
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
