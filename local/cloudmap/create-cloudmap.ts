import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Throttle, type Rate } from '../ecs/throttle.ts';
import { wallTimers, type Timers } from '../ecs/timers.ts';
import type { AwsService } from '../wire/aws-json.ts';
import { cloudmapService, type CloudmapApi } from '../wire/cloudmap-wire.ts';
import { cloudmapApi } from './cloudmap-api.ts';
import { Operations } from './operations.ts';
import { Registry } from './registry.ts';

export type CloudmapOptions = {
  /** what every name ends in, e.g. `muster.internal`; its namespace is there from the start */
  readonly zone: string;
  /** `cloudmap/` is made in it when there is something to keep; null: nothing is kept */
  readonly dataDir: string | null;
  /** seconds for which it may be remembered that there is no such name; 5 if left out */
  readonly negativeTtlSec?: number;
  /** us-east-1 and 000000000000 if left out */
  readonly region?: string;
  readonly account?: string;
  /** how long an operation takes, evenly between the two; 5 to 50 ms if left out */
  readonly operationMs?: readonly [number, number];
  /** The error code with which an operation fails; they succeed if left out. */
  readonly failure?: (type: 'REGISTER_INSTANCE' | 'DEREGISTER_INSTANCE') => string | null;
  /** instances; AWS's quotas (1,000 and 2,000) if left out */
  readonly quota?: { readonly perService?: number; readonly perNamespace?: number };
  /** Throttles calls, e.g. by CLOUDMAP_LIMITS; nothing is throttled if left out. */
  readonly limits?: Partial<Record<keyof CloudmapApi, Rate>>;
  /** For tests with a clock of their own. */
  readonly timers?: Timers;
  /** Told of files that make no sense. */
  readonly warn?: (message: string) => void;
};

export type Cloudmap = {
  /** To be served by serveAwsJson. */
  readonly service: AwsService;
  /** of the namespace; the same for the same zone, always */
  readonly namespaceId: string;
  readonly zone: string;
  readonly negativeTtlSec: number;
  /** What DNS has to say of a name; see {@link Found}. */
  lookUp(name: string): Found;
  /** Does nothing any more. What was accepted is on disk. */
  close(): void;
};

/** What is known of a name, whatever its case. */
export type Found =
  /** not in this zone */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'absent' }
  /** the name is there, an address is not: names below it have some, or it is the zone itself */
  | { readonly kind: 'empty'; readonly isZone: boolean }
  /** at least one, in no order */
  | { readonly kind: 'addresses'; readonly ips: readonly string[]; readonly ttlSec: number };

const DEFAULT_OPERATION_MS = [5, 50] as const;
const DEFAULT_NEGATIVE_TTL_SEC = 5;
/** Instances of a service, and of all services of a DNS namespace (reference/aws.md 4.1). */
const AWS_QUOTA = { perService: 1_000, perNamespace: 2_000 };

/** The embedded Cloud Map, with one private DNS namespace. What it holds outlives it in the data folder, as tasks outlive ECS. */
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
    service: cloudmapService(api),
    namespaceId: namespace.id,
    zone,
    negativeTtlSec,
    lookUp: (name) => lookUp(registry, zone.toLowerCase(), name.toLowerCase()),
    close: () => timers.close(),
  };
}

function lookUp(registry: Registry, zone: string, name: string): Found {
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
