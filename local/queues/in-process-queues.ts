import { deadLetterReason, RECEIVED_TOO_OFTEN } from '../../shared/adapters/dead-letter-reason.ts';
import {
  DELAY_MAX_SEC,
  type Outgoing,
  outgoingCronWakeUps,
  outgoingDispatches,
  outgoingFacts,
  outgoingWakeUps,
} from '../../shared/adapters/outgoing.ts';
import type { EpochMs } from '../../shared/domain/base/time.ts';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import { type DeadQueues, QUEUE_NAMES, type QueueDepth, type QueueName } from '../../shared/ports/dead-letters.ts';
import type { Inbox } from '../../shared/ports/inbox.ts';
import type { Queues } from '../../shared/ports/queues.ts';
import type { Submissions } from '../../shared/ports/submissions.ts';
import { formatFactMessage, requestOfEvent, sendableJson } from '../../shared/schema/messages/queue-messages.ts';
import { nextTurn } from '../in-process/next-turn.ts';
import { MessageQueue } from './message-queue.ts';

export type InProcessQueuesOptions = {
  /** Longer than an invocation may take. */
  readonly visibilityMs: number;
  /** The wall clock, for the time at which messages were sent. */
  readonly now: () => EpochMs;
  /** A clock that advances steadily, in milliseconds. Default: this process's own. */
  readonly elapsedMs?: () => number;
};

export type InProcessQueues = {
  readonly queues: Queues;
  readonly submissions: Submissions;
  readonly inboxes: Readonly<Record<QueueName, Inbox>>;
  readonly deadQueues: DeadQueues;
  readonly depths: () => readonly QueueDepth[];
  /** Sends any text to a queue. Throws for a text that SQS would not accept. */
  readonly send: (queue: QueueName, body: string) => void;
  /** The target of the EventBridge rule: each event with news becomes one message of the fact queue. */
  readonly onEvent: (event: object) => Promise<void>;
  /** Ends all long polls. Messages are lost, and every later call fails. */
  readonly close: () => void;
};

/** A submission that cannot be worked on for so long is not promised to anybody. */
const SUBMITTED_WITHIN_MS = 10_000;
/** Longer than it takes to file ten letters, and shorter than two sweeps. */
const DEAD_HIDDEN_MS = 60_000;

/**
 * Our queues and their dead-letter queues in this process, with what our handlers rely on in SQS. When the
 * process ends, only hints are lost: its next start wakes and checks every open Job.
 */
export function createInProcessQueues(options: InProcessQueuesOptions): InProcessQueues {
  const { visibilityMs, now, elapsedMs = () => performance.now() } = options;
  const waiters = new Set<() => void>();
  let closed = false;
  const ifOpen = (): void => {
    if (closed) throw new Error('the queues are closed');
  };
  const wakeWaiters = (): void => {
    for (const wake of waiters) wake();
  };

  const dead = byQueue(() => new MessageQueue({ elapsedMs, visibilityMs: DEAD_HIDDEN_MS }));
  const submitted = new Awaited();
  const alive = byQueue((name) => {
    const onGone = name === 'submit' ? (id: string): void => submitted.settle(id) : null;
    const redrive = { receivesMax: RECEIVES_MAX, to: dead[name] };
    return new MessageQueue({ elapsedMs, visibilityMs, redrive, ...(onGone === null ? {} : { onGone }) });
  });
  const send = (name: QueueName, messages: readonly Outgoing[]): void => {
    ifOpen();
    for (const { body, delaySec, group } of messages) {
      const delayMs = Math.min(delaySec, DELAY_MAX_SEC) * 1_000;
      alive[name].send({ body, group: group ?? '', sentAt: now() }, delayMs);
    }
    wakeWaiters();
  };

  const sendText = (name: QueueName, body: string): void => send(name, [{ body, delaySec: 0, group: null }]);

  const inboxOf = (name: QueueName): Inbox => ({
    async receive({ waitSec, signal } = NO_WAIT) {
      const untilMs = elapsedMs() + waitSec * 1_000;
      for (;;) {
        await nextTurn(); // messages that are sent in one turn are received together
        ifOpen();
        if (signal.aborted) return [];
        const found = alive[name].receive();
        const leftMs = untilMs - elapsedMs();
        if (found.length > 0 || leftMs <= 0) return found;
        await woken(waiters, Math.min(leftMs, alive[name].nextInMs() ?? leftMs), signal);
      }
    },
    async remove(receipts) {
      ifOpen();
      for (const receipt of receipts) alive[name].remove(receipt);
    },
    async retry(receipts, delaySec) {
      ifOpen();
      for (const receipt of receipts) alive[name].retry(receipt, delaySec * 1_000);
      wakeWaiters();
    },
    async sendAgain(body, delaySec) {
      send(name, [{ body, delaySec, group: null }]);
    },
    async deadLetter(body, reason, refusal) {
      ifOpen();
      dead[name].send({ body, group: '', sentAt: now(), reason: deadLetterReason(reason), refusal });
      return true;
    },
  });

  return {
    queues: {
      wake: async (wakeUps) => send('wake', outgoingWakeUps(wakeUps)),
      wakeCrons: async (wakeUps) => send('wake', outgoingCronWakeUps(wakeUps)),
      facts: async (messages, delaySec) => send('facts', outgoingFacts(messages, delaySec)),
      dispatch: async (messages, delaySec) => send('dispatch', outgoingDispatches(messages, delaySec)),
    },
    submissions: {
      // The queue is lost with its process, so the promise is kept before it is given.
      async send(body) {
        ifOpen();
        const id = alive.submit.send({ body, group: '', sentAt: now() });
        const done = submitted.until(id, SUBMITTED_WITHIN_MS);
        wakeWaiters();
        await done;
        return id;
      },
    },
    inboxes: byQueue(inboxOf),
    deadQueues: {
      async take(queue) {
        await nextTurn();
        ifOpen();
        return dead[queue].receive().map(({ id, receipt, body, sentAt, reason, refusal }) => ({
          queue,
          id,
          receipt,
          body,
          sentAt,
          reason: reason ?? RECEIVED_TOO_OFTEN,
          refusal,
        }));
      },
      async remove(queue, receipts) {
        ifOpen();
        for (const receipt of receipts) dead[queue].remove(receipt);
      },
    },
    depths: () =>
      QUEUE_NAMES.map((queue) => {
        const { waiting, hidden } = dead[queue].depth();
        return { queue, ...alive[queue].depth(), dead: waiting + hidden };
      }),
    send: sendText,
    async onEvent(event) {
      const body = factMessageOf(event);
      if (body !== null) sendText('facts', body);
    },
    close() {
      closed = true;
      submitted.giveUp('the queues are closed');
      wakeWaiters();
    },
  };
}

/** The event's news as a fact message, a tenth of its bytes; null: it has none. What is no event of ours stays as it is. */
function factMessageOf(event: object): string | null {
  try {
    const request = requestOfEvent(event, GROUP_PREFIX);
    return request.uid === null ? null : formatFactMessage(request);
  } catch {
    return sendableJson(event); // its reader moves it to the dead letters, with the reason
  }
}

const NO_WAIT = { waitSec: 0, signal: new AbortController().signal };

const byQueue = <T>(make: (name: QueueName) => T): Readonly<Record<QueueName, T>> => ({
  wake: make('wake'),
  facts: make('facts'),
  dispatch: make('dispatch'),
  submit: make('submit'),
});

/** Messages that somebody waits for. */
class Awaited {
  readonly #waiting = new Map<string, { readonly done: () => void; readonly fail: (why: string) => void }>();

  /** Resolves when the message is gone from its queue; rejects after `ms`. */
  async until(id: string, ms: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(why));
      const timer = setTimeout(() => fail(`the message has waited for ${ms / 1_000} s`), ms);
      const end = (how: () => void): void => {
        clearTimeout(timer);
        how();
      };
      this.#waiting.set(id, { done: () => end(resolve), fail: (why) => end(() => fail(why)) });
    }).finally(() => this.#waiting.delete(id));
  }

  settle(id: string): void {
    this.#waiting.get(id)?.done();
  }

  giveUp(why: string): void {
    for (const { fail } of this.#waiting.values()) fail(why);
  }
}

/** Resolves when something has changed, after `ms`, or when the signal is aborted. */
async function woken(waiters: Set<() => void>, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      waiters.delete(wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    waiters.add(wake);
    signal.addEventListener('abort', wake);
  });
}
