import type { Refusal } from '../ports/dead-letters.ts';
import type { Inbox, Received } from '../ports/inbox.ts';
import { errorText } from '../domain/base/error-text.ts';
import { RECEIVES_MAX } from '../names/dead-letter-queues.ts';
import type { Runtime } from './runtime.ts';

/** A message as it was received, and its queue; null: not one of ours. */
export type Raw = { readonly received: Received; readonly inbox: Inbox | null };

/** A message that could be read. */
export type Message<M> = Raw & { readonly content: M };

/** `refused`: no repetition can change that. `refusal`: what else its dead letter says. */
export type Failed = Raw & {
  readonly reason: string;
  readonly why: 'refused' | 'failed';
  readonly refusal?: Refusal | undefined;
};

/** Parses each body; one that `parse` throws for is refused with the error's text. */
export function readAll<M>(
  messages: readonly Raw[],
  parse: (body: string) => M,
): { readonly readable: readonly Message<M>[]; readonly refused: readonly Failed[] } {
  const readable: Message<M>[] = [];
  const refused: Failed[] = [];
  for (const raw of messages) {
    try {
      readable.push({ ...raw, content: parse(raw.received.body) });
    } catch (error) {
      refused.push({ ...raw, reason: errorText(error), why: 'refused' });
    }
  }
  return { readable, refused };
}

/**
 * Decides what becomes of messages that failed. One that was refused, or that failed at its last receive, moves to the
 * dead-letter queue. Any other is shown again after a delay, and so is one that cannot be moved.
 *
 * @returns those that come again
 */
export async function endFailed(failed: readonly Failed[], runtime: Runtime): Promise<ReadonlySet<Received>> {
  const again = new Set<Received>();
  await Promise.all(
    failed.map(async (message) => {
      if ((await deadLetterOrRetry(message, runtime)) === 'again') again.add(message.received);
    }),
  );
  return again;
}

async function deadLetterOrRetry(
  { received, inbox, reason, why, refusal }: Failed,
  { deps: { telemetry } }: Runtime,
): Promise<'deadLettered' | 'again'> {
  const { id, receipt, body, receives } = received;
  telemetry.warn(why === 'refused' ? 'message refused' : 'message failed', { id, reason, receives });
  if (inbox === null) return 'again';
  try {
    if ((why === 'refused' || receives >= RECEIVES_MAX) && (await inbox.deadLetter(body, reason, refusal))) {
      telemetry.count('MessagesRejected', 1);
      return 'deadLettered';
    }
    await inbox.retry([receipt], retryAfterSec(receives));
  } catch (error) {
    // Nothing is lost: the message comes again when its visibility timeout is over.
    telemetry.warn('message neither moved to the dead-letter queue nor returned', { id, error: errorText(error) });
  }
  return 'again';
}

/** 2, 4, 8, 16 seconds: five receives outlast a short outage, without waiting for the visibility timeout. */
const retryAfterSec = (receives: number): number => Math.min(2 ** receives, 60);

/** Removes messages that were taken from the fact queue. One that stays comes again, and says what the board already knows. */
export async function removeTaken(taken: readonly Received[], { facts, deps }: Runtime): Promise<void> {
  try {
    await facts.remove(taken.map(({ receipt }) => receipt));
  } catch (error) {
    deps.telemetry.warn('messages not removed', { count: taken.length, error: errorText(error) });
  }
}
