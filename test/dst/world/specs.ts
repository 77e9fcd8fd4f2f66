import { ANNOTATIONS } from '../../../shared/domain/manifests/annotations.ts';
import type { JobManifest, PodFailureRule, SuccessPolicy } from '../../../shared/domain/manifests/manifest.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
import { aJob } from '../../support/a-job.ts';
import { EXIT_CODES } from './fates.ts';
import type { Random } from '../random.ts';
import { START } from './world.ts';

type Spec = JobManifest['spec'];

/** What a Job whose back-off limit is not to matter has. */
const MANY = 2_147_483_647;

export type SpecWish = {
  readonly uid: string;
  readonly name: string;
  readonly large: boolean;
  /** At most so many; null: as luck has it. */
  readonly completionsMax: number | null;
  readonly parallelismMax: number | null;
};

/** A Job by luck: some are plain, the others have some of Kubernetes' policies, as admission would let them in. */
export function specFor(random: Random, { uid, name, large, completionsMax, parallelismMax }: SpecWish): StoredSpec {
  const plain = random.chance(0.35);
  const size = large
    ? random.between(4_097, 4_400)
    : plain
      ? random.pick([0, 1, random.between(2, 30), random.between(2, 30)])
      : random.between(1, 30);
  const mode = large ? 'Indexed' : random.pick(['Indexed', 'Indexed', 'Indexed', 'NonIndexed', 'WorkQueue'] as const);
  const width = large ? size : random.between(1, 12);
  const completions = Math.min(size, completionsMax ?? size);
  const stored = aJob({
    uid,
    name,
    createdAt: START,
    completionMode: mode === 'Indexed' ? 'Indexed' : 'NonIndexed',
    completions: mode === 'WorkQueue' ? null : completions,
    parallelism: Math.min(width, parallelismMax ?? width),
    backoffLimit: random.pick(large ? [0, MANY, MANY, MANY] : plain ? [0, 3, 1_000] : [0, 3, 6, 1_000, 1_000]),
    suspend: !large && random.chance(0.1),
  });
  const { manifest } = named(stored, !large && random.chance(0.5));
  if (plain) {
    const podReplacementPolicy = random.pick(['TerminatingOrFailed', 'Failed'] as const);
    return { ...stored, manifest: { ...manifest, spec: { ...manifest.spec, podReplacementPolicy } } };
  }
  const spec = withPolicies(manifest.spec, random);
  const annotations = {
    ...(random.chance(0.3) ? { [ANNOTATIONS.disruptions]: random.pick(['count', 'losses=1', 'losses=0']) } : {}),
    ...(random.chance(0.3) ? { [ANNOTATIONS.pendingTimeout]: '60' } : {}),
  };
  return { ...stored, manifest: { ...manifest, metadata: { ...manifest.metadata, annotations }, spec } };
}

/** Tasks of Indexed Jobs may have names. */
function named(stored: StoredSpec, isNamed: boolean): StoredSpec {
  const { manifest } = stored;
  const { template, completionMode } = manifest.spec;
  if (!isNamed || completionMode !== 'Indexed') return stored;
  const spec = { ...manifest.spec, template: { ...template, spec: { ...template.spec, subdomain: 'workers' } } };
  return { ...stored, manifest: { ...manifest, spec } };
}

function withPolicies(plain: Spec, random: Random): Spec {
  const indexed = plain.completionMode === 'Indexed';
  const completions = plain.completions ?? 0;
  const perIndex = indexed && random.chance(0.5);
  const judging = random.chance(perIndex ? 0.7 : 0.5);
  const onFailure = !judging && random.chance(0.7);
  const template = plain.template;
  return {
    ...plain,
    ...(perIndex ? { backoffLimitPerIndex: random.pick([0, 0, 1, 2, 3]) } : {}),
    ...(perIndex && random.chance(0.7) ? { backoffLimit: MANY } : {}),
    ...(perIndex && random.chance(0.7) ? { maxFailedIndexes: random.between(0, Math.min(completions, 2)) } : {}),
    ...(judging ? { podFailurePolicy: { rules: failureRules(random, perIndex) } } : {}),
    ...(indexed && completions > 0 && random.chance(0.4) ? { successPolicy: successRules(random, completions) } : {}),
    ...(random.chance(0.35)
      ? { activeDeadlineSeconds: random.pick(completions > 1_000 ? [300, 3_600] : [0, 60, 60, 60, 120, 600, 3_600]) }
      : {}),
    ...(random.chance(0.25) ? { ttlSecondsAfterFinished: random.pick([0, 60, 3_600]) } : {}),
    podReplacementPolicy: !judging && random.chance(0.6) ? 'TerminatingOrFailed' : 'Failed',
    template: onFailure ? { ...template, spec: { ...template.spec, restartPolicy: 'OnFailure' } } : template,
  };
}

/** Ascending, as admission wants them. */
const EXIT_CODE_UNMET = 99;
const EXIT_CODES_MET = [[1], [42], [1, 3], [3, 42], EXIT_CODES] as const;

function failureRules(random: Random, perIndex: boolean): readonly PodFailureRule[] {
  const actions = [
    'FailJob',
    'Ignore',
    'Ignore',
    'Ignore',
    'Count',
    ...(perIndex ? (['Ignore', 'Ignore', 'FailIndex', 'FailIndex'] as const) : []),
  ] as const;
  const rules = Array.from({ length: random.between(1, 3) }, (): PodFailureRule => {
    const action = random.pick(actions);
    return random.chance(0.4)
      ? { action, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }
      : { action, onExitCodes: { operator: random.pick(['In', 'In', 'NotIn']), values: random.pick(EXIT_CODES_MET) } };
  });
  const rest: PodFailureRule = { action: 'FailIndex', onExitCodes: { operator: 'NotIn', values: [EXIT_CODE_UNMET] } };
  return perIndex && random.chance(0.3) ? [...rules, rest] : rules;
}

/** Lists and counts, alone and together. */
function successRules(random: Random, completions: number): SuccessPolicy {
  const low = random.between(0, completions - 1);
  const high = random.between(low, completions - 1);
  const list = { succeededIndexes: low === high ? String(low) : `${low}-${high}` };
  const count = { succeededCount: random.between(1, completions) };
  const both = { ...list, succeededCount: random.between(1, high - low + 1) };
  const rules = random.pick([[list], [count], [both], [list, count], [both, list]]);
  return { rules };
}
