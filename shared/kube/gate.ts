/** Lets so much work be under way at a time; the rest waits for its turn, in the order in which it came. */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

export function createGate(width: number): Gate {
  let free = width;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
