import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid } from '../domain/base/ids.ts';

/** Our queues, by content. */
export type QueueName = 'wake' | 'facts' | 'dispatch' | 'submit';
export const QUEUE_NAMES: readonly QueueName[] = ['wake', 'facts', 'dispatch', 'submit'];

/** A message that could not be processed. */
export type DeadLetter = {
  /** The queue that it was in, or could not be sent to. */
  readonly queue: QueueName;
  /** Its id in SQS. */
  readonly id: string;
  readonly body: string;
  /** Why, for people. */
  readonly reason: string;
  readonly sentAt: EpochMs;
  /** Of a submission that was refused; omitted: it is none. */
  readonly refusal?: SubmissionRefusal | undefined;
};

/** Why a submission made no Job. */
export type SubmissionRefusal = {
  /** Whose users should know. */
  readonly namespace: string;
  /** Kubernetes' Status, as JSON. */
  readonly status: string;
};

/** A received letter: hidden from others until it is removed or a minute has passed. */
export type TakenDeadLetter = DeadLetter & { readonly receipt: string };

/** The dead-letter queues. Every method is safe to repeat. */
export type DeadQueues = {
  /** Up to ten letters of one queue; none if the queue is empty or does not exist. One request. */
  take(queue: QueueName): Promise<readonly TakenDeadLetter[]>;
  /** Deletes them. Throws if SQS did not delete all of them. */
  remove(queue: QueueName, receipts: readonly string[]): Promise<void>;
};

/** A letter as stored for people: a long body is cut. */
export type StoredDeadLetter = DeadLetter & {
  /** The Job that it was about, as far as known. */
  readonly job: JobUid | null;
  readonly filedAt: EpochMs;
};

/** Dead letters of all queues, as rows. */
export type DeadLetterStore = {
  /** Writing one twice stores one. They expire some time after `expireAt`. */
  file(deadLetters: readonly StoredDeadLetter[], expireAt: EpochMs): Promise<void>;
  /** The most recently sent, newest first. `more`: there are older ones. */
  newest(limit: number): Promise<{ readonly deadLetters: readonly StoredDeadLetter[]; readonly more: boolean }>;
};

/** The approximate sizes of a queue and its dead-letter queue, as SQS reports them. */
export type QueueDepth = {
  readonly queue: QueueName;
  readonly waiting: number;
  /** Being processed. */
  readonly hidden: number;
  /** Hidden until their due time. */
  readonly delayed: number;
  /** Dead letters that have not been received yet. */
  readonly dead: number;
};
