import { has, size } from '../base/index-set.ts';
import type { SuccessRule } from '../spec/job.ts';

/** How many indexes of each rule's list have succeeded, now including `index`. */
export const countHit = (rules: readonly SuccessRule[], hits: readonly number[], index: number): readonly number[] =>
  rules.map(({ indexes }, i) => (hits[i] ?? 0) + (indexes !== null && has(indexes, index) ? 1 : 0));

/**
 * The first rule that is met (KEP-3998); null: none. With a list and a count: that many of the list; with only a list: all of
 * it; with only a count: that many of the Job. Nothing is met while nothing has succeeded.
 */
export function metRule(rules: readonly SuccessRule[], hits: readonly number[], succeeded: number): number | null {
  if (succeeded === 0) return null;
  const met = rules.findIndex(({ indexes, count }, i) => {
    if (indexes === null) return count !== null && succeeded >= count;
    const listed = size(indexes);
    return listed > 0 && (hits[i] ?? 0) >= (count ?? listed);
  });
  return met === -1 ? null : met;
}
