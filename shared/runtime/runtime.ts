import type { DeadLetterPorts } from '../control/sweep/sweep-dead-letters.ts';
import type { Deps } from '../control/process/deps.ts';
import type { TaskRoles } from '../domain/task/task-roles.ts';
import type { QueueDepth } from '../ports/dead-letters.ts';
import type { FeedNotifications } from '../ports/feed-notifications.ts';
import type { LogReader } from '../ports/log-reader.ts';
import type { Submissions } from '../ports/submissions.ts';
import type { FlushedTelemetry } from '../telemetry/lambda-telemetry.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Coalescing } from './coalescing.ts';

/** Everything that the handlers of one process share. */
export type Runtime = {
  readonly deps: Deps & { readonly telemetry: FlushedTelemetry };
  /** Feeds that this process appends to. */
  readonly notifications: FeedNotifications;
  readonly logs: LogReader;
  /** The fact queue, from which reconcile takes more messages than it was handed. */
  readonly facts: Inbox;
  /** The queue with this ARN, if it is one of ours. */
  inboxOf(queueArn: string): Inbox | null;
  /** Where messages end up that could not be processed, and where they are stored. */
  readonly deadLetters: DeadLetterPorts;
  /** Where Jobs are submitted; null: this installation takes no submissions. */
  readonly submissions: Submissions | null;
  /** The approximate number of messages in our queues. */
  readonly queueDepths: () => Promise<readonly QueueDepth[]>;
  readonly coalescing: Coalescing;
  /** Roles that ServiceAccounts may name; null: there are none here, and any will do. */
  readonly taskRoles: TaskRoles | null;
  /** Closes the clients' connections. */
  close(): void;
};
