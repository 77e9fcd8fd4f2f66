import type { Failures } from './answers.ts';
import type { FailureRule, Job } from './objects.ts';

export type Rule = {
  readonly name: string;
  readonly says: string;
  /** How many indexes it has decided about, as far as failures are known. */
  readonly decided: number;
  /** It has decided about the whole Job. */
  readonly endedJob: boolean;
};

/** Reasons of a Job's condition, and the field that it comes from. */
const ENDS: Readonly<Record<string, string>> = {
  BackoffLimitExceeded: 'backoffLimit',
  MaxFailedIndexesExceeded: 'maxFailedIndexes',
  FailedIndexes: 'backoffLimitPerIndex',
  DeadlineExceeded: 'activeDeadlineSeconds',
  PodFailurePolicy: 'podFailurePolicy',
  SuccessPolicy: 'successPolicy',
};

/** No such number: the field's default means "without a bound". */
const UNBOUNDED = 2_147_483_647;

/** The rules by which a Job ends, and which of them have decided something. */
export function rulesOf({ spec, metadata, status }: Job, failures: Failures | null): readonly Rule[] {
  const reason = status?.conditions?.find(
    ({ type, status: is }) => is === 'True' && (type === 'Failed' || type === 'Complete'),
  )?.reason;
  const endedBy = reason === undefined ? undefined : ENDS[reason];
  const plain = (name: string, says: string | null): readonly Rule[] =>
    says === null ? [] : [{ name, says, decided: 0, endedJob: endedBy === name }];
  const count = (value: number | undefined, one: string, many: string): string | null =>
    value === undefined || value === UNBOUNDED ? null : `${value} ${value === 1 ? one : many}`;
  return [
    ...plain('parallelism', `${spec.parallelism ?? 1} at once`),
    ...plain(
      'backoffLimit',
      count(spec.backoffLimit, 'failure, then the Job has failed', 'failures, then the Job has failed'),
    ),
    ...plain('backoffLimitPerIndex', count(spec.backoffLimitPerIndex, 'retry of each index', 'retries of each index')),
    ...plain('maxFailedIndexes', count(spec.maxFailedIndexes, 'index may fail', 'indexes may fail')),
    ...(spec.podFailurePolicy?.rules ?? []).map((rule, nth) => ({
      name: `podFailurePolicy rule ${nth}`,
      says: failureRuleWords(rule),
      decided: decidedBy(nth, failures),
      endedJob: endedBy === 'podFailurePolicy' && rule.action === 'FailJob' && decidedBy(nth, failures) > 0,
    })),
    ...(spec.successPolicy?.rules ?? []).map(({ succeededIndexes, succeededCount }, nth) => ({
      name: `successPolicy rule ${nth}`,
      says: `complete with ${succeededCount ?? 'all'} of ${succeededIndexes === undefined ? 'the indexes' : succeededIndexes}`,
      decided: 0,
      endedJob: endedBy === 'successPolicy',
    })),
    ...plain(
      'activeDeadlineSeconds',
      count(spec.activeDeadlineSeconds, 'second for the whole Job', 'seconds for the whole Job'),
    ),
    ...plain(
      'ttlSecondsAfterFinished',
      count(spec.ttlSecondsAfterFinished, 'second after its end it is deleted', 'seconds after its end it is deleted'),
    ),
    ...Object.entries(metadata.annotations ?? {})
      .filter(([key]) => key.startsWith('muster.run/'))
      .map(([name, says]) => ({
        name,
        says: says.length > 120 ? `${says.slice(0, 120)}…` : says,
        decided: 0,
        endedJob: false,
      })),
  ];
}

const decidedBy = (nth: number, failures: Failures | null): number =>
  (failures?.groups ?? [])
    .filter(({ why }) => why.kind === 'policyRule' && why.rule === nth)
    .reduce((sum, { count }) => sum + count, 0);

function failureRuleWords({ action, onExitCodes, onPodConditions = [] }: FailureRule): string {
  if (onExitCodes !== undefined && onExitCodes !== null)
    return `${action} if the exit code is ${onExitCodes.operator === 'In' ? '' : 'not '}${onExitCodes.values.join(', ')}${
      onExitCodes.containerName === undefined || onExitCodes.containerName === null
        ? ''
        : ` (${onExitCodes.containerName})`
    }`;
  return `${action} if the Pod has ${onPodConditions.map(({ type, status = 'True' }) => `${type}=${status}`).join(' or ')}`;
}
