import type { SubmissionRefusal } from '../ports/dead-letters.ts';
import type { Inbox, Received } from '../ports/inbox.ts';
import { errorText } from '../domain/base/error-text.ts';
import { isNewerFormat } from '../domain/base/newer-format.ts';
import { RECEIVES_MAX } from '../names/dead-letter-queues.ts';
import type { Runtime } from './runtime.ts';

/** A message as it was received, and its queue; null: not one of ours. */
export type Raw = { readonly received: Received; readonly inbox: Inbox | null };

/** A message that could be read. */
export type Message<M> = Raw & { readonly content: M };

/**
 * `refused`: no repetition can change that. `failed`: one may. `refusal`: what else its dead letter says. `newer`: it, or a row that it needs, is of a
 * later release, which will process it; `isDerived`: it says only what rows say, too, and is sent again because of them.
 */
export type Failed = Raw & { readonly reason: string } & (
    | { readonly why: 'refused'; readonly refusal?: SubmissionRefusal | undefined }
    | { readonly why: 'failed'; readonly refusal?: SubmissionRefusal | undefined }
    | { readonly why: 'newer'; readonly isDerived: boolean }
  );

/** Why a message failed. Its `reason` is for people. */
export type Failure =
  | { readonly why: 'failed'; readonly reason: string; readonly refusal?: SubmissionRefusal }
  | { readonly why: 'newer'; readonly reason: string }
  | { readonly why: 'refused'; readonly reason: string; readonly refusal?: SubmissionRefusal };

/** The failure that an error is. */
export const failureOf = (error: unknown): Failure => ({
  why: isNewerFormat(error) ? 'newer' : 'failed',
  reason: errorText(error),
});

/**
 * Parses each body; one that `parse` throws for is refused with the error's text, unless it is of a later release. What such a
 * message says is not known, so none of them counts as derived.
 */
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
      const { why, reason } = failureOf(error);
      refused.push({ ...raw, reason, ...(why === 'newer' ? { why, isDerived: false } : { why: 'refused' }) });
    }
  }
  return { readable, refused };
}

/**
 * Decides what becomes of messages that failed. One that was refused, or that failed at its last receive, moves to the
 * dead-letter queue. Any other is shown again after a delay, and so is one that cannot be moved. One of a later release never
 * becomes a dead letter: at its last receive it is sent again as a new message, or let go if rows bring it back.
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

const SAID = { refused: 'message refused', failed: 'message failed', newer: 'message of a later release' } as const;

async function deadLetterOrRetry(failed: Failed, { deps: { telemetry } }: Runtime): Promise<'done' | 'again'> {
  const { received, inbox, reason, why } = failed;
  const { id, receipt, body, receives } = received;
  telemetry.warn(SAID[why], { id, reason, receives });
  if (inbox === null) return 'again';
  try {
    if (failed.why === 'newer') return await putOff(failed, inbox);
    if ((why === 'refused' || receives >= RECEIVES_MAX) && (await inbox.deadLetter(body, reason, failed.refusal))) {
      telemetry.count('MessagesRejected', 1);
      return 'done';
    }
    await inbox.retry([receipt], retryAfterSec(receives));
  } catch (error) {
    // Nothing is lost: the message comes again when its visibility timeout is over.
    telemetry.warn('message neither moved to the dead-letter queue nor returned', { id, error: errorText(error) });
  }
  return 'again';
}

/** A deployment replaces the functions within minutes. */
const NEWER_AFTER_SEC = 60;

/** A message of a later release, for this one to try again, or for the next: without what leads to the dead letters. */
async function putOff(
  { received: { receipt, body, receives }, isDerived }: Extract<Failed, { why: 'newer' }>,
  inbox: Inbox,
): Promise<'done' | 'again'> {
  if (receives < RECEIVES_MAX) {
    await inbox.retry([receipt], NEWER_AFTER_SEC);
    return 'again';
  }
  // What the sweep sends again each minute must not be sent again by itself, too: such messages would become ever more.
  if (!isDerived) await inbox.sendAgain(body, NEWER_AFTER_SEC);
  return 'done';
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
