import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { asTime, plusMs } from '../../../shared/domain/base/time.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Fate } from '../../../shared/adapters/memory/memory-tasks.ts';
import type { Random } from '../random.ts';
import { DONE } from './fates.ts';
import { START } from './world.ts';

type Spec = JobManifest['spec'];

/** No index of it shares a limit with another. */
const MANY = 2_147_483_647;

/** The Job with some of the rules for which `batch/v1` has no field, and with what they need. */
export function withRules(stored: StoredSpec, random: Random): StoredSpec {
  const { manifest } = stored;
  const isIndexed = manifest.spec.completionMode === 'Indexed';
  const kind = isIndexed ? random.pick(['tried again', 'any', 'timed'] as const) : 'timed';
  const isTimed = kind === 'timed' || random.chance(0.4);
  const isKilled = random.chance({ 'tried again': 0.9, any: 0.1, timed: 0.5 }[kind]);
  // Many a Job is over before the last of these.
  const killedWithinMs = random.pick(kind === 'tried again' ? [600_000, 3_600_000] : [120_000, 1_200_000, 3_600_000]);
  const annotations = {
    ...manifest.metadata.annotations,
    ...(kind === 'tried again' ? { [ANNOTATIONS.retryDelay]: random.pick(['0', '7', '7', '45', '700']) } : {}),
    ...(kind === 'any' ? { [ANNOTATIONS.successFirst]: 'true' } : {}),
    ...(isTimed ? { [ANNOTATIONS.startTimeout]: random.pick(['15', '15', '60', '240']) } : {}),
    ...(random.chance(0.3)
      ? { [ANNOTATIONS.startAfter]: moment(random.between(1_000, random.pick([30_000, 400_000]))) }
      : {}),
    ...(isKilled ? { [ANNOTATIONS.killAt]: moment(random.between(20_000, killedWithinMs)) } : {}),
  };
  const spec = kind === 'timed' ? manifest.spec : sharpened(manifest.spec, kind, random);
  return { ...stored, manifest: { ...manifest, metadata: { ...manifest.metadata, annotations }, spec } };
}

/** The Job with deadlines for its Pods, its indexes, or both. */
export function withDeadlines(stored: StoredSpec, random: Random): StoredSpec {
  const { manifest } = stored;
  const { template, backoffLimitPerIndex } = manifest.spec;
  const isIndexed = manifest.spec.completionMode === 'Indexed';
  const ofPods = random.chance(0.7) ? { activeDeadlineSeconds: random.pick([5, 20, 60]) } : {};
  const isLimited = isIndexed && random.chance(0.7);
  const annotations = {
    ...manifest.metadata.annotations,
    ...(isLimited ? { [ANNOTATIONS.indexDeadline]: random.pick(['20s', '1m', '3m']) } : {}),
  };
  const limit = isLimited
    ? { backoffLimitPerIndex: backoffLimitPerIndex ?? random.between(1, 3), backoffLimit: MANY }
    : {};
  const spec = { ...manifest.spec, ...limit, template: { ...template, spec: { ...template.spec, ...ofPods } } };
  return { ...stored, manifest: { ...manifest, metadata: { ...manifest.metadata, annotations }, spec } };
}

/** Each index has a limit of its own, and nothing else ends the Job early. */
function sharpened(plain: Spec, kind: 'tried again' | 'any', random: Random): Spec {
  const { podFailurePolicy: _, successPolicy: __, maxFailedIndexes: ___, activeDeadlineSeconds: ____, ...rest } = plain;
  const completions = Math.max(plain.completions ?? 0, 4);
  const spec = { ...rest, completions, backoffLimit: MANY, parallelism: Math.max(plain.parallelism, 4) };
  // One success is enough, and one failure too many: what decides is what is looked at first.
  return kind === 'any'
    ? {
        ...spec,
        parallelism: completions,
        backoffLimitPerIndex: 0,
        maxFailedIndexes: random.pick([0, 0, 1]),
        successPolicy: { rules: [{ succeededCount: 1 }] },
      }
    : { ...spec, backoffLimitPerIndex: random.between(1, 3) };
}

/** What decides first shows only where successes and failures come at once: the tasks of a Job end together. */
export const endsTogether = ({ manifest }: StoredSpec): boolean =>
  manifest.metadata.annotations?.[ANNOTATIONS.successFirst] !== undefined;

/** Its tasks, of which half fail. */
export const twinFate = (luck: Random): Fate => ({
  startMs: 1_000,
  runMs: 20_000,
  stopMs: 500,
  ending: luck.chance(0.5) ? DONE : { ...DONE, cause: 'Error', exitCode: 1 },
});

const moment = (ms: number): string => asTime(plusMs(START, ms));
