type Waiting<T, R> = {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
};

/** More of them in one batch would make the first wait for the last. */
const BATCH_MAX = 100;

/**
 * Items of one key, which are worked on one batch after the other: those that come while one batch is under way are the next. Keys
 * do not wait for one another.
 */
export class Batches<T, R> {
  readonly #waiting = new Map<string, Waiting<T, R>[]>();

  /**
   * @param work returns a result for each item, in their order; what it throws, all of them get
   */
  async run(key: string, item: T, work: (items: readonly T[]) => Promise<readonly R[]>): Promise<R> {
    return new Promise((resolve, reject) => {
      const known = this.#waiting.get(key);
      const waiting = known ?? [];
      waiting.push({ item, resolve, reject });
      if (known !== undefined) return;
      this.#waiting.set(key, waiting);
      void this.#work(key, waiting, work);
    });
  }

  async #work(
    key: string,
    waiting: Waiting<T, R>[],
    work: (items: readonly T[]) => Promise<readonly R[]>,
  ): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_MAX);
      try {
        const results = await work(batch.map(({ item }) => item));
        for (const [i, { resolve }] of batch.entries()) resolve(results[i] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(key);
  }
}
