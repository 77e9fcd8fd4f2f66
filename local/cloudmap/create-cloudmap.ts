import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Throttle, type Rate } from '../ecs/throttle.ts';
import { wallTimers, type Timers } from '../ecs/timers.ts';
import type { CloudmapApi } from '../wire/cloudmap-operations.ts';
import { cloudmapApi } from './cloudmap-api.ts';
import { Operations } from './operations.ts';
import { Registry } from './registry.ts';

export type CloudmapOptions = {
  /** the suffix of every name, e.g. `muster.internal`; its namespace always exists */
  readonly zone: string;
  /** parent of the folder `cloudmap/`, which is created on the first write; null: nothing is stored */
  readonly dataDir: string | null;
  /** seconds for which a resolver may cache that a name does not exist; 5 by default */
  readonly negativeTtlSec?: number;
  /** us-east-1 and 000000000000 by default */
  readonly region?: string;
  readonly account?: string;
  /** how long an operation takes, uniform between the two; 5 to 50 ms by default */
  readonly operationMs?: readonly [number, number];
  /** The error code that an operation fails with; by default, operations succeed. */
  readonly failure?: (type: 'REGISTER_INSTANCE' | 'DEREGISTER_INSTANCE') => string | null;
  /** limits on instances; AWS's quotas (1,000 and 2,000) by default */
  readonly quota?: { readonly perService?: number; readonly perNamespace?: number };
  /** Throttles calls, e.g. by CLOUDMAP_LIMITS; no throttling by default. */
  readonly limits?: Partial<Record<keyof CloudmapApi, Rate>>;
  /** For tests with their own clock. */
  readonly timers?: Timers;
  /** Called for files that cannot be parsed. */
  readonly warn?: (message: string) => void;
};

export type Cloudmap = {
  readonly api: CloudmapApi;
  /** of the namespace; always the same for the same zone */
  readonly namespaceId: string;
  readonly zone: string;
  readonly negativeTtlSec: number;
  /** What DNS answers for a name; see {@link FoundName}. */
  lookUp(name: string): FoundName;
  /** Calls `listener` with each name whose addresses change from now on. */
  watch(listener: (name: string) => void): void;
  /** Stops everything. Accepted operations are on disk. */
  close(): void;
};

/** What is known about a name; letter case does not matter. */
export type FoundName =
  /** not in this zone */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'absent' }
  /** the name exists without an address: names below it have addresses, or it is the zone itself */
  | { readonly kind: 'empty'; readonly isZone: boolean }
  /** at least one, in no order */
  | { readonly kind: 'addresses'; readonly ips: readonly string[]; readonly ttlSec: number };

const DEFAULT_OPERATION_MS = [5, 50] as const;
const DEFAULT_NEGATIVE_TTL_SEC = 5;
/** Limits on the instances of a service, and of all services of a DNS namespace (reference/aws.md 4.1). */
const AWS_QUOTA = { perService: 1_000, perNamespace: 2_000 };

/** The embedded Cloud Map with one private DNS namespace. Its state survives it in the data folder, as tasks survive ECS. */
export function createCloudmap(options: CloudmapOptions): Cloudmap {
  const { zone, dataDir, negativeTtlSec = DEFAULT_NEGATIVE_TTL_SEC } = options;
  const timers = options.timers ?? wallTimers();
  const [leastMs, mostMs] = options.operationMs ?? DEFAULT_OPERATION_MS;
  const registry = new Registry(dataDir === null ? null : join(dataDir, 'cloudmap'), options.warn);
  const namespace = { id: namespaceIdOf(zone), zone, negativeTtlSec };
  const api = cloudmapApi({
    namespace,
    registry,
    operations: new Operations(timers),
    throttle: new Throttle<keyof CloudmapApi>(options.limits ?? {}),
    place: { region: options.region ?? 'us-east-1', account: options.account ?? '000000000000' },
    quota: { ...AWS_QUOTA, ...options.quota },
    now: () => timers.now(),
    operationMs: () => leastMs + Math.random() * (mostMs - leastMs),
    failure: options.failure ?? (() => null),
  });
  return {
    api,
    namespaceId: namespace.id,
    zone,
    negativeTtlSec,
    watch: (listener) => registry.watch((below) => listener(`${below}.${zone}`)),
    lookUp: (name) => lookUp(registry, zone.toLowerCase(), name.toLowerCase()),
    close: () => timers.close(),
  };
}

function lookUp(registry: Registry, zone: string, name: string): FoundName {
  if (name === zone) return { kind: 'empty', isZone: true };
  if (!name.endsWith(`.${zone}`)) return { kind: 'foreign' };
  const below = name.slice(0, -zone.length - 1);
  const service = registry.named(below);
  if (service === null || service.instances.size === 0)
    return registry.hasBelow(below) ? { kind: 'empty', isZone: false } : { kind: 'absent' };
  const ips = [...service.instances.values()].flatMap(({ attributes }) => attributes['AWS_INSTANCE_IPV4'] ?? []);
  return { kind: 'addresses', ips: [...new Set(ips)], ttlSec: service.ttlSec };
}

const namespaceIdOf = (zone: string): string => `ns-${createHash('sha256').update(zone).digest('hex').slice(0, 16)}`;
