import { FURIKO_API_VERSION, type ConcurrencyPolicy } from '../../domain/furiko-job.ts';
import type { JobConfigManifest } from '../../domain/job-config.ts';
import { admitJobConfig } from '../../schema/job-config-admission.ts';
import type { Random } from '../../../../../test/dst/random.ts';
import { STORM_MIN } from '../../../../../test/dst/world/seed-cron.ts';
import type { EpochMs } from '../../../../domain/base/time.ts';

/** The JobConfig of one seed. */
export type SeedConfig = {
  readonly uid: string;
  readonly manifest: JobConfigManifest;
  /** Seconds between its slots; null: it has no schedule. */
  readonly everySec: number | null;
  readonly orders: readonly Order[];
  readonly acts: readonly ConfigAct[];
};

/** A Job that somebody wants. */
export type Order = {
  readonly afterMs: number;
  readonly name: string;
  readonly policy: ConcurrencyPolicy;
  /** It is to start so much later; null: at once. */
  readonly startAfterMs: number | null;
};

export type ConfigAct = { readonly afterMs: number } & (
  | { readonly kind: 'disabled' | 'enabled' | 'a Job deleted' }
  | { readonly kind: 'limited'; readonly max: number }
);

export const CONFIG_KEY = { namespace: 'default', name: 'turns' };

export function configByLuck(seed: number, random: Random, now: EpochMs): SeedConfig {
  const policy = random.pick(['Enqueue', 'Enqueue', 'Enqueue', 'Forbid', 'Forbid', 'Allow'] as const);
  const everySec = random.pick([null, 20, 20, 30, 60]);
  const document = {
    apiVersion: FURIKO_API_VERSION,
    kind: 'JobConfig',
    metadata: { name: CONFIG_KEY.name },
    spec: {
      template: {
        spec: {
          parallelism: { withCount: random.between(1, 2) },
          maxAttempts: 1,
          taskPendingTimeoutSeconds: 0,
          taskTemplate: {
            pod: { spec: { containers: [{ name: 'main', image: 'busybox', command: ['true'] }] } },
          },
        },
      },
      concurrency: { policy, ...(policy === 'Allow' ? {} : { maxConcurrency: random.between(1, 3) }) },
      ...(everySec === null ? {} : { schedule: { cron: { expression: expressionOf(everySec) } } }),
    },
  };
  const uid = `config-${seed}`;
  const admission = admitJobConfig(document, {
    namespace: CONFIG_KEY.namespace,
    uid,
    nameSuffix: '',
    fieldValidation: 'Strict',
    now,
  });
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return {
    uid,
    manifest: admission.manifest,
    everySec,
    orders: ordersByLuck(policy, random),
    acts: actsByLuck(policy, random),
  };
}

const expressionOf = (everySec: number): string =>
  everySec < 60 ? `*/${everySec} * * * * * *` : `0 */${everySec / 60} * * * * *`;

const within = (random: Random): number => random.between(5_000, STORM_MIN * 60_000);

/** Some come one after the other, some in bursts. */
function ordersByLuck(policy: ConcurrencyPolicy, random: Random): SeedConfig['orders'] {
  const orders: Order[] = [];
  for (let burst = random.between(6, 12); burst > 0; burst--) {
    const afterMs = within(random);
    for (let n = random.between(1, 6); n > 0; n--) {
      const own = policy === 'Allow' || random.chance(0.8) ? policy : random.pick(['Enqueue', 'Forbid'] as const);
      const isLater = own !== 'Forbid' && random.chance(0.15);
      orders.push({
        afterMs: afterMs + random.between(0, 2_000),
        name: `order-${orders.length}`,
        policy: own,
        startAfterMs: isLater ? random.between(1_000, 180_000) : null,
      });
    }
  }
  return orders;
}

function actsByLuck(policy: ConcurrencyPolicy, random: Random): SeedConfig['acts'] {
  const acts: ConfigAct[] = [];
  for (let n = random.between(0, 2); n > 0; n--) {
    const afterMs = within(random);
    acts.push({ afterMs, kind: 'disabled' }, { afterMs: afterMs + random.between(1_000, 240_000), kind: 'enabled' });
  }
  for (let n = random.between(2, 8); n > 0; n--) acts.push({ afterMs: within(random), kind: 'a Job deleted' });
  if (policy !== 'Allow' && random.chance(0.3))
    acts.push({ afterMs: within(random), kind: 'limited', max: random.between(1, 3) });
  return acts;
}
