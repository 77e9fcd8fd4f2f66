import { type IndexSet, parseStatusIndexes } from '../base/index-set.ts';
import { ANNOTATIONS } from './annotations.ts';
import type { JobManifestSpec, Labels } from './manifest.ts';

// What a Job says about its success beyond batch/v1 (KEP-3998 names most of it as a possible future): a share or a number of
// successes is one more rule of its success policy, the last.

/** A share in thousandths of a per cent, from 0 to 100,000. */
export type Share = number;

const WHOLE: Share = 100_000;

/** Parses per cent, from 0 to 100, with up to three decimals and without a sign; null: any other text. */
export function parseShare(text: string): Share | null {
  const [whole, percent, decimals = ''] = /^(0|[1-9]\d{0,2})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  const share = Number(percent) * 1_000 + Number(decimals.padEnd(3, '0'));
  return share <= WHOLE ? share : null;
}

/** The same share as text, such as `99.5%`. */
export const shareText = (share: Share): string => `${share / 1_000}%`;

/** The fewest of `base` that are this share at least. */
export const fewest = (share: Share, base: number): number => Math.ceil((share * base) / WHOLE);

/** The most of `base` that are this share at most. */
export const most = (share: Share, base: number): number => Math.floor((share * base) / WHOLE);

/** Parses a number of successes, from 1 up; null: any other text. */
export const parseSuccessCount = (text: string): number | null => (/^[1-9]\d{0,6}$/.test(text) ? Number(text) : null);

/** What becomes of a Job's other Pods when its success policy is met, in KEP-3998's words. */
export const WHEN_ACHIEVED = {
  /** They are stopped, as in Kubernetes. */
  terminate: 'Terminate',
  /** They go on; nothing starts any more. */
  continue: 'Continue',
  /** Everything goes on as before. */
  continueWithRecreations: 'ContinueWithRecreations',
} as const;

export type WhenAchieved = (typeof WHEN_ACHIEVED)[keyof typeof WHEN_ACHIEVED];

/** Parses one of these words; null: any other text. */
export const parseWhenAchieved = (text: string): WhenAchieved | null =>
  Object.values(WHEN_ACHIEVED).find((word) => word === text) ?? null;

const REASON_CHARS_MAX = 128;

/** Parses reasons, with commas between them: words in CamelCase; null: any other text. */
export function parseReasons(text: string): readonly string[] | null {
  const reasons = text.split(',');
  return reasons.every((word) => /^[A-Z][A-Za-z0-9]*$/.test(word) && word.length <= REASON_CHARS_MAX) ? reasons : null;
}

/** It is stored with the Job's state, which is to stay small. */
const MESSAGE_CHARS_MAX = 1_024;

/** Parses a message: any text that is not empty and not long; null: any other. */
export const parseMessage = (text: string): string | null =>
  text.trim() === '' || text.length > MESSAGE_CHARS_MAX ? null : text;

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
