import { type EpochMs, plusMs } from '../../shared/domain/base/time.ts';
import type { Queues } from '../../shared/ports/queues.ts';
import {
  formatCronWakeUp,
  formatDispatch,
  formatFactMessage,
  formatWakeUp,
} from '../../shared/schema/messages/queue-messages.ts';

export type QueueName = 'wake' | 'facts' | 'dispatch';

/** A received message: hidden from others until it is removed, or its time is up. */
export type Delivery = {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  /** This receive included. */
  readonly receives: number;
};

export type MemoryQueues = {
  readonly queues: Queues;
  /**
   * Up to `max` messages (1..10) that are visible now, longest waiting first. A message received too often moves to the dead
   * letters instead.
   */
  receive(name: QueueName, max: number): readonly Delivery[];
  /** Permanently. The receipt of an earlier delivery removes nothing. */
  remove(name: QueueName, receipt: string): void;
  /** Shows a message again after `delayMs`; not with the receipt of an earlier delivery. */
  retry(name: QueueName, receipt: string, delayMs: number): void;
  /** Puts any text into a queue, as EventBridge does. Throws if SQS would not accept it. */
  send(name: QueueName, body: string, delayMs?: number): void;
  /** Bodies of dead letters, oldest first. */
  dead(name: QueueName): readonly string[];
  /** Messages in the queue, visible or hidden. */
  size(name: QueueName): number;
  /** When the next message becomes visible, which may be in the past; null: the queue is empty. */
  nextAt(name: QueueName): EpochMs | null;
};

export type MemoryQueuesOptions = {
  readonly now: () => EpochMs;
  readonly visibilityMs: number;
  /** Receives after which a message becomes a dead letter. */
  readonly receivesMax: number;
};

type Entry = { readonly id: string; readonly body: string; visibleAt: EpochMs; receives: number };

const BYTES_MAX = 1_048_576;
const BATCH_MAX = 10;

/** SQS's rules without SQS: hiding, delays, receive counts, dead letters; all by the given clock. */
export function createMemoryQueues({ now, visibilityMs, receivesMax }: MemoryQueuesOptions): MemoryQueues {
  const all = { wake: emptyQueue(), facts: emptyQueue(), dispatch: emptyQueue() };
  let numbers = 0;

  const send = (name: QueueName, body: string, delayMs = 0): void => {
    if (body === '' || Buffer.byteLength(body) > BYTES_MAX) throw new Error('SQS takes 1 byte to 1 MiB');
    const id = String(++numbers);
    all[name].entries.set(id, { id, body, visibleAt: plusMs(now(), delayMs), receives: 0 });
  };
  const held = (name: QueueName, receipt: string): Entry | null => {
    const [id = '', receives] = receipt.split('/');
    const entry = all[name].entries.get(id);
    return entry !== undefined && String(entry.receives) === receives ? entry : null;
  };

  return {
    queues: {
      wake: async (wakeUps) => {
        for (const wakeUp of wakeUps) send('wake', formatWakeUp(wakeUp), wakeUp.delaySec * 1000);
      },
      wakeCrons: async (wakeUps) => {
        for (const wakeUp of wakeUps) send('wake', formatCronWakeUp(wakeUp), wakeUp.delaySec * 1000);
      },
      facts: async (messages, delaySec) => {
        for (const message of messages) send('facts', formatFactMessage(message), delaySec * 1000);
      },
      dispatch: async (messages, delaySec) => {
        for (const message of messages) send('dispatch', formatDispatch(message), delaySec * 1000);
      },
    },

    receive(name, max) {
      const { entries, dead } = all[name];
      const deliveries: Delivery[] = [];
      for (const entry of entries.values()) {
        if (deliveries.length >= Math.min(max, BATCH_MAX)) break;
        if (entry.visibleAt > now()) continue;
        if (entry.receives >= receivesMax) {
          entries.delete(entry.id);
          dead.push(entry.body);
          continue;
        }
        entry.receives++;
        entry.visibleAt = plusMs(now(), visibilityMs);
        const { id, body, receives } = entry;
        deliveries.push({ id, receipt: `${id}/${receives}`, body, receives });
      }
      return deliveries;
    },
    remove(name, receipt) {
      const entry = held(name, receipt);
      if (entry !== null) all[name].entries.delete(entry.id);
    },
    retry(name, receipt, delayMs) {
      const entry = held(name, receipt);
      if (entry !== null) entry.visibleAt = plusMs(now(), delayMs);
    },
    send,
    dead: (name) => [...all[name].dead],
    size: (name) => all[name].entries.size,
    nextAt: (name) =>
      [...all[name].entries.values()].reduce<EpochMs | null>(
        (soonest, { visibleAt }) => (soonest === null || visibleAt < soonest ? visibleAt : soonest),
        null,
      ),
  };
}

/** A Map keeps the order in which messages arrived. */
const emptyQueue = () => ({ entries: new Map<string, Entry>(), dead: [] as string[] });
