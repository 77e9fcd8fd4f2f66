import { type IndexSet, parseStatusIndexes } from '../base/index-set.ts';
import { ANNOTATIONS } from './annotations/rows.ts';
import { type Share, WHOLE, parseReasons, parseShare, parseSuccessCount } from './annotations/successes.ts';
import type { JobManifestSpec, Labels } from './manifest.ts';

export { WHEN_ACHIEVED } from './annotations/successes.ts';

// What a Job says about its success beyond batch/v1 (KEP-3998 names most of it as a possible future): a share or a number of
// successes is one more rule of its success policy, the last.

/** The same share as text, such as `99.5%`. */
export const shareText = (share: Share): string => `${share / 1_000}%`;

/** The fewest of `base` that are this share at least. */
export const fewest = (share: Share, base: number): number => Math.ceil((share * base) / WHOLE);

/** The most of `base` that are this share at most. */
export const most = (share: Share, base: number): number => Math.floor((share * base) / WHOLE);

/** At least one of `indexes`, `count`, and `own.share` is set. */
export type SuccessRule = {
  readonly indexes: IndexSet | null;
  readonly count: number | null;
  /** Of a rule that is an annotation: how it is written there, and the share of the completions that is enough. */
  readonly own?: { readonly says: string; readonly share: Share | null };
  /** The reason of a Job that this rule ends; omitted: Kubernetes'. */
  readonly reason?: string;
};

type Policy = Pick<JobManifestSpec, 'completions' | 'successPolicy'>;

/**
 * The rules of a Job's success policy, in the order in which they are looked at: those of its spec, then what its annotations
 * say. null: it has none. A text that cannot be read is no rule: admission has refused it.
 */
export function successRulesOf(
  { successPolicy, completions = 0 }: Policy,
  annotations: Labels | undefined,
): readonly SuccessRule[] | null {
  const own = ownRuleOf(annotations);
  if (successPolicy === undefined && own === null) return null;
  const rules: readonly SuccessRule[] = [
    ...(successPolicy?.rules ?? []).map(({ succeededIndexes, succeededCount }) => ({
      indexes: succeededIndexes === undefined ? null : parseStatusIndexes(succeededIndexes, completions),
      count: succeededCount ?? null,
    })),
    ...(own === null ? [] : [own]),
  ];
  const reasons = parseReasons(annotations?.[ANNOTATIONS.successReason] ?? '');
  if (reasons === null) return rules;
  return rules.map((rule, i) => {
    const reason = reasons[reasons.length === 1 ? 0 : i];
    return reason === undefined ? rule : { ...rule, reason };
  });
}

function ownRuleOf(annotations: Labels | undefined): SuccessRule | null {
  const { successPercent, successCount } = ANNOTATIONS;
  const percent = annotations?.[successPercent];
  const share = parseShare(percent ?? '');
  if (share !== null && share > 0)
    return { indexes: null, count: null, own: { share, says: `${successPercent} ${percent}` } };
  const text = annotations?.[successCount];
  const count = parseSuccessCount(text ?? '');
  return count === null ? null : { indexes: null, count, own: { share: null, says: `${successCount} ${text}` } };
}
