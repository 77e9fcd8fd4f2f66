/** The results of `load`, in order, with up to `width` calls at a time. Nothing is loaded before the first is requested. */
export async function* readAhead<T, U>(
  items: AsyncIterable<T>,
  width: number,
  load: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  const underWay: Promise<U>[] = [];
  for await (const item of items) {
    const loading = load(item);
    loading.catch(() => undefined); // an error reaches the consumer of this item, if there is one
    underWay.push(loading);
    const next = underWay.length >= width ? underWay.shift() : undefined;
    if (next !== undefined) yield await next;
  }
  for (const loading of underWay) yield await loading;
}
