import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import { asTime, plusMs } from '../../../shared/domain/base/time.ts';
import type { JobManifest } from '../../../shared/domain/manifests/manifest.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import type { Random } from '../random.ts';
import { START } from './world.ts';

type Spec = JobManifest['spec'];

/** No index of it shares a limit with another. */
const MANY = 2_147_483_647;

/** The Job with rules of its own about how much success is enough, what becomes of the rest, and how much may fail. */
export function withJudgement(stored: StoredSpec, random: Random): StoredSpec {
  const { manifest } = stored;
  const isPerIndex = manifest.spec.completionMode === 'Indexed' && random.chance(0.7);
  const places = withPlaces(manifest.spec, random);
  const spec = isPerIndex ? perIndex(places, random) : places;
  const isLimited = isPerIndex && random.chance(0.4);
  // A Job that fails first proves nothing of how it would have succeeded.
  const isSuccess = !isLimited || random.chance(0.4);
  const annotations = {
    ...manifest.metadata.annotations,
    ...(isLimited ? { [ANNOTATIONS.maxFailedPercent]: random.pick(['0', '0', '10', '33.3']) } : {}),
    ...(isSuccess ? success(spec, random) : {}),
    ...(random.chance(0.15) ? { [ANNOTATIONS.killAt]: asTime(plusMs(START, random.between(60_000, 600_000))) } : {}),
  };
  return { ...stored, manifest: { ...manifest, metadata: { ...manifest.metadata, annotations }, spec } };
}

/** Several Pods at once: some still run when the criteria are met, which most of these Jobs come to. */
function withPlaces(plain: Spec, random: Random): Spec {
  const completions = plain.completions === undefined ? {} : { completions: Math.max(plain.completions, 6) };
  // All at once: each index has had its turn when those have ended that go on.
  const places = random.chance(0.5) ? (completions.completions ?? 6) : 6;
  const backoffLimit = random.chance(0.7) ? MANY : plain.backoffLimit;
  return { ...plain, ...completions, parallelism: Math.max(plain.parallelism, places), backoffLimit };
}

/** Nothing but too many failed indexes ends it early. */
function perIndex(plain: Spec, random: Random): Spec {
  const { podFailurePolicy: _, activeDeadlineSeconds: __, ...rest } = plain;
  return { ...rest, backoffLimit: MANY, backoffLimitPerIndex: random.between(0, 1) };
}

function success(spec: Spec, random: Random) {
  const { completions, parallelism, successPolicy } = spec;
  const isShare = completions !== undefined && random.chance(0.5);
  const enough = isShare
    ? { [ANNOTATIONS.successPercent]: random.pick(['0.1', '20', '33.334', '50']) }
    : { [ANNOTATIONS.successCount]: String(random.between(1, Math.max(1, Math.min(completions ?? parallelism, 3)))) };
  const rules = (successPolicy?.rules.length ?? 0) + 1;
  const reasons = Array.from({ length: random.chance(0.5) ? 1 : rules }, (_, i) => `Reason${i}`);
  return {
    ...enough,
    [ANNOTATIONS.whenAchieved]: random.pick([
      'Terminate',
      'Continue',
      'Continue',
      'Continue',
      'ContinueWithRecreations',
      'ContinueWithRecreations',
    ]),
    ...(random.chance(0.4) ? { [ANNOTATIONS.successReason]: reasons.join(',') } : {}),
    ...(random.chance(0.3) ? { [ANNOTATIONS.successMessage]: 'that is enough' } : {}),
    ...(random.chance(0.2) ? { [ANNOTATIONS.successFirst]: 'true' } : {}),
  };
}

/** The same Job, whose success is that of all its indexes. */
export function withoutJudgement(manifest: JobManifest): JobManifest {
  const annotations = Object.entries(manifest.metadata.annotations ?? {}).filter(([key]) => !OF_SUCCESS.includes(key));
  return { ...manifest, metadata: { ...manifest.metadata, annotations: Object.fromEntries(annotations) } };
}

const OF_SUCCESS: readonly string[] = [
  ANNOTATIONS.successPercent,
  ANNOTATIONS.successCount,
  ANNOTATIONS.successReason,
  ANNOTATIONS.successMessage,
  ANNOTATIONS.whenAchieved,
  ANNOTATIONS.successFirst,
];
