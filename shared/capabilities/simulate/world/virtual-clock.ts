import { type EpochMs, later, plusMs } from '../../../domain/base/time.ts';
import type { Clock } from '../../../ports/clock.ts';
import { Agenda } from '../../../domain/base/agenda.ts';

/** Time that stands still until it is moved to the next thing on its agenda: hours pass in no time. */
export class VirtualClock implements Clock {
  readonly #agenda = new Agenda<() => void>();
  #now: EpochMs;

  constructor(start: EpochMs) {
    this.#now = start;
  }

  now(): EpochMs {
    return this.#now;
  }

  async sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(plusMs(this.#now, Math.ceil(ms)), resolve); // clocks tell whole milliseconds
    });
  }

  /** Calls `happen` when time has come to `moment`; what is past is due at once. */
  at(moment: EpochMs, happen: () => void): void {
    this.#agenda.add(happen, later(moment, this.#now));
  }

  /** When the next thing is due; null: there is none. */
  soonest(): EpochMs | null {
    return this.#agenda.soonest();
  }

  /** Lets time go on; it never goes back. */
  moveTo(moment: EpochMs): void {
    this.#now = later(moment, this.#now);
  }

  /** Does all that is due now, what becomes due by it included. */
  doDue(): void {
    for (let happen = this.#agenda.takeDue(this.#now); happen !== undefined; happen = this.#agenda.takeDue(this.#now))
      happen();
  }
}
