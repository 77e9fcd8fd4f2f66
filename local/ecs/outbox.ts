import { seeded, type Random } from './seeded.ts';
import type { EcsTaskEvent } from './task-event.ts';
import type { Timers } from './timers.ts';

/** How unreliable event delivery is. ECS promises at least once and no order; local delivery is better than that by default. */
export type DeliveryFaults = {
  /** share of events that arrive twice, 0..1 */
  readonly duplicate?: number;
  /** share of events that never arrive, 0..1 */
  readonly drop?: number;
  /** each copy is delayed by up to this time, so that events overtake each other */
  readonly shuffleMs?: number;
  readonly seed?: number;
};

export type OutboxOptions = DeliveryFaults & {
  readonly deliver: (event: EcsTaskEvent) => Promise<void>;
  readonly timers: Timers;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
};

/** Concurrent deliveries: enough to keep a queue busy, few enough not to flood it. */
const IN_FLIGHT_MAX = 32;
const RETRY_FIRST_MS = 100;
const RETRY_LONGEST_MS = 5_000;

type Delivery = { readonly event: EcsTaskEvent; readonly onDelivered: (() => void) | undefined; tries: number };

/** Delivers events as EventBridge would: repeated after a failure, forever, and without a promised order. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #random: Random;
  /** null: it is being delivered, or was. */
  readonly #waiting: (Delivery | null)[] = [];
  #next = 0;
  #inFlight = 0;
  #delayed = 0;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#random = seeded(options.seed ?? 1);
  }

  /** Delivers after `delayMs`. `onDelivered` is called once the first copy has arrived or was dropped on purpose. */
  put(event: EcsTaskEvent, onDelivered?: () => void, delayMs = 0): void {
    if (this.#closed) return;
    const { drop = 0, duplicate = 0 } = this.#options;
    if (drop > 0 && this.#random() < drop) {
      onDelivered?.();
      return;
    }
    this.#post({ event, onDelivered, tries: 0 }, delayMs);
    if (duplicate > 0 && this.#random() < duplicate) this.#post({ event, onDelivered: undefined, tries: 0 }, delayMs);
  }

  #post(delivery: Delivery, delayMs: number): void {
    const { shuffleMs = 0 } = this.#options;
    const lateMs = delayMs + (shuffleMs > 0 ? this.#random() * shuffleMs : 0);
    if (lateMs > 0) this.#later(delivery, lateMs);
    else this.#enqueue(delivery);
  }

  #later(delivery: Delivery, delayMs: number): void {
    this.#delayed++;
    this.#options.timers.after(delayMs, () => {
      this.#delayed--;
      this.#enqueue(delivery);
    });
  }

  #enqueue(delivery: Delivery): void {
    this.#waiting.push(delivery);
    this.#pump();
  }

  #pump(): void {
    while (!this.#closed && this.#inFlight < IN_FLIGHT_MAX) {
      const delivery = this.#waiting[this.#next];
      if (delivery === undefined || delivery === null) break;
      this.#waiting[this.#next] = null; // an event is about 5 KB
      this.#next++;
      this.#inFlight++;
      void this.#carry(delivery);
    }
    if (this.#next > 1024 && this.#next * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
  }

  async #carry(delivery: Delivery): Promise<void> {
    try {
      await this.#options.deliver(delivery.event);
      delivery.onDelivered?.();
    } catch (error) {
      delivery.tries++;
      if (delivery.tries === 1) this.#options.log('a task event could not be delivered; it will be retried', { error });
      if (!this.#closed) this.#later(delivery, Math.min(RETRY_FIRST_MS * 2 ** (delivery.tries - 1), RETRY_LONGEST_MS));
    } finally {
      this.#inFlight--;
      this.#pump();
      if (this.#isIdle()) for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  /** Resolves when nothing is waiting or being delivered. */
  async idle(): Promise<void> {
    if (!this.#isIdle()) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #isIdle(): boolean {
    return this.#inFlight === 0 && (this.#closed || (this.#delayed === 0 && this.#next >= this.#waiting.length));
  }

  /** Accepts and delivers nothing more; resolves when current deliveries have settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.idle();
  }
}
