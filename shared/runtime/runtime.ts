import type { LetterPorts } from '../control/dead-letters.ts';
import type { Deps } from '../control/deps.ts';
import type { QueueDepth } from '../ports/dead-letters.ts';
import type { FeedNews } from '../ports/feed-news.ts';
import type { LogReader } from '../ports/log-reader.ts';
import type { FlushedTelemetry } from '../telemetry/lambda-telemetry.ts';
import type { Inbox } from '../adapters/aws/sqs-inbox.ts';

/** Everything that the handlers of one process share. */
export type Runtime = {
  readonly deps: Deps & { readonly telemetry: FlushedTelemetry };
  /** What this process appends to feeds. */
  readonly news: FeedNews;
  readonly logs: LogReader;
  /** The fact queue, from which reconcile takes more than it was handed. */
  readonly facts: Inbox;
  /** The queue of this ARN, if it is one of ours. */
  inboxOf(queueArn: string): Inbox | null;
  /** Where messages end that nobody could process, and where they are kept. */
  readonly letters: LetterPorts;
  /** How much is in our queues now, roughly. */
  readonly queueDepths: () => Promise<readonly QueueDepth[]>;
  /** A pass over few facts waits until the one before is this long ago, so that a steady trickle is taken in batches. */
  readonly coalesceMs: number;
  /** Closes the clients' connections. */
  close(): void;
};
