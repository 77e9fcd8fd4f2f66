import { ANNOTATIONS } from '../spec/annotations.ts';
import type { Labels } from '../spec/manifest.ts';

/** Which slots that were missed get their Job later. */
export const CATCH_UPS = {
  /** Those that are a minute late are left out. */
  none: 'none',
  /** The most recent one, as in Kubernetes. */
  last: 'last',
  /** Each of them, one after the other. */
  all: 'all',
} as const;
export type CatchUp = (typeof CATCH_UPS)[keyof typeof CATCH_UPS];

/** What a CronJob's annotations add to Kubernetes' rules. */
export type CronRules = {
  readonly catchUp: CatchUp;
  /** Each slot's Job is created up to so much later, always the same for one slot. */
  readonly jitterSec: number;
};

/** An hour: a slot should not meet the one after the next. */
const JITTER_SEC_MAX = 3_600;

/** Parses `none`, `last`, or `all`; null: any other text. */
export const parseCatchUp = (text: string): CatchUp | null =>
  Object.values(CATCH_UPS).find((each) => each === text) ?? null;

/** Parses a whole number of seconds up to an hour; null: any other text. */
export const parseJitter = (text: string): number | null =>
  /^\d{1,4}$/.test(text) && Number(text) <= JITTER_SEC_MAX ? Number(text) : null;

/** The rules of an admitted CronJob. */
export const cronRulesOf = (annotations: Labels = {}): CronRules => ({
  catchUp: parseCatchUp(annotations[ANNOTATIONS.catchUp] ?? '') ?? CATCH_UPS.last,
  jitterSec: parseJitter(annotations[ANNOTATIONS.jitterSeconds] ?? '') ?? 0,
});
