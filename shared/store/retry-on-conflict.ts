/**
 * Repeats `work` until it meets no concurrent change. After one, `work` returns 'conflict' and must read its input again. Named
 * after client-go's.
 *
 * @param what names what others may change, for the error
 * @param work its argument counts the tries, from 0
 * @throws Error after `tries` conflicts in a row
 */
export async function retryOnConflict<T>(
  what: string,
  tries: number,
  work: (nth: number) => Promise<T | 'conflict'>,
): Promise<T> {
  const outcome = await tryOnConflict(tries, work);
  if (outcome === 'conflict') throw new Error(`${what} changed during each of ${tries} tries`);
  return outcome;
}

/** {@link retryOnConflict} for callers that expect conflicts in a row: 'conflict' after `tries` of them. */
export async function tryOnConflict<T>(
  tries: number,
  work: (nth: number) => Promise<T | 'conflict'>,
): Promise<T | 'conflict'> {
  for (let nth = 0; nth < tries; nth++) {
    const outcome = await work(nth);
    if (outcome !== 'conflict') return outcome;
  }
  return 'conflict';
}
