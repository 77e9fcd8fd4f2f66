import type { FurikoJobSpec, FurikoTemplate } from '../domain/furiko-job.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';
import { given } from '../../../schema/object/given.ts';
import type { FurikoSpecShape, FurikoTemplateShape } from './furiko-job-shape.ts';
import { CONCURRENCY_POLICIES, JOB_TYPES } from './furiko-spec-rules.ts';
import { parallelismOf } from './parallelism-rules.ts';

const DEFAULT_TTL_SEC = 3600;

/** What the options of its JobConfig make of a Job. */
export type EvaluatedValues = {
  /** As JSON; null: none were given. */
  readonly optionValues: string | null;
  readonly variables: Labels;
};

/** The spec as it is stored, with Furiko's defaults. Only for one without faults. */
export function furikoSpecOf(shape: FurikoSpecShape, { optionValues, variables }: EvaluatedValues): FurikoJobSpec {
  const { startPolicy, template, killTimestamp, ttlSecondsAfterFinished = DEFAULT_TTL_SEC } = shape;
  const substitutions = { ...variables, ...shape.substitutions };
  return {
    type: JOB_TYPES.find((known) => known === shape.type) ?? 'Adhoc',
    ...(startPolicy === undefined ? {} : { startPolicy: startPolicyOf(startPolicy) }),
    template: furikoTemplateOf(template),
    ...(optionValues === null ? {} : { optionValues }),
    ...(Object.keys(substitutions).length === 0 ? {} : { substitutions }),
    ...given({ killTimestamp }),
    ttlSecondsAfterFinished,
  };
}

const startPolicyOf = ({
  concurrencyPolicy,
  startAfter,
}: NonNullable<FurikoSpecShape['startPolicy']>): NonNullable<FurikoJobSpec['startPolicy']> =>
  given({ concurrencyPolicy: CONCURRENCY_POLICIES.find((known) => known === concurrencyPolicy), startAfter });

/** A Job's template as it is stored. */
export function furikoTemplateOf(template: FurikoTemplateShape | undefined): FurikoTemplate {
  const {
    parallelism,
    maxAttempts = 1,
    retryDelaySeconds,
    taskPendingTimeoutSeconds,
    forbidTaskForceDeletion,
  } = template ?? {};
  return {
    taskTemplate: { pod: podOf(template?.taskTemplate?.pod) },
    ...(parallelism === undefined ? {} : { parallelism: parallelismOf(parallelism) }),
    maxAttempts,
    ...given({ retryDelaySeconds, taskPendingTimeoutSeconds, forbidTaskForceDeletion }),
  };
}

type PodShape = NonNullable<FurikoTemplateShape['taskTemplate']>['pod'];

/** As it was written; a Pod that says nothing else is not restarted. */
function podOf(pod: PodShape): { readonly [field: string]: unknown } {
  const { restartPolicy = '' } = pod?.spec ?? {};
  return {
    ...plain(pod ?? {}),
    spec: { ...plain(pod?.spec ?? {}), restartPolicy: restartPolicy === '' ? 'Never' : restartPolicy },
  };
}

/** A JobConfig's template as it was written: its Jobs get their other defaults when they are created. */
export function writtenTemplate(template: FurikoTemplateShape): { readonly [field: string]: unknown } {
  const { taskTemplate } = template;
  return {
    ...plain(template),
    ...(taskTemplate === undefined ? {} : { taskTemplate: { pod: podOf(taskTemplate.pod) } }),
  };
}

/** Without what a shape has of fields that were not given. */
const plain = (value: object): { readonly [field: string]: unknown } =>
  JSON.parse(JSON.stringify(value)) as { readonly [field: string]: unknown };
