import { randomUUID } from 'node:crypto';
import type { EpochMs } from '../../shared/domain/base/time.ts';
import type { SubmissionRefusal } from '../../shared/ports/dead-letters.ts';
import { FairLine } from './fair-line.ts';
import { HiddenMessages } from './hidden-messages.ts';

export type NewMessage = {
  readonly body: string;
  /** The queue is fair by group. */
  readonly group: string;
  readonly sentAt: EpochMs;
  /** why it is a dead letter; null: it is not one, or its queue gave up on it */
  readonly reason?: string | null;
  /** of a submission that was refused */
  readonly refusal?: SubmissionRefusal | undefined;
};

/** A received message. */
export type Delivery = Readonly<Required<NewMessage>> & {
  readonly id: string;
  readonly receipt: string;
  /** including this one */
  readonly receives: number;
};

export type MessageQueueOptions = {
  /** A clock in milliseconds that advances steadily, whatever happens to the wall clock. */
  readonly elapsedMs: () => number;
  readonly visibilityMs: number;
  /** Where a message goes after too many receives. Omitted: it is delivered again forever. */
  readonly redrive?: { readonly receivesMax: number; readonly to: MessageQueue };
  /** Called when a message is removed, or goes to the dead letters. */
  readonly onGone?: (id: string) => void;
};

export type Depth = { readonly waiting: number; readonly hidden: number; readonly delayed: number };

type Message = Required<NewMessage> & {
  readonly id: string;
  body: string;
  receives: number;
  state: 'waiting' | 'hidden' | 'gone';
  visibleAtMs: number;
  place: number;
};

/** SQS accepts 1 byte to 1 MiB. */
const BYTES_MAX = 1_048_576;
const BATCH_MAX = 10;

/**
 * A standard SQS queue in memory: visibility timeouts, delays, receive counts, redrive, and fair groups. Each call
 * takes at most logarithmic time in the number of hidden messages.
 */
export class MessageQueue {
  readonly #options: MessageQueueOptions;
  readonly #messages = new Map<string, Message>();
  readonly #waiting = new FairLine<Message>();
  readonly #hidden = new HiddenMessages<Message>();

  constructor(options: MessageQueueOptions) {
    this.#options = options;
  }

  /**
   * @returns the message's id
   * @throws Error for a body that SQS would not accept
   */
  send({ reason = null, refusal, ...message }: NewMessage, delayMs = 0): string {
    const bytes = Buffer.byteLength(message.body);
    if (bytes === 0 || bytes > BYTES_MAX)
      throw new Error(`a message may have 1 byte to 1 MiB, and this one has ${bytes} bytes`);
    const id = randomUUID();
    this.#add({ ...message, reason, refusal, id, receives: 0, state: 'waiting', visibleAtMs: 0, place: 0 }, delayMs);
    return id;
  }

  #add(message: Message, delayMs: number): void {
    this.#messages.set(message.id, message);
    this.#showAfter(message, delayMs);
  }

  #showAfter(message: Message, delayMs: number): void {
    if (delayMs > 0) {
      message.state = 'hidden';
      message.visibleAtMs = this.#options.elapsedMs() + delayMs;
      this.#hidden.add(message);
    } else {
      message.state = 'waiting';
      this.#waiting.push(message.group, message);
    }
  }

  /**
   * Up to ten visible messages; groups take turns. A message that was received too often goes to the dead letters
   * instead.
   */
  receive(): readonly Delivery[] {
    this.#showDue();
    const { visibilityMs, redrive } = this.#options;
    const deliveries: Delivery[] = [];
    while (deliveries.length < BATCH_MAX) {
      const message = this.#waiting.shift();
      if (message === undefined) break;
      if (message.state === 'gone') continue;
      if (redrive !== undefined && message.receives >= redrive.receivesMax) {
        this.#messages.delete(message.id);
        redrive.to.#add({ ...message, receives: 0 }, 0);
        this.#options.onGone?.(message.id);
        continue;
      }
      message.receives++;
      this.#showAfter(message, visibilityMs);
      const { id, body, group, sentAt, reason, refusal, receives } = message;
      deliveries.push({ id, body, group, sentAt, reason, refusal, receives, receipt: `${id}/${receives}` });
    }
    return deliveries;
  }

  #showDue(): void {
    const nowMs = this.#options.elapsedMs();
    for (let next = this.#hidden.first(); next !== null && next.visibleAtMs <= nowMs; next = this.#hidden.first()) {
      this.#hidden.remove(next);
      this.#showAfter(next, 0);
    }
  }

  /** Removes a message for good. The receipt of an earlier delivery removes nothing. */
  remove(receipt: string): void {
    const message = this.#held(receipt);
    if (message === null) return;
    if (message.state === 'hidden') this.#hidden.remove(message);
    message.state = 'gone'; // it may still be in the line
    message.body = '';
    this.#messages.delete(message.id);
    this.#options.onGone?.(message.id);
  }

  /** Makes a message visible again after `delayMs`. Ignores visible messages, and receipts of earlier deliveries. */
  retry(receipt: string, delayMs: number): void {
    this.#showDue();
    const message = this.#held(receipt);
    if (message?.state !== 'hidden') return;
    this.#hidden.remove(message);
    this.#showAfter(message, delayMs);
  }

  #held(receipt: string): Message | null {
    const [id = '', receives] = receipt.split('/');
    const message = this.#messages.get(id);
    return message !== undefined && String(message.receives) === receives ? message : null;
  }

  /** How long until the next hidden message is visible, in milliseconds; null: none is hidden. */
  nextInMs(): number | null {
    const next = this.#hidden.first();
    return next === null ? null : Math.max(0, next.visibleAtMs - this.#options.elapsedMs());
  }

  depth(): Depth {
    this.#showDue();
    const hidden = this.#hidden.all();
    const delayed = hidden.filter(({ receives }) => receives === 0).length;
    return { waiting: this.#messages.size - hidden.length, hidden: hidden.length - delayed, delayed };
  }
}
