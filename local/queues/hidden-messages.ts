/** An item of {@link HiddenMessages}, which maintains `place`. */
export type Hidden = { visibleAtMs: number; place: number };

/** Messages that become visible later, soonest first: a binary heap from which any message can be removed. */
export class HiddenMessages<Message extends Hidden> {
  readonly #heap: Message[] = [];

  first(): Message | null {
    return this.#heap[0] ?? null;
  }

  all(): readonly Message[] {
    return this.#heap;
  }

  add(message: Message): void {
    this.#rise(message, this.#heap.push(message) - 1);
  }

  remove(message: Message): void {
    const last = this.#heap.pop();
    if (last === undefined || last === message) return;
    const { place } = message;
    this.#sink(last, place);
    this.#rise(last, last.place);
  }

  #rise(message: Message, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || parent.visibleAtMs <= message.visibleAtMs) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(message, place);
  }

  #sink(message: Message, from: number): void {
    let place = from;
    for (;;) {
      const left = this.#heap[2 * place + 1];
      const right = this.#heap[2 * place + 2];
      if (left === undefined) break;
      const child = right !== undefined && right.visibleAtMs < left.visibleAtMs ? right : left;
      if (child.visibleAtMs >= message.visibleAtMs) break;
      const hole = child.place;
      this.#put(child, place);
      place = hole;
    }
    this.#put(message, place);
  }

  #put(message: Message, place: number): void {
    this.#heap[place] = message;
    message.place = place;
  }
}
