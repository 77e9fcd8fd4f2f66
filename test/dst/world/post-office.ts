import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import { Agenda } from '../../../shared/domain/base/agenda.ts';

export type Message<T> = { readonly body: T; receives: number; removed: boolean };

/** Who has had a message this often without removing it does not get it again: it goes to the dead letters. */
export const RECEIVES_MAX = 3;

/** A queue that promises as little as SQS does. Messages that were received come back unless they are removed. */
export class Mailbox<T> {
  readonly #givenUp: (body: T) => void;

  constructor(givenUp: (body: T) => void) {
    this.#givenUp = givenUp;
  }

  readonly #visible: Message<T>[] = [];
  readonly #hidden = new Agenda<Message<T>>();

  post(body: T, visibleAt: EpochMs): void {
    this.#hidden.add({ body: structuredClone(body), receives: 0, removed: false }, visibleAt);
  }

  /** Up to `max` visible messages, in an order of `pick`'s, hidden for `hiddenMs`. */
  receive(max: number, now: EpochMs, hiddenMs: number, pick: (count: number) => number): readonly Message<T>[] {
    this.#uncover(now);
    const taken: Message<T>[] = [];
    while (this.#visible.length > 0 && taken.length < max) {
      const letter = takeAt(this.#visible, pick(this.#visible.length));
      if (letter.removed) continue; // by somebody who had it longer than it was hidden
      letter.receives++;
      this.#hidden.add(letter, plusMs(now, hiddenMs));
      taken.push(letter);
    }
    return taken;
  }

  remove(letter: Message<T>): void {
    letter.removed = true;
  }

  /** A message may be received now. */
  isDue(now: EpochMs): boolean {
    this.#uncover(now);
    return this.#visible.some(({ removed }) => !removed);
  }

  /** When the next hidden message shows; null: none will. */
  nextAt(): EpochMs | null {
    return this.#hidden.soonest();
  }

  #uncover(now: EpochMs): void {
    for (let letter = this.#hidden.takeDue(now); letter !== undefined; letter = this.#hidden.takeDue(now)) {
      if (letter.removed) continue;
      if (letter.receives < RECEIVES_MAX) this.#visible.push(letter);
      else this.#givenUp(letter.body);
    }
  }
}

/** Takes one item out of a list whose order means nothing. */
export function takeAt<T>(items: T[], at: number): T {
  const [item, last] = [items[at], items.pop()];
  if (item === undefined || last === undefined) throw new Error(`nothing at ${at}`);
  if (at < items.length) items[at] = last;
  return item;
}
