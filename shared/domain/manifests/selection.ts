import type { SuccessRule } from './success-rules.ts';
import { type IndexSet, NO_INDEXES, parseStatusIndexes, size, subtract, union } from '../base/index-set.ts';

/**
 * The indexes of an Indexed Job that never run in it. Inherited ones count as succeeded from the start: they have succeeded in
 * the Job that this one repeats. Excluded ones count as nothing: the Job is complete without them.
 */
export type IndexSelection = { readonly inherited: IndexSet; readonly excluded: IndexSet };

/** Every index runs, as in Kubernetes. */
export const EVERY_INDEX: IndexSelection = { inherited: NO_INDEXES, excluded: NO_INDEXES };

/** The indexes 0 to `completions` - 1. */
export const allIndexes = (completions: number): IndexSet =>
  completions > 0 ? { edges: [0, completions] } : NO_INDEXES;

/**
 * The selection of a stored Job, from texts that were checked when it was created.
 *
 * @param completions null: its Pods have no indexes
 * @param chosen `muster.run/indexes`; omitted: all that are not inherited run
 * @param inherited what the server has stored; omitted: none
 */
export function selectionOf(
  completions: number | null,
  chosen: string | undefined,
  inherited: string | undefined,
): IndexSelection {
  if (completions === null || (chosen === undefined && inherited === undefined)) return EVERY_INDEX;
  // Inherited indexes of a Job that was made smaller stay inherited, in case it grows again.
  const kept = inherited === undefined ? NO_INDEXES : parseStatusIndexes(inherited, Infinity);
  if (chosen === undefined) return { inherited: kept, excluded: NO_INDEXES };
  const running = parseStatusIndexes(chosen, completions);
  return { inherited: kept, excluded: subtract(allIndexes(completions), union(running, kept)) };
}

/** What a rerun has, before it is stored. */
export type Rerun =
  | { readonly kind: 'ok'; readonly inherited: IndexSet }
  /** Every index has succeeded, and none was chosen. */
  | { readonly kind: 'nothingToRun' };

/**
 * What a Job inherits from the Job that it repeats: its successes, apart from those that are to run again.
 *
 * @param succeeded the other Job's; `chosen` null: all others are to run
 */
export function rerunOf(completions: number, succeeded: IndexSet, chosen: IndexSet | null): Rerun {
  const inherited = subtract(succeeded, chosen ?? NO_INDEXES);
  return chosen === null && size(subtract(allIndexes(completions), inherited)) === 0
    ? { kind: 'nothingToRun' }
    : { kind: 'ok', inherited };
}

/**
 * The first rule of a success policy that can never be met, because too many of its indexes are excluded; null: there is none.
 */
export function neverMet(
  rules: readonly SuccessRule[],
  { excluded }: IndexSelection,
  completions: number,
): number | null {
  const found = rules.findIndex(({ indexes, count, own }) => {
    if (own !== undefined && own.share !== null) return false; // a share of those that are not excluded
    const listed = indexes ?? allIndexes(completions);
    return size(subtract(listed, excluded)) < (count ?? size(listed));
  });
  return found === -1 ? null : found;
}

/**
 * How many indexes of a Job have to succeed, for a reader who has only its manifest and status: the chosen ones and those that
 * are inherited, which have succeeded already.
 *
 * @param chosen `muster.run/indexes`; omitted: all
 * @param completed `status.completedIndexes`
 */
export function indexesToSucceed(completions: number, chosen: string | undefined, completed = ''): number {
  if (chosen === undefined) return completions;
  return size(union(parseStatusIndexes(chosen, completions), parseStatusIndexes(completed, completions)));
}
