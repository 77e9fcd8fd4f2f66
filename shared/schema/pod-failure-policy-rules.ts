import type { PodFailurePolicy, PodFailureRule } from '../domain/manifest.ts';
import { qualifiedNameFaults } from './dns-names.ts';
import { type Fault, duplicate, invalid, notSupported, required, tooMany } from './fault.ts';
import type { JobSpecShape, PodFailureRuleShape } from './job-shape.ts';

const RULES_MAX = 20;
const PATTERNS_MAX = 20;
const VALUES_MAX = 255;

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'] as const;
const OPERATORS = ['In', 'NotIn'] as const;
const STATUSES = ['False', 'True', 'Unknown'] as const;

const PATH = 'spec.podFailurePolicy';

/** Kubernetes' rules for `spec.podFailurePolicy` (kubernetes-job.md 1.3). */
export function podFailurePolicyFaults(spec: JobSpecShape): readonly Fault[] {
  if (spec.podFailurePolicy === undefined) return [];
  const rules = spec.podFailurePolicy.rules ?? [];
  const faults: Fault[] = rules.length > RULES_MAX ? [tooMany(`${PATH}.rules`, rules.length, RULES_MAX)] : [];
  return [...faults, ...rules.flatMap((rule, i) => ruleFaults(`${PATH}.rules[${i}]`, rule, spec))];
}

/** The policy as it is stored; of use only when the rules above find nothing. */
export const podFailurePolicyOf = ({
  rules = [],
}: NonNullable<JobSpecShape['podFailurePolicy']>): PodFailurePolicy => ({
  rules: rules.map(
    ({ action, onExitCodes, onPodConditions = [] }): PodFailureRule => ({
      action: oneOf(ACTIONS, action),
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

function ruleFaults(path: string, rule: PodFailureRuleShape, spec: JobSpecShape): readonly Fault[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const faults: Fault[] = [];
  if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined)
      faults.push(invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  } else faults.push(...choiceFaults(`${path}.action`, action, ACTIONS));
  if (onExitCodes !== undefined) faults.push(...exitCodeFaults(`${path}.onExitCodes`, onExitCodes, spec));
  faults.push(...conditionFaults(`${path}.onPodConditions`, onPodConditions));
  if (onExitCodes !== undefined && onPodConditions.length > 0)
    faults.push(invalid(path, undefined, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (onExitCodes === undefined && onPodConditions.length === 0)
    faults.push(invalid(path, undefined, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return faults;
}

function exitCodeFaults(
  path: string,
  { containerName, operator, values = [] }: NonNullable<PodFailureRuleShape['onExitCodes']>,
  { template }: JobSpecShape,
): readonly Fault[] {
  const { containers = [], initContainers = [] } = template?.spec ?? {};
  const faults: Fault[] = [...choiceFaults(`${path}.operator`, operator, OPERATORS)];
  if (containerName !== undefined && ![...containers, ...initContainers].some(({ name }) => name === containerName))
    faults.push(
      invalid(
        `${path}.containerName`,
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  if (values.length === 0) faults.push(invalid(`${path}.values`, values, 'at least one value is required'));
  if (values.length > VALUES_MAX) faults.push(tooMany(`${path}.values`, values.length, VALUES_MAX));
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0)
      faults.push(invalid(`${path}.values[${i}]`, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) faults.push(duplicate(`${path}.values[${i}]`, value));
    seen.add(value);
  }
  if (values.some((value, i) => (values[i - 1] ?? value) > value))
    faults.push(invalid(`${path}.values`, values, 'must be ordered'));
  return faults;
}

function conditionFaults(
  path: string,
  patterns: NonNullable<PodFailureRuleShape['onPodConditions']>,
): readonly Fault[] {
  const faults: Fault[] = patterns.length > PATTERNS_MAX ? [tooMany(path, patterns.length, PATTERNS_MAX)] : [];
  for (const [i, { type = '', status }] of patterns.entries()) {
    faults.push(...qualifiedNameFaults(type).map((fault) => invalid(`${path}[${i}].type`, type, fault)));
    faults.push(...choiceFaults(`${path}[${i}].status`, status, STATUSES));
  }
  return faults;
}

const choiceFaults = (path: string, value: string | undefined, valid: readonly string[]): readonly Fault[] => {
  // As Go prints a list.
  if (value === undefined || value === '')
    return [required(path, `valid values: [${valid.map((v) => JSON.stringify(v)).join(' ')}]`)];
  return valid.includes(value) ? [] : [notSupported(path, value, valid)];
};

/** What the rules let through is one of these. */
const oneOf = <T extends string>(values: readonly [T, ...T[]], value: string | undefined): T =>
  values.find((v) => v === value) ?? values[0];

/** The only condition of a failed Pod that a rule can find: ECS tells of no other. */
const DISRUPTION = 'DisruptionTarget';

/** Rules that will never match here, though Kubernetes takes them. */
export const conditionWarnings = ({ rules }: PodFailurePolicy = { rules: [] }): readonly string[] =>
  rules.flatMap(({ onPodConditions = [] }, i) =>
    onPodConditions.flatMap(({ type }, j) =>
      type === DISRUPTION
        ? []
        : [
            `spec.podFailurePolicy.rules[${i}].onPodConditions[${j}].type: no Pod of Muster's has the condition ${type}; ${DISRUPTION} is the only one`,
          ],
    ),
  );
