import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import { type EpochMs, asTime } from '../../../../domain/base/time.ts';
import { FRESH_LEDGER, type Quota } from '../../domain/quota.ts';
import { withQuota } from '../../domain/quota-document.ts';
import { amountText } from '../../domain/quota-keys.ts';
import type { StoredDocument } from '../../../../ports/object-store.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import type { Random } from '../../../../../test/dst/random.ts';

export const LIMITED = ['pods', 'count/jobs.batch'] as const;
export type LimitedKey = (typeof LIMITED)[number];
export type Hard = Readonly<Partial<Record<LimitedKey, number>>>;

/** The quota of a seed. Every Job of the seed has room in it, if it is alone. */
export type SeedQuota = {
  readonly hard: Hard;
  /** When it is created; 0: before all Jobs. */
  readonly afterMs: number;
  /** What it is lowered to, and when; null: it never is. It is raised again some minutes later. */
  readonly lowered: { readonly hard: Hard; readonly afterMs: number } | null;
};

export const QUOTA_KEY = { namespace: 'default', name: 'team' } as const;

/** So many Pods at a time at most. */
const PARALLELISM_MAX = 5;

/** A quota that is too small for all Jobs of the seed at once. */
export function quotaByLuck(random: Random): SeedQuota {
  const which = random.pick(['pods', 'jobs', 'both', 'both'] as const);
  const hard: Hard = {
    ...(which === 'jobs' ? {} : { pods: random.between(PARALLELISM_MAX + 1, 12) }),
    ...(which === 'pods' ? {} : { 'count/jobs.batch': random.between(3, 5) }),
  };
  return {
    hard,
    afterMs: random.chance(0.25) ? random.between(5_000, 300_000) : 0,
    lowered: random.chance(0.5)
      ? { hard: lowest(hard), afterMs: random.between(10_000, random.pick([60_000, 900_000])) }
      : null,
  };
}

const lowest = (hard: Hard): Hard => ({
  ...(hard.pods === undefined ? {} : { pods: PARALLELISM_MAX }),
  ...(hard['count/jobs.batch'] === undefined ? {} : { 'count/jobs.batch': 2 }),
});

/** Small Jobs; some wait for the first one, which counts for them like any other, and some are suspended at first. */
export function jobsByLuck(seed: number, random: Random, createdAt: EpochMs): readonly StoredSpec[] {
  return Array.from({ length: random.between(6, 10) }, (_, nth) => {
    const waits = nth > 0 && random.chance(0.25);
    const isIndexed = random.chance(0.7);
    const stored = aJob({
      uid: `sim-${seed}-${nth}`,
      name: `work-${nth}`,
      createdAt,
      completionMode: isIndexed ? 'Indexed' : 'NonIndexed',
      completions: isIndexed || random.chance(0.7) ? random.between(1, 12) : null,
      parallelism: random.between(1, PARALLELISM_MAX),
      backoffLimit: random.between(0, 6),
      suspend: nth > 0 && random.chance(0.25),
      ...(waits ? { annotations: { [ANNOTATIONS.after]: 'work-0:finished' } } : {}),
    });
    return stored;
  });
}

export const parallelismByLuck = (random: Random): number => random.between(1, PARALLELISM_MAX);

/** The quota as the API stores it, with what it says that is used. */
export function quotaDocument(hard: Hard, used: Quota['used'], createdAt: EpochMs): StoredDocument {
  const document = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { ...QUOTA_KEY, uid: 'uid-of-team', creationTimestamp: asTime(createdAt) },
    spec: { hard: textsOf(hard) },
  };
  return withQuota(document, { name: QUOTA_KEY.name, uid: 'uid-of-team', hard, used, ledger: FRESH_LEDGER });
}

/** The same quota with other limits. */
export const withHard = (document: StoredDocument, hard: Hard): StoredDocument => ({
  ...document,
  spec: { hard: textsOf(hard) },
});

const textsOf = (hard: Hard): Readonly<Record<string, string>> =>
  Object.fromEntries(
    LIMITED.flatMap((key) => {
      const amount = hard[key];
      return amount === undefined ? [] : [[key, amountText(key, amount)]];
    }),
  );
