import type { ConcurrencyPolicy } from '../domain/furiko-job.ts';
import { type FieldError, invalid, notSupported, required } from '../../../schema/object/field-error.ts';
import { formerFieldErrors } from './former-fields.ts';
import type { FurikoSpecShape, FurikoTemplateShape } from './furiko-job-shape.ts';
import { parallelismErrors } from './parallelism-rules.ts';

export const JOB_TYPES = ['Adhoc', 'Scheduled'] as const;
export const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Enqueue'] as const satisfies readonly ConcurrencyPolicy[];
const ATTEMPTS_MAX = 50;
/** More digits no annotation of seconds has: 115 days. */
const SECONDS_MAX = 9_999_999;
const INT32_MAX = 2 ** 31 - 1;

/** Furiko's rules for a Job's spec, with its paths, in its order. Its Pod template is checked as that of a `batch/v1` Job. */
export const furikoSpecErrors = (spec: FurikoSpecShape): readonly FieldError[] => [
  ...typeErrors(spec.type),
  ...(spec.startPolicy === undefined
    ? []
    : policyErrors('spec.startPolicy.concurrencyPolicy', spec.startPolicy.concurrencyPolicy)),
  ...(spec.template === undefined ? [required('spec.template')] : furikoTemplateErrors('spec.template', spec.template)),
  ...secondsErrors('spec.ttlSecondsAfterFinished', spec.ttlSecondsAfterFinished, INT32_MAX),
];

/** The same for a template, of a Job or of a JobConfig. */
export function furikoTemplateErrors(path: string, template: FurikoTemplateShape): readonly FieldError[] {
  const former = formerFieldErrors(path, template);
  const pod = template.taskTemplate?.pod;
  return [
    ...former,
    // A former name of it has its own fault already.
    ...(pod === undefined && former.length === 0
      ? [required(`${path}.taskTemplate`, 'must specify a template type: pod')]
      : []),
    ...(pod?.spec?.restartPolicy === 'Always'
      ? [
          invalid(
            `${path}.taskTemplate.pod.spec.restartPolicy`,
            'Always',
            'restartPolicy cannot be Always: say Never or OnFailure',
          ),
        ]
      : []),
    ...(template.parallelism === undefined ? [] : parallelismErrors(`${path}.parallelism`, template.parallelism)),
    ...secondsErrors(`${path}.taskPendingTimeoutSeconds`, template.taskPendingTimeoutSeconds, SECONDS_MAX),
    ...attemptErrors(`${path}.maxAttempts`, template.maxAttempts),
    ...secondsErrors(`${path}.retryDelaySeconds`, template.retryDelaySeconds, SECONDS_MAX),
  ];
}

const typeErrors = (type = ''): readonly FieldError[] =>
  type === '' || JOB_TYPES.some((known) => known === type) ? [] : [notSupported('spec.type', type, JOB_TYPES)];

export function policyErrors(path: string, policy = ''): readonly FieldError[] {
  if (policy === '') return [required(path)];
  return CONCURRENCY_POLICIES.some((known) => known === policy)
    ? []
    : [notSupported(path, policy, CONCURRENCY_POLICIES)];
}

function attemptErrors(path: string, attempts: number | undefined): readonly FieldError[] {
  if (attempts === undefined) return [];
  if (attempts <= 0) return [invalid(path, attempts, 'must be greater than 0')];
  return attempts > ATTEMPTS_MAX ? [invalid(path, attempts, `must be less than or equal to ${ATTEMPTS_MAX}`)] : [];
}

function secondsErrors(path: string, seconds: number | undefined, max: number): readonly FieldError[] {
  if (seconds === undefined) return [];
  if (seconds < 0) return [invalid(path, seconds, 'must be greater than or equal to 0')];
  return seconds > max ? [invalid(path, seconds, `must be less than or equal to ${max}`)] : [];
}

/** A user who writes false expects two tasks of an index at once, if the first cannot be stopped. */
export const forcedDeletionWarnings = (
  path: string,
  { forbidTaskForceDeletion }: FurikoTemplateShape,
): readonly string[] =>
  forbidTaskForceDeletion === false
    ? [`${path}.forbidTaskForceDeletion: Muster never runs two tasks of an index at once, as if it were true`]
    : [];
