import type { Look } from '../../shared/control/reconcile.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../shared/domain/brand.ts';
import type { DispatchMessage, FactMessage, Queues } from '../../shared/ports/queues.ts';
import { Mailbox } from './post-office.ts';
import type { Storm } from './storm.ts';

export type MailOptions = {
  readonly now: () => EpochMs;
  readonly storm: Storm;
  /** Facts come in gusts this far apart, as they pile up before the reconcilers of a large Job; 0: each by itself. */
  readonly gustMs: number;
};

/** The three queues, under the weather: messages and events come late, twice or never. */
export class Mail {
  readonly facts: Mailbox<Look>;
  readonly wakes: Mailbox<Look>;
  readonly dispatches: Mailbox<DispatchMessage>;
  readonly #options: MailOptions;

  constructor(options: MailOptions) {
    const givenUp = (): void => options.storm.struck('message given up');
    this.facts = new Mailbox(givenUp);
    this.wakes = new Mailbox(givenUp);
    this.dispatches = new Mailbox(givenUp);
    this.#options = options;
  }

  queues(): Queues {
    return {
      wake: async (wakeUps) => {
        for (const { uid, delaySec, inspect } of wakeUps) {
          this.#post(this.wakes, [{ uid, facts: [], ...(inspect === true ? { inspect } : {}) }], delaySec);
        }
      },
      facts: async (messages, delaySec) => this.#post(this.facts, messages, delaySec),
      dispatch: async (messages, delaySec) => this.#post(this.dispatches, messages, delaySec),
    };
  }

  /** What ECS tells comes through the rule; `lossy`: how likely it does not. */
  event(message: FactMessage, lossy: number): void {
    const { storm } = this.#options;
    if (storm.strikes('event dropped', lossy)) return;
    const copies = storm.strikes('event doubled', storm.weather.eventDoubled) ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      this.#put(this.facts, message, storm.delayMs('event late', storm.weather.eventDelayMaxMs));
    }
  }

  /** When the next hidden message of each queue shows. */
  nextAt(): readonly (EpochMs | null)[] {
    return [this.facts.nextAt(), this.wakes.nextAt(), this.dispatches.nextAt()];
  }

  #post<T>(box: Mailbox<T>, bodies: readonly T[], delaySec: number): void {
    const { storm } = this.#options;
    for (const body of bodies) {
      if (storm.strikes('message dropped', storm.weather.messageDropped)) continue;
      const copies = storm.strikes('message doubled', storm.weather.messageDoubled) ? 2 : 1;
      for (let i = 0; i < copies; i++) {
        const lateMs = storm.delayMs('message late', storm.weather.messageDelayMaxMs);
        this.#put(box, body, delaySec * 1000 + lateMs);
      }
    }
  }

  #put<T>(box: Mailbox<T>, body: T, delayMs: number): void {
    const { now, gustMs } = this.#options;
    const visibleAt = plusMs(now(), delayMs);
    const isGusty = gustMs > 0 && Object.is(box, this.facts);
    box.post(body, isGusty ? asEpochMs(Math.ceil(visibleAt / gustMs) * gustMs) : visibleAt);
  }
}
