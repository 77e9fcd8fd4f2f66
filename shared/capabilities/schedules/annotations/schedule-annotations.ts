import type { Annotation } from '../../../domain/manifests/annotations/annotation.ts';
import { parseObjectPattern } from './object-pattern.ts';

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

/** Parses `none`, `last`, or `all`; null: any other text. */
export const parseCatchUp = (text: string): CatchUp | null =>
  Object.values(CATCH_UPS).find((each) => each === text) ?? null;

/** An hour: a slot should not meet the one after the next. */
const JITTER_SEC_MAX = 3_600;

/** Parses a whole number of seconds up to an hour; null: any other text. */
export const parseJitter = (text: string): number | null =>
  /^\d{1,4}$/.test(text) && Number(text) <= JITTER_SEC_MAX ? Number(text) : null;

/** On a CronJob: when, and for what, its Jobs are made. */
export const CRON_JOB_ANNOTATIONS = {
  catchUp: {
    key: 'muster.run/catch-up',
    explains: 'none, last, or all: which missed slots get their Job later',
    parse: parseCatchUp,
    rule: `must be one of ${Object.values(CATCH_UPS).join(', ')}`,
  },
  jitterSeconds: {
    key: 'muster.run/jitter-seconds',
    explains: 'each Job comes up to so many seconds later',
    parse: parseJitter,
    rule: `must be a whole number of seconds up to ${JITTER_SEC_MAX}`,
  },
  onObjectCreated: {
    key: 'muster.run/on-object-created',
    explains: 'uploads/*.csv: each object that S3 reports there gets a Job',
    parse: parseObjectPattern,
    rule: 'must be BUCKET/KEY, where each * in the key stands for any text, such as uploads/incoming/*.csv',
  },
} as const satisfies Readonly<Record<string, Annotation>>;
