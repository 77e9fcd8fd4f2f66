import type { JobAnnotation, Need } from './annotation.ts';
import { FLAG } from './annotation-values.ts';

/** A share in thousandths of a per cent, from 0 to 100,000. */
export type Share = number;

/** Everything. */
export const WHOLE: Share = 100_000;

/** Parses per cent, from 0 to 100, with up to three decimals and without a sign; null: any other text. */
export function parseShare(text: string): Share | null {
  const [whole, percent, decimals = ''] = /^(0|[1-9]\d{0,2})(?:\.(\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined) return null;
  const share = Number(percent) * 1_000 + Number(decimals.padEnd(3, '0'));
  return share <= WHOLE ? share : null;
}

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
const parseWhenAchieved = (text: string): WhenAchieved | null =>
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
const parseMessage = (text: string): string | null =>
  text.trim() === '' || text.length > MESSAGE_CHARS_MAX ? null : text;

const PERCENT = 'muster.run/success-percent';
const COUNT = 'muster.run/success-count';
/** Something that can end the Job as a success before all are done. */
const A_POLICY = { anyOf: ['spec.successPolicy', PERCENT, COUNT] } as const satisfies Need;

/** How much success is enough, and what it means. What was decided by one of them would have been decided otherwise by another. */
export const OF_SUCCESS = {
  successFirst: {
    key: 'muster.run/success-first',
    explains: 'true: the success policy decides before failures do',
    ...FLAG,
    needs: [{ ...A_POLICY, unless: 'false' }],
    immutable: 'always',
    field: 'successFirst',
    absent: false,
  },
  successPercent: {
    key: PERCENT,
    explains: 'this share of the completions is enough, in per cent',
    parse: (text: string) => parseShare(text) || null,
    rule: 'must be per cent above 0 and up to 100, such as "80" or "99.5" (three decimals at most), without a sign',
    needs: [{ anyOf: ['spec.completions'], why: 'it is a share of them' }],
    immutable: 'always',
  },
  successCount: {
    key: COUNT,
    explains: 'so many successes are enough',
    parse: parseSuccessCount,
    rule: 'must be a whole number from 1 to 9999999, without leading zeros',
    immutable: 'always',
  },
  successReason: {
    key: 'muster.run/success-reason',
    explains: 'the reason of the conditions then: one, or one for each rule',
    parse: parseReasons,
    rule: `must be a reason in CamelCase of at most ${REASON_CHARS_MAX} letters and digits, or one for each rule, such as "LeaderSucceeded,WorkersSucceeded"`,
    needs: [A_POLICY],
    immutable: 'always',
  },
  successMessage: {
    key: 'muster.run/success-message',
    explains: 'the message of the conditions then',
    parse: parseMessage,
    rule: `must be a text of 1 to ${MESSAGE_CHARS_MAX} characters`,
    needs: [A_POLICY],
    immutable: 'always',
    field: 'successMessage',
    absent: null,
  },
  whenAchieved: {
    key: 'muster.run/when-criteria-achieved',
    explains: 'Terminate, the default, Continue, or ContinueWithRecreations: what becomes of the other Pods then',
    parse: parseWhenAchieved,
    rule: `must be one of ${Object.values(WHEN_ACHIEVED).join(', ')}`,
    needs: [{ ...A_POLICY, unless: WHEN_ACHIEVED.terminate }],
    immutable: 'always',
    field: 'whenAchieved',
    absent: WHEN_ACHIEVED.terminate,
  },
  maxFailedPercent: {
    key: 'muster.run/max-failed-percent',
    explains: 'the share of its indexes that may fail, in per cent, with backoffLimitPerIndex',
    parse: parseShare,
    rule: 'must be per cent from 0 to 100, such as "5" or "0.5" (three decimals at most), without a sign',
    needs: [{ anyOf: ['spec.backoffLimitPerIndex'], why: 'without it, no index fails for good' }],
    immutable: 'always',
    field: 'maxFailedShare',
    absent: null,
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;
