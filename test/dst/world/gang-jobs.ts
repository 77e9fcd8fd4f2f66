import type { Fate } from '../../../shared/adapters/memory/memory-tasks.ts';
import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Random } from '../random.ts';
import { DONE } from './fates.ts';

/** The Job with indexes that belong together, as admission would let it in. */
export function withGang(stored: StoredSpec, random: Random): StoredSpec {
  const { manifest } = stored;
  const {
    backoffLimitPerIndex: _,
    maxFailedIndexes: __,
    podFailurePolicy: ___,
    successPolicy: ____,
    activeDeadlineSeconds: _____,
    ...rest
  } = manifest.spec;
  const size = random.between(1, 8);
  const annotations = {
    ...manifest.metadata.annotations,
    [ANNOTATIONS.gang]: 'all',
    [ANNOTATIONS.gangTimeout]: random.pick(['60', '300', '300', '900']),
    [ANNOTATIONS.gangRestarts]: random.pick(['0', '1', '3', '8']),
  };
  const spec = {
    ...rest,
    completionMode: 'Indexed' as const,
    completions: size,
    parallelism: size + random.pick([0, 0, 3]),
    backoffLimit: random.pick([0, 6, 1_000]),
    ...(random.chance(0.3) ? { successPolicy: { rules: [{ succeededIndexes: '0' }] } } : {}),
    template: { ...rest.template, spec: { ...rest.template.spec, subdomain: 'workers' } },
  };
  return { ...stored, manifest: { ...manifest, metadata: { ...manifest.metadata, annotations }, spec } };
}

/** Its tasks run for minutes; now and then one is late, and some fail, or are taken. */
export function gangFate(luck: Random): Fate {
  const end = luck.next();
  return {
    startMs: luck.chance(0.1) ? luck.between(100_000, 1_200_000) : luck.between(500, 8_000),
    runMs: luck.between(1_000, 900_000),
    stopMs: luck.pick([500, 20_000]),
    ending:
      end < 0.15
        ? { ...DONE, cause: 'Error', exitCode: 1 }
        : end < 0.25
          ? { ...DONE, cause: 'Spot', exitCode: null, container: null }
          : DONE,
  };
}
