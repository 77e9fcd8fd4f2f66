/** A first-in, first-out queue. It does not hold on to items that have left. */
class Line<T> {
  readonly #items: (T | undefined)[] = [];
  #next = 0;

  get length(): number {
    return this.#items.length - this.#next;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#next];
    if (this.length === 0) return undefined;
    this.#items[this.#next++] = undefined;
    if (this.#next > TIDIED_AT && this.#next * 2 > this.#items.length) {
      this.#items.splice(0, this.#next);
      this.#next = 0;
    }
    return item;
  }
}

/** The array is compacted when more than half of its items have left, so that the cost per item is constant. */
const TIDIED_AT = 1_024;

/** Waiting items, in order within a group. Groups take turns, so a long one does not delay a short one. */
export class FairLine<T> {
  readonly #groups = new Map<string, Line<T>>();
  readonly #turns = new Line<string>();

  push(group: string, item: T): void {
    let line = this.#groups.get(group);
    if (line === undefined) {
      line = new Line();
      this.#groups.set(group, line);
      this.#turns.push(group);
    }
    line.push(item);
  }

  /** The first item of the group whose turn it is; undefined if there is none. */
  shift(): T | undefined {
    const group = this.#turns.shift();
    const line = group === undefined ? undefined : this.#groups.get(group);
    if (group === undefined || line === undefined) return undefined;
    const item = line.shift();
    if (line.length > 0) this.#turns.push(group);
    else this.#groups.delete(group);
    return item;
  }

  /** The number of groups with waiting items. */
  get groupCount(): number {
    return this.#groups.size;
  }
}
