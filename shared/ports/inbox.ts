import type { SubmissionRefusal } from './dead-letters.ts';

/** A received message: hidden from others until it is removed or its visibility timeout ends. */
export type Received = {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  /** including this one */
  readonly receives: number;
};

/** The receiving side of one queue. */
export type Inbox = {
  /**
   * Up to ten messages. If there are none, waits up to `waitSec` (0 to 20, default 0) for the first ones. Aborting ends
   * the wait and may hide some messages for a while.
   */
  receive(wait?: { readonly waitSec: number; readonly signal: AbortSignal }): Promise<readonly Received[]>;
  /** Removes messages for good. Throws if some were not removed. */
  remove(receipts: readonly string[]): Promise<void>;
  /** Makes messages visible again after `delaySec`. Ignores those that are already removed. */
  retry(receipts: readonly string[], delaySec: number): Promise<void>;
  /** Sends a copy to the same queue, visible after `delaySec` (0 to 900): a new message, which was never received. */
  sendAgain(body: string, delaySec: number): Promise<void>;
  /** Sends a copy to the dead-letter queue, with the reason. False: no dead-letter queue is known. */
  deadLetter(body: string, reason: string, refusal?: SubmissionRefusal): Promise<boolean>;
};
