/** A message in our hands: hidden from others until it is removed, or its time is up. */
export type Received = {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  /** this receive included */
  readonly receives: number;
};

/** The receiving side of one queue. */
export type Inbox = {
  /**
   * Up to ten messages. If there is none, the first that come within `waitSec` (0..20, default 0). Aborting ends the wait,
   * and may hide some messages for a while.
   */
  receive(wait?: { readonly waitSec: number; readonly signal: AbortSignal }): Promise<readonly Received[]>;
  /** For good. Throws if not all of them were removed. */
  remove(receipts: readonly string[]): Promise<void>;
  /** Shows messages again after `delaySec`, to the next receiver. Ignores those that are gone already. */
  retry(receipts: readonly string[], delaySec: number): Promise<void>;
  /** Puts a copy into the dead-letter queue, with the reason. False: no dead-letter queue is known. */
  deadLetter(body: string, reason: string): Promise<boolean>;
};
