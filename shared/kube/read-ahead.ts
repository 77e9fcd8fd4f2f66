/**
 * What `load` makes of each, in order, up to `width` of them under way at a time. Nothing is loaded before somebody asks
 * for the first.
 */
export async function* readAhead<T, U>(
  items: AsyncIterable<T>,
  width: number,
  load: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const underWay: Promise<U>[] = [];
  for await (const item of items) {
    const loading = load(item);
    loading.catch(() => undefined); // whoever comes to it is told; nobody may
    underWay.push(loading);
    const next = underWay.length >= width ? underWay.shift() : undefined;
    if (next !== undefined) yield await next;
  }
  for (const loading of underWay) yield await loading;
}
