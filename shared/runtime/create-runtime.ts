import type { TaskRoles } from '../domain/task/task-roles.ts';
import { namedRoleOf } from '../store/account-role.ts';
import type { Connection } from '../adapters/aws/connection.ts';
import { createCloudwatchLogs } from '../adapters/aws/logs/cloudwatch-logs.ts';
import { createLogsClient, sdkLogsCalls } from '../adapters/aws/logs/sdk-logs-calls.ts';
import { createDynamoClient } from '../adapters/aws/dynamodb/dynamo-client.ts';
import { createEcsTasks } from '../adapters/aws/ecs/ecs-tasks.ts';
import { createEcsClients, sdkEcsCalls } from '../adapters/aws/ecs/sdk-ecs-calls.ts';
import type { DefinitionSettings } from '../adapters/aws/ecs/task-definition-request.ts';
import type { Placement } from '../adapters/aws/ecs/run-task-request.ts';
import { createSqsDeadQueues, queueDepths } from '../adapters/aws/sqs/sqs-dead-letters.ts';
import { createSqsInbox } from '../adapters/aws/sqs/sqs-inbox.ts';
import {
  type QueueUrls,
  createSqsClient,
  createSqsQueues,
  createSqsSubmissions,
} from '../adapters/aws/sqs/sqs-queues.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { OPENERS } from '../capabilities/lists/opened.ts';
import type { Settings } from '../control/process/deps.ts';
import type { CapabilityPorts } from '../ports/capability-ports.ts';
import type { Clock } from '../ports/clock.ts';
import type { FlushedTelemetry } from '../telemetry/lambda-telemetry.ts';
import { type StorePorts, assembleRuntime } from './assemble-runtime.ts';
import type { Coalescing } from './coalescing.ts';
import { createDynamoStore } from './dynamo-store.ts';
import { type FunctionPlaces, type NamesOptions, type OpenOfFunction, openPorts } from './opened-ports.ts';
import type { Runtime } from './runtime.ts';
import type { SdkClient } from './sdk-client.ts';

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
  /** null: there are no roles here, and any account will do. */
  readonly taskRoles: TaskRoles | null;
  readonly logGroup: string;
  /** What else task definitions of this installation share. */
  readonly definitions?: Pick<DefinitionSettings, 'filesImage' | 'mountsParts' | 'groups' | 'exec'>;
  /** See {@link EcsTasksOptions.volumeRoleArn}. */
  readonly volumeRoleArn?: string | null;
  /** Where names of tasks are kept; left out or null: tasks have none. */
  readonly names?: NamesOptions | null;
  readonly settings: Settings;
  /** What somebody has opened already of what only capabilities ask. */
  readonly ports?: Partial<CapabilityPorts>;
  /** What this function asks and no other, and where that is; left out: nothing. */
  readonly ofFunction?: { readonly places: FunctionPlaces; readonly open: readonly OpenOfFunction[] };
  readonly coalescing: Coalescing;
  readonly telemetry: FlushedTelemetry;
  /** Shown every SDK client before its first call; the bench counts what they ask and consume. */
  readonly onClient?: (client: SdkClient) => void;
};

export type { SdkClient };

export type StoreOptions =
  | { readonly kind: 'dynamodb'; readonly tableName: string; readonly endpoint: string | null }
  /** The in-memory store, on machines without the engine. */
  | ({ readonly kind: 'given' } & StorePorts);

/** Opens every SDK client, and puts the ports together. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { endpoints, queues: urls, deadQueues, logGroup, placement, region, accessKey } = options;
  const at = (endpoint: string | null): Connection => ({
    region,
    endpoint,
    ...(accessKey === null ? {} : { accessKey }),
  });
  const store = openStore(options, at);
  const sqs = createSqsClient(at(endpoints.sqs));
  const clients = createEcsClients(at(endpoints.ecs));
  const logsClient = createLogsClient(at(endpoints.logs));
  const sleep: Clock['sleep'] = async (ms) => systemClock.sleep(ms);
  const { ports, clients: further } = openPorts(OPENERS, { names: options.names ?? null }, at, sleep);

  const own = [sqs, clients.launching, clients.other, logsClient, ...further];
  for (const client of own) options.onClient?.(client);

  const { ofFunction, telemetry, onClient } = options;
  const opened = ofFunction?.open.map((open) => open(ofFunction.places, { at, onClient, telemetry })) ?? [];

  const inboxOf = (url: string, deadUrl: string | null) => ({
    inbox: createSqsInbox({ client: sqs, url, deadUrl }),
    queueName: url.slice(url.lastIndexOf('/') + 1),
  });
  const definitions = {
    region,
    executionRoleArn: options.executionRoleArn,
    taskRoleArn: options.taskRoleArn,
    taskRoles: options.taskRoles,
    logGroup,
    ...options.definitions,
  };
  return assembleRuntime({
    store,
    tasks: createEcsTasks({
      calls: sdkEcsCalls(clients),
      placement,
      definitions,
      namedRoleOf: (account) => namedRoleOf(account, store),
      ...(options.volumeRoleArn === undefined ? {} : { volumeRoleArn: options.volumeRoleArn }),
    }),
    ports: opened.reduce<Partial<CapabilityPorts>>((all, each) => ({ ...all, ...each.ports }), {
      ...options.ports,
      ...ports,
    }),
    logs: createCloudwatchLogs({ calls: sdkLogsCalls(logsClient), logGroup }),
    queues: createSqsQueues({ client: sqs, urls }),
    inboxes: {
      wake: inboxOf(urls.wake, deadQueues.wake),
      facts: inboxOf(urls.facts, deadQueues.facts),
      dispatch: inboxOf(urls.dispatch, deadQueues.dispatch),
      submit: urls.submit === null ? null : inboxOf(urls.submit, deadQueues.submit),
    },
    submissions: urls.submit === null ? null : createSqsSubmissions(sqs, urls.submit),
    deadQueues: createSqsDeadQueues({ client: sqs, deadUrls: deadQueues }),
    queueDepths: async () => queueDepths(sqs, urls, deadQueues),
    settings: options.settings,
    coalescing: options.coalescing,
    taskRoles: options.taskRoles,
    telemetry: options.telemetry,
    close() {
      for (const client of own) client.destroy();
      for (const { close } of opened) close();
      store.close();
    },
  });
}

function openStore({ store, onClient }: RuntimeOptions, at: (endpoint: string | null) => Connection) {
  if (store.kind === 'given') return { ...store, close: () => undefined };
  const { tableName, endpoint } = store;
  const client = createDynamoClient(at(endpoint));
  onClient?.(client);
  return { ...createDynamoStore({ client, tableName, now: () => systemClock.now() }), close: () => client.destroy() };
}
