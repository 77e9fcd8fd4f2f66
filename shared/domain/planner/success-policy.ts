import { has, size } from '../base/index-set.ts';
import { type SuccessRule, WHEN_ACHIEVED, fewest } from '../manifests/success-rules.ts';
import type { JobSpec } from '../manifests/job.ts';
import type { Achievement, CompleteVerdict, Tally } from '../scoreboard/status.ts';

/** How many indexes of each rule's list have succeeded, now including `index`. */
export const countHit = (rules: readonly SuccessRule[], hits: readonly number[], index: number): readonly number[] =>
  rules.map(({ indexes }, i) => (hits[i] ?? 0) + (indexes !== null && has(indexes, index) ? 1 : 0));

/** What counts of a Job: how much has succeeded, and of how much; `base` null: nobody knows. */
export type Progress = { readonly succeeded: number; readonly base: number | null };

/**
 * The first rule that is met (KEP-3998); null: none. With a list and a count: that many of the list; with only a list: all of
 * it; with only a count: that many of the Job; with a share: that share of it. Nothing is met while nothing has succeeded.
 */
export function metRule(
  rules: readonly SuccessRule[],
  hits: readonly number[],
  { succeeded, base }: Progress,
): number | null {
  if (succeeded === 0) return null;
  const met = rules.findIndex(({ indexes, count, own }, i) => {
    if (own !== undefined && own.share !== null) return base !== null && succeeded >= fewest(own.share, base);
    if (indexes === null) return count !== null && succeeded >= count;
    const listed = size(indexes);
    return listed > 0 && (hits[i] ?? 0) >= (count ?? listed);
  });
  return met === -1 ? null : met;
}

/** A Job that has met its success policy makes no new Pod; those that there are go on. */
export const startsNothing = ({ whenAchieved }: Pick<JobSpec, 'whenAchieved'>, achieved: Achievement | null): boolean =>
  achieved !== null && whenAchieved === WHEN_ACHIEVED.continue;

/** What a Job's completions are without those that it leaves out; null: a work queue, which has none. */
export const baseOf = ({ completions }: Pick<JobSpec, 'completions'>, excluded: number): number | null =>
  completions === null ? null : completions - excluded;

/**
 * The verdict on a Job whose success policy is met; null: it is not.
 *
 * @param decidedBy the index whose success was the last to count
 */
export function policyVerdict(
  spec: Pick<JobSpec, 'completions' | 'successPolicy' | 'successMessage'>,
  { succeeded, excluded }: Pick<Tally, 'succeeded' | 'excluded'>,
  hits: readonly number[],
  decidedBy: number | null,
): CompleteVerdict | null {
  const base = baseOf(spec, excluded);
  const met = metRule(spec.successPolicy ?? [], hits, { succeeded, base });
  const rule = met === null ? undefined : spec.successPolicy?.[met];
  if (met === null || rule === undefined) return null;
  const { own, reason } = rule;
  const of = base === null ? '' : ` of ${base}`;
  const says = own === undefined ? `Matched rules at index ${met}` : `Matched ${own.says}: ${succeeded}${of} succeeded`;
  return {
    kind: 'complete',
    reason: 'SuccessPolicy',
    message: spec.successMessage ?? says,
    decidedBy,
    ...(reason === undefined ? {} : { ownReason: reason }),
  };
}
