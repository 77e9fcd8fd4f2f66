import { POLICY_ACTIONS, type PodFailurePolicy, type PodFailureRule } from '../../domain/manifests/manifest.ts';
import { qualifiedNameErrors } from '../object/dns-names.ts';
import { type FieldError, duplicate, invalid, notSupported, required, tooMany } from '../object/field-error.ts';
import type { JobSpecShape, PodFailureRuleShape } from './job-shape.ts';

const RULES_MAX = 20;
const PATTERNS_MAX = 20;
const VALUES_MAX = 255;

const OPERATORS = ['In', 'NotIn'] as const;
const STATUSES = ['False', 'True', 'Unknown'] as const;

const PATH = 'spec.podFailurePolicy';

/** Kubernetes' rules for `spec.podFailurePolicy` (kubernetes-job.md 1.3). */
export function podFailurePolicyErrors(spec: JobSpecShape): readonly FieldError[] {
  if (spec.podFailurePolicy === undefined) return [];
  const rules = spec.podFailurePolicy.rules ?? [];
  const errors: FieldError[] = rules.length > RULES_MAX ? [tooMany(`${PATH}.rules`, rules.length, RULES_MAX)] : [];
  return [...errors, ...rules.flatMap((rule, i) => ruleErrors(`${PATH}.rules[${i}]`, rule, spec))];
}

/** The policy as it is stored. Meaningful only if the rules above find no fault. */
export const podFailurePolicyOf = ({
  rules = [],
}: NonNullable<JobSpecShape['podFailurePolicy']>): PodFailurePolicy => ({
  rules: rules.map(
    ({ action, onExitCodes, onPodConditions = [] }): PodFailureRule => ({
      action: oneOf(POLICY_ACTIONS, action),
      ...(onExitCodes === undefined
        ? {}
        : {
            onExitCodes: {
              ...(onExitCodes.containerName === undefined ? {} : { containerName: onExitCodes.containerName }),
              operator: oneOf(OPERATORS, onExitCodes.operator),
              values: onExitCodes.values ?? [],
            },
          }),
      ...(onPodConditions.length === 0
        ? {}
        : {
            onPodConditions: onPodConditions.map(({ type = '', status }) => ({
              type,
              status: oneOf(STATUSES, status),
            })),
          }),
    }),
  ),
});

function ruleErrors(path: string, rule: PodFailureRuleShape, spec: JobSpecShape): readonly FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const errors: FieldError[] = [];
  if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined)
      errors.push(invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  } else errors.push(...choiceErrors(`${path}.action`, action, POLICY_ACTIONS));
  if (onExitCodes !== undefined) errors.push(...exitCodeErrors(`${path}.onExitCodes`, onExitCodes, spec));
  errors.push(...conditionErrors(`${path}.onPodConditions`, onPodConditions));
  if (onExitCodes !== undefined && onPodConditions.length > 0)
    errors.push(invalid(path, undefined, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (onExitCodes === undefined && onPodConditions.length === 0)
    errors.push(invalid(path, undefined, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

function exitCodeErrors(
  path: string,
  { containerName, operator, values = [] }: NonNullable<PodFailureRuleShape['onExitCodes']>,
  { template }: JobSpecShape,
): readonly FieldError[] {
  const { containers = [], initContainers = [] } = template?.spec ?? {};
  const errors: FieldError[] = [...choiceErrors(`${path}.operator`, operator, OPERATORS)];
  if (containerName !== undefined && ![...containers, ...initContainers].some(({ name }) => name === containerName))
    errors.push(
      invalid(
        `${path}.containerName`,
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  if (values.length === 0) errors.push(invalid(`${path}.values`, values, 'at least one value is required'));
  if (values.length > VALUES_MAX) errors.push(tooMany(`${path}.values`, values.length, VALUES_MAX));
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0)
      errors.push(invalid(`${path}.values[${i}]`, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(`${path}.values[${i}]`, value));
    seen.add(value);
  }
  if (values.some((value, i) => (values[i - 1] ?? value) > value))
    errors.push(invalid(`${path}.values`, values, 'must be ordered'));
  return errors;
}

function conditionErrors(
  path: string,
  patterns: NonNullable<PodFailureRuleShape['onPodConditions']>,
): readonly FieldError[] {
  const errors: FieldError[] = patterns.length > PATTERNS_MAX ? [tooMany(path, patterns.length, PATTERNS_MAX)] : [];
  for (const [i, { type = '', status }] of patterns.entries()) {
    errors.push(...qualifiedNameErrors(type).map((fieldError) => invalid(`${path}[${i}].type`, type, fieldError)));
    errors.push(...choiceErrors(`${path}[${i}].status`, status, STATUSES));
  }
  return errors;
}

const choiceErrors = (path: string, value: string | undefined, valid: readonly string[]): readonly FieldError[] => {
  // In Go's format for lists.
  if (value === undefined || value === '')
    return [required(path, `valid values: [${valid.map((v) => JSON.stringify(v)).join(' ')}]`)];
  return valid.includes(value) ? [] : [notSupported(path, value, valid)];
};

/** The values that the rules accept. */
const oneOf = <T extends string>(values: readonly [T, ...T[]], value: string | undefined): T =>
  values.find((v) => v === value) ?? values[0];

/** The only condition of a failed Pod that a rule can match. */
const DISRUPTION = 'DisruptionTarget';

/** Warns about rules that Kubernetes accepts but that never match here. */
export const conditionWarnings = ({ rules }: PodFailurePolicy = { rules: [] }): readonly string[] =>
  rules.flatMap(({ onPodConditions = [] }, i) =>
    onPodConditions.flatMap(({ type }, j) =>
      type === DISRUPTION
        ? []
        : [
            `spec.podFailurePolicy.rules[${i}].onPodConditions[${j}].type: this rule never matches, because Muster sets only the condition ${DISRUPTION}`,
          ],
    ),
  );
