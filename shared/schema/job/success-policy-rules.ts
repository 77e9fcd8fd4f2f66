import { parseIndexesStrict, size } from '../../domain/base/index-set.ts';
import type { SuccessPolicy } from '../../domain/manifests/manifest.ts';
import { type FieldError, invalid, required, tooLong, tooMany } from '../object/field-error.ts';
import type { JobSpecShape, SuccessRuleShape } from './job-shape.ts';

const RULES_MAX = 20;
const INDEXES_BYTES_MAX = 64 * 1024;

const PATH = 'spec.successPolicy';

/** Kubernetes' rules for `spec.successPolicy` (kubernetes-job.md 1.3). */
export function successPolicyErrors({
  successPolicy,
  completionMode,
  completions,
}: JobSpecShape): readonly FieldError[] {
  if (successPolicy === undefined) return [];
  if (completionMode !== 'Indexed') return [invalid(PATH, successPolicy, 'requires indexed completion mode')];
  const { rules = [] } = successPolicy;
  const errors: FieldError[] = [];
  if (rules.length === 0)
    errors.push(required(`${PATH}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > RULES_MAX) errors.push(tooMany(`${PATH}.rules`, rules.length, RULES_MAX));
  return [...errors, ...rules.flatMap((rule, i) => ruleErrors(`${PATH}.rules[${i}]`, rule, completions))];
}

/** The policy as it is stored. */
export const successPolicyOf = ({ rules = [] }: NonNullable<JobSpecShape['successPolicy']>): SuccessPolicy => ({
  rules: rules.map(({ succeededIndexes, succeededCount }) => ({
    ...(succeededIndexes === undefined ? {} : { succeededIndexes }),
    ...(succeededCount === undefined ? {} : { succeededCount }),
  })),
});

/** Another rule reports missing `completions`. The rest is checked anyway. */
function ruleErrors(
  path: string,
  { succeededIndexes, succeededCount }: SuccessRuleShape,
  completions: number | undefined,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (succeededIndexes === undefined && succeededCount === undefined)
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  let listed = 0;
  if (succeededIndexes !== undefined) {
    if (new TextEncoder().encode(succeededIndexes).length > INDEXES_BYTES_MAX)
      errors.push(tooLong(`${path}.succeededIndexes`, INDEXES_BYTES_MAX));
    const parsed = parseIndexesStrict(succeededIndexes, completions ?? Infinity);
    if (parsed.kind === 'ok') listed = size(parsed.set);
    else
      errors.push(
        invalid(`${path}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${parsed.reason}`),
      );
  }
  if (succeededCount === undefined) return errors;
  const atMost = (most: number, what: string): void => {
    if (succeededCount > most)
      errors.push(
        invalid(
          `${path}.succeededCount`,
          succeededCount,
          `must be less than or equal to ${most} (the number of ${what})`,
        ),
      );
  };
  if (succeededCount < 0)
    errors.push(invalid(`${path}.succeededCount`, succeededCount, 'must be greater than or equal to 0'));
  if (completions !== undefined) atMost(completions, 'specified completions');
  if (succeededIndexes !== undefined) atMost(listed, 'indexes in the specified succeededIndexes field');
  return errors;
}
