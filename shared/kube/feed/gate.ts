/** Limits how many calls run at a time; the others wait, first come, first served. */
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
