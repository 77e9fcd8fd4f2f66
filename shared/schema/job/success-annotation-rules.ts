import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { parseReasons, parseSuccessCount } from '../../domain/manifests/annotations/successes.ts';
import { type SuccessRule, successRulesOf } from '../../domain/manifests/success-rules.ts';
import type { Verdict } from '../../domain/scoreboard/status.ts';
import type { Labels } from '../../domain/manifests/manifest.ts';
import { type FieldError, invalid } from '../object/field-error.ts';
import type { JobSpecShape } from './job-shape.ts';
import { annotationPath } from './selection-rules.ts';
import { successPolicyOf } from './success-policy-rules.ts';

type JudgedSpec = Pick<JobSpecShape, 'completions' | 'parallelism' | 'successPolicy'>;

/** What a Job's annotations about its success say of each other and of its spec, besides their rows; paths begin at the Job. */
export const successAnnotationErrors = (annotations: Labels | undefined, spec: JudgedSpec): readonly FieldError[] => [
  ...enoughErrors(annotations, spec),
  ...reasonErrors(annotations, rulesOf(annotations, spec)),
];

/** How many have to succeed: said once, and no more than there are. */
function enoughErrors(
  annotations: Labels | undefined,
  { completions, parallelism }: JudgedSpec,
): readonly FieldError[] {
  const { successPercent, successCount } = ANNOTATIONS;
  const text = annotations?.[successCount];
  if (text === undefined) return [];
  const refuse = (why: string): readonly FieldError[] => [invalid(annotationPath(successCount), text, why)];
  if (annotations?.[successPercent] !== undefined)
    return refuse(`cannot be combined with ${annotationPath(successPercent)}: one of the two says how many are enough`);
  const count = parseSuccessCount(text) ?? 0;
  if (completions !== undefined)
    return count > completions
      ? refuse(`must be less than or equal to ${completions} (the number of specified completions)`)
      : [];
  // After the first success, a work queue starts no other Pod.
  return parallelism !== undefined && count > parallelism
    ? refuse(
        `must be less than or equal to ${parallelism}, the parallelism: without spec.completions, no more can succeed`,
      )
    : [];
}

/** The rules that these annotations are about; those of a spec that other rules refuse may be any. */
const rulesOf = (annotations: Labels | undefined, { successPolicy }: JudgedSpec): readonly SuccessRule[] =>
  successRulesOf(successPolicy === undefined ? {} : { successPolicy: successPolicyOf(successPolicy) }, annotations) ??
  [];

function reasonErrors(annotations: Labels | undefined, rules: readonly SuccessRule[]): readonly FieldError[] {
  const text = annotations?.[ANNOTATIONS.successReason];
  const reasons = parseReasons(text ?? '');
  if (text === undefined || reasons === null) return [];
  const refuse = (why: string): readonly FieldError[] => [
    invalid(annotationPath(ANNOTATIONS.successReason), text, why),
  ];
  const taken = reasons.find((reason) => reason in OTHER_REASONS);
  if (taken !== undefined) return refuse(`${taken} is the reason of another end`);
  if (reasons.length === 1 || rules.length === 0 || reasons.length === rules.length) return [];
  return refuse(`names ${reasons.length} reasons, and there are ${rules.length} rules: name one, or one for each rule`);
}

/** Who reads only the reason of a Job's end must not take one for another. */
const OTHER_REASONS: Readonly<Record<Exclude<Verdict['reason'], 'SuccessPolicy'>, true>> = {
  CompletionsReached: true,
  BackoffLimitExceeded: true,
  DeadlineExceeded: true,
  PodFailurePolicy: true,
  MaxFailedIndexesExceeded: true,
  FailedIndexes: true,
  LaunchRefused: true,
  Killed: true,
  DependencyFailed: true,
  GangTimeout: true,
};
