import { createHash } from 'node:crypto';
import { announced } from '../adapters/announced.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { createCapabilityState } from '../capabilities/lists/process-state.ts';
import { createCache } from '../control/process/cache.ts';
import type { Deps, Settings } from '../control/process/deps.ts';
import { createPacer } from '../control/process/pacer.ts';
import { createPublisher } from '../control/process/publisher.ts';
import type { DeadLetterStore, DeadQueues, QueueName } from '../ports/dead-letters.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { LogReader } from '../ports/log-reader.ts';
import type { Submissions } from '../ports/submissions.ts';
import type { FlushedTelemetry } from '../telemetry/lambda-telemetry.ts';
import type { Coalescing } from './coalescing.ts';
import type { Runtime } from './runtime.ts';

/** The ports of a store. */
export type StorePorts = Pick<
  Deps,
  'jobs' | 'feed' | 'limits' | 'objects' | 'hosts' | 'items' | 'crons' | 'waiters'
> & {
  readonly deadLetters: DeadLetterStore;
};

/** Opened ports: adapters of AWS's services, of emulators, or of engines in this process. */
export type RuntimeParts = Pick<Deps, 'tasks' | 'ports' | 'queues'> & {
  readonly store: StorePorts;
  readonly logs: LogReader;
  /** The receiving side of each queue, and the queue's name, the last part of its ARN. */
  readonly inboxes: Readonly<Record<Exclude<QueueName, 'submit'>, NamedInbox>> & { readonly submit: NamedInbox | null };
  readonly submissions: Submissions | null;
  readonly deadQueues: DeadQueues;
  readonly queueDepths: Runtime['queueDepths'];
  readonly settings: Settings;
  readonly coalescing: Coalescing;
  /** Omitted: there are no roles, and ServiceAccounts may name any. */
  readonly taskRoles?: Runtime['taskRoles'];
  readonly telemetry: FlushedTelemetry;
  /** See {@link Runtime.close}. */
  readonly close: () => void;
};

type NamedInbox = { readonly inbox: Inbox; readonly queueName: string };

/** Puts opened ports together into what the handlers of one process share. */
export function assembleRuntime(parts: RuntimeParts): Runtime {
  const { store, inboxes, telemetry, settings } = parts;
  const { feed, objects, notifications } = announced(store);
  const byName = new Map(
    Object.values(inboxes).flatMap((named) => (named === null ? [] : [[named.queueName, named.inbox] as const])),
  );
  return {
    deps: {
      jobs: store.jobs,
      feed,
      limits: store.limits,
      hosts: store.hosts,
      items: store.items,
      crons: store.crons,
      waiters: store.waiters,
      ports: parts.ports,
      objects,
      tasks: parts.tasks,
      queues: parts.queues,
      clock: systemClock,
      telemetry,
      cache: createCache(),
      publisher: createPublisher({ feed, clock: systemClock }),
      pacer: createPacer({ limits: store.limits, clock: systemClock }),
      state: createCapabilityState({ objects, clock: systemClock, notifications }),
      settings,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    },
    notifications,
    logs: parts.logs,
    facts: inboxes.facts.inbox,
    inboxOf: (queueArn) => byName.get(queueArn.slice(queueArn.lastIndexOf(':') + 1)) ?? null,
    deadLetters: { dead: parts.deadQueues, deadLetters: store.deadLetters },
    submissions: parts.submissions,
    queueDepths: parts.queueDepths,
    coalescing: parts.coalescing,
    taskRoles: parts.taskRoles ?? null,
    close: parts.close,
  };
}
