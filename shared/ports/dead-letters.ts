import type { EpochMs, JobUid } from '../domain/brand.ts';

/** Our queues by what is in them. */
export type QueueName = 'wake' | 'facts' | 'dispatch';
export const QUEUE_NAMES: readonly QueueName[] = ['wake', 'facts', 'dispatch'];

/** A message that could not be processed. */
export type DeadLetter = {
  /** The queue that it was in, or could not be put into. */
  readonly queue: QueueName;
  /** SQS's id of it. */
  readonly id: string;
  readonly body: string;
  /** Why, for people. */
  readonly reason: string;
  readonly sentAt: EpochMs;
};

/** One in our hands: hidden from others until it is removed, or a minute has passed. */
export type TakenLetter = DeadLetter & { readonly receipt: string };

/** The dead-letter queues. Every method is safe to repeat. */
export type DeadQueues = {
  /** Up to ten letters of one queue; none if there is none, or no such queue. One request. */
  take(queue: QueueName): Promise<readonly TakenLetter[]>;
  /** For good. Throws if SQS has not done it for all of them. */
  remove(queue: QueueName, receipts: readonly string[]): Promise<void>;
};

/** A letter as it is kept for people: a long body is cut. */
export type FiledLetter = DeadLetter & {
  /** The Job that it was about, as far as one can tell. */
  readonly job: JobUid | null;
  readonly filedAt: EpochMs;
};

/** Dead letters of all queues, as rows. */
export type LetterFile = {
  /** Writing one twice leaves one. They vanish by themselves some time after `expireAt`. */
  file(letters: readonly FiledLetter[], expireAt: EpochMs): Promise<void>;
  /** The newest by the time they were sent, newest first. `more`: there are older ones. */
  newest(limit: number): Promise<{ readonly letters: readonly FiledLetter[]; readonly more: boolean }>;
};

/** How much is in a queue and in its dead-letter queue, as SQS counts it: roughly. */
export type QueueDepth = {
  readonly queue: QueueName;
  readonly waiting: number;
  /** In somebody's hands. */
  readonly hidden: number;
  /** Not to be seen before its time. */
  readonly delayed: number;
  /** Dead letters that nobody has taken yet. */
  readonly dead: number;
};
