/** A promise, and what settles it. */
export type Promised<T> = {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (why: Error) => void;
};

/** A promise that somebody else settles. Without anybody who waits for it, its failure is none of the process. */
export function promised<T>(): Promised<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (why: Error) => void = () => undefined;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
