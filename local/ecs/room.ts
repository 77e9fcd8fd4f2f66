/** Thousandths of a CPU, and MiB of memory. */
export type Size = { readonly milliCpu: number; readonly memoryMib: number };

/** What all tasks together may request; null: as much as they like. */
export type Room = { readonly milliCpu: number | null; readonly memoryMib: number | null };

export const NO_LIMIT: Room = { milliCpu: null, memoryMib: null };
export const NOTHING: Size = { milliCpu: 0, memoryMib: 0 };

const RESOURCES = ['milliCpu', 'memoryMib'] as const;

/** Whether a size counts in this room: only then may its task have to wait. */
export const counts = (size: Size, room: Room): boolean =>
  RESOURCES.some((each) => room[each] !== null && size[each] > 0);

/** What a size takes of the room: one that is larger takes all of it, and so runs alone. */
const within = (size: Size, room: Room): Size => ({
  milliCpu: Math.min(size.milliCpu, room.milliCpu ?? Infinity),
  memoryMib: Math.min(size.memoryMib, room.memoryMib ?? Infinity),
});

/** The resources that a size lacks next to what is in use. What it does not request it never lacks. */
export const lacking = (size: Size, used: Size, room: Room): readonly (keyof Size)[] =>
  RESOURCES.filter((each) => size[each] > 0 && used[each] + size[each] > (room[each] ?? Infinity));

/**
 * What starts next: the head of the queue, as far as it fits. Nothing overtakes an earlier one that needs more, so that large
 * tasks do not starve. Pure.
 *
 * @param queue those that wait, in the order in which they came
 * @param used by what runs
 */
export function nextIn<Id>(queue: Iterable<readonly [Id, Size]>, used: Size, room: Room): readonly Id[] {
  const next: Id[] = [];
  let taken = used;
  for (const [id, size] of queue) {
    if (lacking(size, taken, room).length > 0) break;
    taken = plus(taken, size);
    next.push(id);
  }
  return next;
}

const plus = (a: Size, b: Size): Size => ({ milliCpu: a.milliCpu + b.milliCpu, memoryMib: a.memoryMib + b.memoryMib });
const minus = (a: Size, b: Size): Size => ({ milliCpu: a.milliCpu - b.milliCpu, memoryMib: a.memoryMib - b.memoryMib });

/** Who has room, and who waits for it. Those that need none are never here. */
export class Places {
  readonly room: Room;
  readonly #placed = new Map<string, Size>();
  readonly #queue = new Map<string, Size>();
  #used = NOTHING;
  /** Of each that waits, how many wait before it; null: not counted since the queue has changed. */
  #ahead: ReadonlyMap<string, number> | null = null;

  constructor(room: Room) {
    this.room = room;
  }

  get used(): Size {
    return this.#used;
  }

  /** It runs already: it has its room, whether there is any or not. */
  take(id: string, size: Size): void {
    if (!counts(size, this.room)) return;
    const taken = within(size, this.room);
    this.#placed.set(id, taken);
    this.#used = plus(this.#used, taken);
  }

  /** It waits behind all others until {@link Places.admit} names it. */
  queue(id: string, size: Size): void {
    this.#queue.set(id, within(size, this.room));
    this.#ahead = null;
  }

  /** It is over, or waits no longer. */
  leave(id: string): void {
    const size = this.#placed.get(id);
    if (size !== undefined) this.#used = minus(this.#used, size);
    this.#placed.delete(id);
    if (this.#queue.delete(id)) this.#ahead = null;
  }

  /** Those that start now, in order: from now on they have their room. */
  admit(): readonly string[] {
    const next = nextIn(this.#queue, this.#used, this.room);
    for (const id of next) {
      const size = this.#queue.get(id) ?? NOTHING;
      this.leave(id);
      this.take(id, size);
    }
    return next;
  }

  /** What there is too little of, and how many wait before it; null: it does not wait. */
  waitOf(id: string): { readonly short: readonly (keyof Size)[]; readonly ahead: number } | null {
    const size = this.#queue.get(id);
    if (size === undefined) return null;
    this.#ahead ??= new Map([...this.#queue.keys()].map((each, nth) => [each, nth]));
    // One that would fit waits for its turn: for what the first lacks.
    const [first = size] = this.#queue.values();
    const own = lacking(size, this.#used, this.room);
    const short = own.length > 0 ? own : lacking(first, this.#used, this.room);
    return { short, ahead: this.#ahead.get(id) ?? 0 };
  }
}
