import { ANNOTATIONS, parseFlag } from '../../domain/spec/annotations.ts';
import {
  type SuccessRule,
  WHEN_ACHIEVED,
  parseMessage,
  parseReasons,
  parseSuccessCount,
  parseWhenAchieved,
  successRulesOf,
} from '../../domain/spec/success-rules.ts';
import type { Verdict } from '../../domain/scoreboard/status.ts';
import type { Labels } from '../../domain/spec/manifest.ts';
import { type FieldError, forbidden, invalid } from '../object/field-error.ts';
import type { JobSpecShape } from './job-shape.ts';
import { annotationPath } from './selection-rules.ts';
import { successPolicyOf } from './success-policy-rules.ts';

type JudgedSpec = Pick<JobSpecShape, 'completions' | 'parallelism' | 'backoffLimitPerIndex' | 'successPolicy'>;

/** What a Job's annotations about its success need of each other and of its spec, with paths that begin at the Job. */
export function successAnnotationErrors(annotations: Labels | undefined, spec: JudgedSpec): readonly FieldError[] {
  const { successPercent, maxFailedPercent } = ANNOTATIONS;
  return [
    ...enoughErrors(annotations, spec),
    ...reasonErrors(annotations, rulesOf(annotations, spec)),
    ...NEED_A_POLICY.flatMap((need) => needErrors(need, annotations, spec)),
    ...(annotations?.[successPercent] !== undefined && spec.completions === undefined
      ? [forbidden(annotationPath(successPercent), 'needs spec.completions: it is a share of them')]
      : []),
    ...(annotations?.[maxFailedPercent] !== undefined && spec.backoffLimitPerIndex === undefined
      ? [
          forbidden(
            annotationPath(maxFailedPercent),
            'needs spec.backoffLimitPerIndex: without it, no index fails for good',
          ),
        ]
      : []),
  ];
}

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

/** What there has to be besides the first of these: something that can end the Job as a success before all are done. */
const NEED_A_POLICY: readonly (readonly [key: string, hasEffect: (text: string) => boolean])[] = [
  [ANNOTATIONS.successFirst, (text) => parseFlag(text) === true],
  [ANNOTATIONS.successReason, (text) => parseReasons(text) !== null],
  [ANNOTATIONS.successMessage, (text) => parseMessage(text) !== null],
  [ANNOTATIONS.whenAchieved, (text) => parseWhenAchieved(text) !== null && text !== WHEN_ACHIEVED.terminate],
];

function needErrors(
  [key, hasEffect]: (typeof NEED_A_POLICY)[number],
  annotations: Labels | undefined,
  { successPolicy }: JudgedSpec,
): readonly FieldError[] {
  const text = annotations?.[key];
  if (text === undefined || !hasEffect(text) || successPolicy !== undefined) return [];
  const { successPercent, successCount } = ANNOTATIONS;
  if (annotations?.[successPercent] !== undefined || annotations?.[successCount] !== undefined) return [];
  return [forbidden(annotationPath(key), `needs spec.successPolicy, ${successPercent}, or ${successCount}`)];
}

/** None of them changes in a stored Job: what was decided by one would have been decided otherwise by another. */
export const SUCCESS_ANNOTATIONS: readonly string[] = [
  ANNOTATIONS.successPercent,
  ANNOTATIONS.successCount,
  ANNOTATIONS.successReason,
  ANNOTATIONS.successMessage,
  ANNOTATIONS.whenAchieved,
  ANNOTATIONS.maxFailedPercent,
];
