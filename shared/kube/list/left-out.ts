import { isNewerFormat } from '../../domain/base/newer-format.ts';

type Key = { readonly namespace: string; readonly name: string };

/** What a list leaves out because a later release of Muster has stored it: this one cannot read it. */
export class LeftOut {
  readonly #what: string;
  readonly #keys = new Set<string>();

  /** @param what one of them, such as `Job`, or `Job with its Pods` */
  constructor(what: string) {
    this.#what = what;
  }

  add({ namespace, name }: Key): void {
    this.#keys.add(namespace === '' ? name : `${namespace}/${name}`);
  }

  /** What was read; null: it is left out. */
  async unlessNewer<T>(key: Key, read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      if (!isNewerFormat(error)) throw error;
      this.add(key);
      return null;
    }
  }

  /** What was read up to where one is that this release cannot read. */
  async *untilNewer<T>(key: Key, read: () => AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* read();
    } catch (error) {
      if (!isNewerFormat(error)) throw error;
      this.add(key);
    }
  }

  /** What a page says about it: one sentence, however many there are. */
  page(): { readonly warnings?: readonly string[] } {
    const [first] = [...this.#keys].sort(); // they are read in parallel
    if (first === undefined) return {};
    const count = this.#keys.size;
    const which = count === 1 ? first : `${first} and ${count - 1} more`;
    return { warnings: [`not shown, because a later release of Muster has stored it: ${this.#what} ${which}`] };
  }
}
