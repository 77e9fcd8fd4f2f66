import type { Labels } from '../../domain/manifests/manifest.ts';
import type { LabelSelectorShape } from '../object/label-selector-shape.ts';
import type { JobSpecShape } from './job-shape.ts';
import { metadataShape } from '../object/metadata-shape.ts';

/** A Job's spec with all defaults filled in. */
export type DefaultedSpec = JobSpecShape & {
  readonly parallelism: number;
  readonly completionMode: string;
  readonly backoffLimit: number;
  readonly suspend: boolean;
  readonly podReplacementPolicy: string;
};

export const INT32_MAX = 2 ** 31 - 1;

/** Upstream's default for `backoffLimit`. With per-index limits, it is practically unlimited. */
export const defaultBackoffLimit = (isPerIndex: boolean): number => (isPerIndex ? INT32_MAX : 6);

/**
 * Kubernetes' defaults for a Job's spec (kubernetes-job.md 1.1), with one difference: podReplacementPolicy is Failed
 * even without a podFailurePolicy. Users must ask for a second live attempt of an index.
 */
export function withDefaults(given: JobSpecShape): DefaultedSpec {
  return {
    ...given,
    parallelism: given.parallelism ?? 1,
    completions: given.completions ?? (given.parallelism === undefined ? 1 : undefined),
    completionMode: given.completionMode ?? 'NonIndexed',
    backoffLimit: given.backoffLimit ?? defaultBackoffLimit(given.backoffLimitPerIndex !== undefined),
    suspend: given.suspend ?? false,
    podReplacementPolicy: given.podReplacementPolicy ?? 'Failed',
    podFailurePolicy: given.podFailurePolicy && {
      rules: given.podFailurePolicy.rules?.map((rule) => ({
        ...rule,
        onPodConditions: rule.onPodConditions?.map(({ type, status }) => ({
          type,
          status: status === '' ? 'True' : (status ?? 'True'),
        })),
      })),
    },
  };
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** The labels that select a Job's Pods, in the old and the new form. */
export const generatedLabels = (name: string, uid: string): Labels => ({
  'controller-uid': uid,
  'job-name': name,
  [CONTROLLER_UID]: uid,
  'batch.kubernetes.io/job-name': name,
});

const NO_METADATA = metadataShape.parse({});

/**
 * Puts the generated labels on the template and the generated selector on the Job, unless the user sets them. Keeps
 * existing values: the rules report wrong ones.
 */
export function withGeneratedSelector(spec: DefaultedSpec, name: string, uid: string): DefaultedSpec {
  if (spec.manualSelector === true) return spec;
  const { template, selector } = spec;
  const labels = { ...generatedLabels(name, uid), ...template?.metadata?.labels };
  const generated: LabelSelectorShape = {
    matchExpressions: selector?.matchExpressions,
    matchLabels: { [CONTROLLER_UID]: uid, ...selector?.matchLabels },
  };
  return {
    ...spec,
    selector: generated,
    template: { spec: template?.spec, metadata: { ...(template?.metadata ?? NO_METADATA), labels } },
  };
}
