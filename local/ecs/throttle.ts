/** A bucket holds at most `burst` tokens and gains `perSec` tokens per second. */
export type Rate = { readonly burst: number; readonly perSec: number };

export type Bucket = { readonly tokens: number; readonly atMs: number };

/** The bucket after a request for `cost` tokens at `nowMs`. A bucket with too few keeps them all. Pure. */
export function take(
  bucket: Bucket | undefined,
  rate: Rate,
  nowMs: number,
  cost = 1,
): { readonly bucket: Bucket; readonly paid: boolean } {
  const atMs = Math.max(nowMs, bucket?.atMs ?? nowMs);
  const gained = bucket === undefined ? rate.burst : bucket.tokens + ((atMs - bucket.atMs) / 1000) * rate.perSec;
  const tokens = Math.min(rate.burst, gained);
  const paid = tokens >= cost;
  return { bucket: { tokens: paid ? tokens - cost : tokens, atMs }, paid };
}

/** The limits: the ECS API buckets that we use, and Fargate's own in addition. */
export type Limits = {
  readonly clusterModify: Rate;
  readonly clusterRead: Rate;
  readonly definitionModify: Rate;
  readonly definitionRead: Rate;
  readonly fargateRunTask: Rate;
  readonly launchOnDemand: Rate;
  readonly launchSpot: Rate;
};

export type LimitName = keyof Limits;

/** Default quotas of one account and Region (ECS API reference "Request throttling"; "Fargate throttling quotas"). */
export const AWS_LIMITS: Limits = {
  clusterModify: { burst: 100, perSec: 40 },
  clusterRead: { burst: 100, perSec: 20 },
  definitionModify: { burst: 20, perSec: 1 },
  definitionRead: { burst: 50, perSec: 20 },
  fargateRunTask: { burst: 20, perSec: 20 },
  launchOnDemand: { burst: 100, perSec: 20 },
  launchSpot: { burst: 100, perSec: 20 },
};

/** Several buckets that a call draws on together: all of them, or none. */
export class Throttle<Name extends string = LimitName> {
  readonly #limits: Partial<Record<Name, Rate>>;
  #buckets: Partial<Record<Name, Bucket>> = {};

  /** An omitted limit does not limit. */
  constructor(limits: Partial<Record<Name, Rate>>) {
    this.#limits = limits;
  }

  /** Whether a call at `nowMs` may proceed; `costs` lists what it draws on. */
  allows(costs: Partial<Record<Name, number>>, nowMs: number): boolean {
    const after: Partial<Record<Name, Bucket>> = { ...this.#buckets };
    for (const name of Object.keys(costs) as Name[]) {
      const rate = this.#limits[name];
      if (rate === undefined) continue;
      const { bucket, paid } = take(this.#buckets[name], rate, nowMs, costs[name]);
      if (!paid) return false;
      after[name] = bucket;
    }
    this.#buckets = after;
    return true;
  }
}
