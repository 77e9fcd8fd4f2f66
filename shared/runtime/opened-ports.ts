import type { CloudmapCalls } from '../adapters/aws/cloudmap/cloudmap-calls.ts';
import type { Connection } from '../adapters/aws/connection.ts';
import type { CapabilityPorts } from '../ports/capability-ports.ts';
import type { Clock } from '../ports/clock.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { SdkClient } from './sdk-client.ts';

// How the ports of capabilities are opened: what the lists `opened` and `embedded` of shared/capabilities hold.

/** A private DNS namespace of Cloud Map. */
export type NamesOptions = {
  readonly namespaceId: string;
  /** What every name ends in. */
  readonly zone: string;
  /** null on AWS. */
  readonly endpoint: string | null;
};

/** Where AWS's services are that only capabilities call. */
export type Places = { readonly names: NamesOptions | null };

/** Where changes of Jobs go. */
export type AnnouncementOptions = {
  /** Name or ARN of an event bus; null: none. */
  readonly eventBus: string | null;
  /** Task tokens of Step Functions are answered. */
  readonly taskTokens: boolean;
  /** Of both services; null on AWS. */
  readonly endpoint: string | null;
};

/** Where AWS's services are that only some functions call. */
export type FunctionPlaces = {
  readonly announcements: AnnouncementOptions;
  /** Of Parameter Store; null on AWS. */
  readonly parameters: string | null;
  /** Of Secrets Manager; null on AWS. */
  readonly secrets: string | null;
  /** Omitted: commands cannot be run in tasks here. */
  readonly sessions?: SessionPlaces;
};

/** Where tasks run in which commands can be run. */
export type SessionPlaces = {
  /** The ARN of the tasks' cluster. */
  readonly cluster: string;
  /** Of ECS and of Session Manager; null on AWS. */
  readonly endpoint: string | null;
};

/** Opens what one function asks, and no other: its clients are in no other bundle. */
export type OpenOfFunction = (
  places: FunctionPlaces,
  here: {
    readonly at: (endpoint: string | null) => Connection;
    readonly onClient: ((client: SdkClient) => void) | undefined;
    readonly telemetry: Pick<Telemetry, 'warn'>;
  },
) => { readonly ports: Partial<CapabilityPorts>; readonly close: () => void };

/** An opened port, and its client, which the runtime that opened it closes. */
export type OpenedPort<Port> = { readonly port: Port; readonly client: SdkClient };

/** null: this installation has no such service. */
export type Openers = {
  readonly [K in keyof CapabilityPorts]?: (
    places: Places,
    at: (endpoint: string | null) => Connection,
    sleep: Clock['sleep'],
  ) => OpenedPort<CapabilityPorts[K]> | null;
};

/** Services that run in this process. */
export type EmbeddedServices = {
  readonly cloudmap: { readonly calls: CloudmapCalls; readonly namespaceId: string; readonly zone: string };
};

/** What the ECS of this process reads when tasks start, as it does of Secrets Manager on AWS: versions of Secrets. */
export type EmbeddedSecrets = {
  put(secret: EmbeddedSecret, version: string, values: ReadonlyMap<string, string>): void;
  remove(secret: EmbeddedSecret): void;
  list(): readonly EmbeddedSecret[];
};

type EmbeddedSecret = { readonly namespace: string; readonly name: string };

export type EmbeddedPorts = {
  readonly [K in keyof CapabilityPorts]?: (services: EmbeddedServices, sleep: Clock['sleep']) => CapabilityPorts[K];
};

/** Opens the ports that this installation has. */
export function openPorts(
  openers: Openers,
  places: Places,
  at: (endpoint: string | null) => Connection,
  sleep: Clock['sleep'],
): { readonly ports: Partial<CapabilityPorts>; readonly clients: readonly SdkClient[] } {
  const open: Readonly<
    Record<string, (...from: readonly [Places, typeof at, typeof sleep]) => OpenedPort<unknown> | null>
  > = openers;
  const opened = Object.entries(open).flatMap(([name, opens]) => {
    const each = opens(places, at, sleep);
    return each === null ? [] : [{ name, ...each }];
  });
  return {
    ports: Object.fromEntries(opened.map(({ name, port }) => [name, port])),
    clients: opened.map(({ client }) => client),
  };
}
