import type { EpochMs } from '../../shared/domain/brand.ts';
import { asEpochMs } from '../../shared/domain/brand.ts';

export type Letter<T> = { readonly body: T; visibleAt: EpochMs; receives: number };

/** A queue that promises as little as SQS does. Messages that were received come back unless they are removed. */
export class Mailbox<T> {
  readonly letters: Letter<T>[] = [];

  post(body: T, visibleAt: EpochMs): void {
    this.letters.push({ body: structuredClone(body), visibleAt, receives: 0 });
  }

  /** Up to `max` visible messages, in an order of `pick`'s, hidden until `hiddenUntil`. */
  receive(max: number, now: EpochMs, hiddenMs: number, pick: (count: number) => number): readonly Letter<T>[] {
    const visible = this.letters.filter((letter) => letter.visibleAt <= now);
    const taken: Letter<T>[] = [];
    while (visible.length > 0 && taken.length < max) {
      const [letter] = visible.splice(pick(visible.length), 1);
      if (letter === undefined) break;
      letter.visibleAt = asEpochMs(now + hiddenMs);
      letter.receives++;
      taken.push(letter);
    }
    return taken;
  }

  remove(letter: Letter<T>): void {
    const at = this.letters.indexOf(letter);
    if (at >= 0) this.letters.splice(at, 1);
  }

  soonest(): EpochMs | null {
    let min: EpochMs | null = null;
    for (const { visibleAt } of this.letters) if (min === null || visibleAt < min) min = visibleAt;
    return min;
  }
}
