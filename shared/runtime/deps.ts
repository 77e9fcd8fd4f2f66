import { createHash } from 'node:crypto';
import { announced } from '../adapters/announced.ts';
import type { Connection } from '../adapters/aws/connection.ts';
import { createCloudwatchLogs, createLogsClient } from '../adapters/aws/cloudwatch-logs.ts';
import { createCloudmap, createCloudmapClient } from '../adapters/aws/cloudmap.ts';
import { createDynamoClient } from '../adapters/aws/dynamo-client.ts';
import { createDynamoStore } from '../adapters/aws/dynamo-store.ts';
import { createEcsClients, createEcsTasks } from '../adapters/aws/ecs-tasks.ts';
import type { Placement } from '../adapters/aws/run-task-request.ts';
import { createSqsDeadQueues, queueDepths } from '../adapters/aws/sqs-dead-letters.ts';
import { type Inbox, createSqsInbox } from '../adapters/aws/sqs-inbox.ts';
import { type QueueUrls, createSqsClient, createSqsQueues } from '../adapters/aws/sqs-queues.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { createCache } from '../control/cache.ts';
import { createPacer } from '../control/pacer.ts';
import { createPublisher } from '../control/publisher.ts';
import type { Deps, Settings } from '../control/deps.ts';
import type { Clock } from '../ports/clock.ts';
import type { LetterFile } from '../ports/dead-letters.ts';
import type { FlushedTelemetry } from '../telemetry/lambda-telemetry.ts';
import type { Runtime } from './runtime.ts';

/** Where everything is. Endpoints are null on AWS. */
export type RuntimeOptions = {
  readonly region: string;
  readonly endpoints: {
    readonly sqs: string | null;
    readonly ecs: string | null;
    readonly logs: string | null;
  };
  /** See {@link Connection.accessKey}; null on AWS. */
  readonly accessKey: string | null;
  readonly store: StoreOptions;
  readonly queues: QueueUrls;
  readonly deadQueues: { readonly [K in keyof QueueUrls]: string | null };
  readonly placement: Placement;
  readonly executionRoleArn: string;
  /** null: tasks have no AWS permissions of their own. */
  readonly taskRoleArn: string | null;
  /** Roles of service accounts, by `<namespace>/<name>`; null: there are no roles here, and any account will do. */
  readonly taskRoles: ReadonlyMap<string, string> | null;
  readonly logGroup: string;
  /** Where names of tasks are kept; left out or null: tasks have none. */
  readonly names?: NamesOptions | null;
  readonly settings: Settings;
  /** See {@link Runtime.coalesceMs}. */
  readonly coalesceMs: number;
  readonly telemetry: FlushedTelemetry;
  /** Shown every SDK client before its first call; the bench counts what they ask and consume. */
  readonly onClient?: (client: SdkClient) => void;
};

/** A private DNS namespace of Cloud Map. */
export type NamesOptions = {
  readonly namespaceId: string;
  /** What every name ends in. */
  readonly zone: string;
  /** null on AWS. */
  readonly endpoint: string | null;
};

/** What can be looked over the shoulder of: requests and answers pass through its middleware. */
export type SdkClient =
  | ReturnType<typeof createDynamoClient>
  | ReturnType<typeof createSqsClient>
  | ReturnType<typeof createLogsClient>
  | ReturnType<typeof createCloudmapClient>
  | ReturnType<typeof createEcsClients>['other'];

export type StoreOptions =
  | { readonly kind: 'dynamodb'; readonly tableName: string; readonly endpoint: string | null }
  /** The in-memory store, on machines without the engine. */
  | ({ readonly kind: 'given'; readonly letters: LetterFile } & Pick<
      Deps,
      'jobs' | 'feed' | 'limits' | 'objects' | 'hosts'
    >);

/** Opens every client and puts the ports together: the one place where ports meet adapters. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { endpoints, queues: urls, deadQueues, logGroup, placement, telemetry } = options;
  const { region, accessKey } = options;
  const at = (endpoint: string | null): Connection => ({
    region,
    endpoint,
    ...(accessKey === null ? {} : { accessKey }),
  });
  const store = openStore(options, at);
  const { feed, objects, news } = announced(store);
  const sqs = createSqsClient(at(endpoints.sqs));
  const clients = createEcsClients(at(endpoints.ecs));
  const logsClient = createLogsClient(at(endpoints.logs));
  const names = openNames(options.names ?? null, at);

  const own = [sqs, clients.launching, clients.other, logsClient, ...(names === null ? [] : [names.client])];
  for (const client of own) options.onClient?.(client);

  const inboxes = new Map<string, Inbox>();
  for (const queue of ['wake', 'facts', 'dispatch'] as const) {
    const inbox = createSqsInbox({ client: sqs, url: urls[queue], deadUrl: deadQueues[queue] });
    inboxes.set(nameIn(urls[queue], '/'), inbox);
  }
  const facts = createSqsInbox({ client: sqs, url: urls.facts, deadUrl: deadQueues.facts });
  const definitions = {
    region,
    executionRoleArn: options.executionRoleArn,
    taskRoleArn: options.taskRoleArn,
    taskRoles: options.taskRoles,
    logGroup,
  };
  return {
    deps: {
      jobs: store.jobs,
      feed,
      limits: store.limits,
      hosts: store.hosts,
      hostnames: names?.hostnames ?? null,
      objects,
      tasks: createEcsTasks({ clients, placement, definitions }),
      queues: createSqsQueues({ client: sqs, urls }),
      clock: systemClock,
      telemetry,
      cache: createCache(),
      publisher: createPublisher({ feed, clock: systemClock }),
      pacer: createPacer({ limits: store.limits, clock: systemClock }),
      settings: options.settings,
      hash: (text) => createHash('sha256').update(text).digest('hex'),
    },
    news,
    logs: createCloudwatchLogs({ client: logsClient, logGroup }),
    facts,
    inboxOf: (queueArn) => inboxes.get(nameIn(queueArn, ':')) ?? null,
    letters: { dead: createSqsDeadQueues({ client: sqs, deadUrls: deadQueues }), letters: store.letters },
    queueDepths: async () => queueDepths(sqs, urls, deadQueues),
    coalesceMs: options.coalesceMs,
    close() {
      for (const client of own) client.destroy();
      store.close();
    },
  };
}

function openStore({ store, onClient }: RuntimeOptions, at: (endpoint: string | null) => Connection) {
  if (store.kind === 'given') return { ...store, close: () => undefined };
  const { tableName, endpoint } = store;
  const client = createDynamoClient(at(endpoint));
  onClient?.(client);
  return { ...createDynamoStore({ client, tableName, now: () => systemClock.now() }), close: () => client.destroy() };
}

function openNames(names: NamesOptions | null, at: (endpoint: string | null) => Connection) {
  if (names === null) return null;
  const { namespaceId, zone, endpoint } = names;
  const client = createCloudmapClient(at(endpoint));
  const sleep: Clock['sleep'] = async (ms) => systemClock.sleep(ms);
  return { client, hostnames: createCloudmap({ client, namespaceId, zone, sleep }) };
}

/** A queue's name, the last part of its URL and of its ARN. */
const nameIn = (text: string, separator: string): string => text.slice(text.lastIndexOf(separator) + 1);
