import { parseStatusIndexes } from '../../../domain/base/index-set.ts';
import { type JobSpec, NO_ADDED_RULES, OWN_MANAGER } from '../../../domain/manifests/job.ts';
import { EVERY_INDEX } from '../../../domain/manifests/selection.ts';
import { POLICY_ACTIONS, type PodFailurePolicy, type PodFailureRule } from '../../../domain/manifests/manifest.ts';
import type { DumpedJobShape } from './dump-shape.ts';
import { defaultBackoffLimit } from '../../../schema/job/job-defaults.ts';

type SpecShape = DumpedJobShape['spec'];

/**
 * The spec of a Job in a cluster, with upstream's defaults (kubernetes-job.md 1.1), which a handmade dump may lack.
 * Pods lost to infrastructure count as upstream counts them, without Muster's own budget.
 */
export function dumpedSpec(spec: SpecShape): JobSpec {
  const completions = spec.completions ?? (spec.parallelism === null ? 1 : null);
  return {
    completionMode: spec.completionMode === 'Indexed' ? 'Indexed' : 'NonIndexed',
    parallelism: spec.parallelism ?? 1,
    completions,
    backoffLimit: spec.backoffLimit ?? defaultBackoffLimit(spec.backoffLimitPerIndex !== null),
    backoffLimitPerIndex: spec.backoffLimitPerIndex,
    maxFailedIndexes: spec.maxFailedIndexes,
    podFailurePolicy: failurePolicyOf(spec),
    successPolicy:
      spec.successPolicy?.rules.map(({ succeededIndexes, succeededCount }) => ({
        indexes: succeededIndexes === null ? null : parseStatusIndexes(succeededIndexes, completions ?? 0),
        count: succeededCount,
      })) ?? null,
    activeDeadlineSec: spec.activeDeadlineSeconds,
    ttlSecAfterFinished: spec.ttlSecondsAfterFinished,
    suspend: spec.suspend,
    podReplacementPolicy:
      spec.podReplacementPolicy ?? (spec.podFailurePolicy === null ? 'TerminatingOrFailed' : 'Failed'),
    restartPolicy: spec.template?.spec?.restartPolicy ?? 'Never',
    barePod: false,
    managed: (spec.managedBy ?? OWN_MANAGER) === OWN_MANAGER,
    held: false,
    ...NO_ADDED_RULES,
    disruptions: { kind: 'count' },
    selection: EVERY_INDEX, // a cluster's controller runs them all
  };
}

/**
 * A rule that upstream would skip stays in the list and matches nothing, because messages refer to rules by position.
 */
function failurePolicyOf({ podFailurePolicy }: SpecShape): PodFailurePolicy | null {
  if (podFailurePolicy === null) return null;
  return { rules: podFailurePolicy.rules.map((rule) => knownRule(rule) ?? SKIPPED) };
}

const SKIPPED: PodFailureRule = { action: 'Count', onPodConditions: [] };

type RuleShape = NonNullable<SpecShape['podFailurePolicy']>['rules'][number];

function knownRule({ action: given, onExitCodes, onPodConditions }: RuleShape): PodFailureRule | null {
  const action = POLICY_ACTIONS.find((each) => each === given);
  if (action === undefined) return null;
  if (onExitCodes === null) return { action, ...(onPodConditions === null ? {} : { onPodConditions }) };
  const { containerName, operator: named, values } = onExitCodes;
  const operator = OPERATORS.find((each) => each === named);
  if (operator === undefined) return null;
  return { action, onExitCodes: { ...(containerName === null ? {} : { containerName }), operator, values } };
}

const OPERATORS = ['In', 'NotIn'] as const;
