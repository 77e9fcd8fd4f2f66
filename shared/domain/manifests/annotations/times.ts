import { parseGoDuration } from '../../base/go-duration.ts';
import type { JobAnnotation } from './annotation.ts';
import { MOMENT, SECONDS } from './annotation-values.ts';

/** Parses a number of seconds, which may be zero; null: any other text. */
export function parseRetryDelay(text: string): number | null {
  return /^(?:0|[1-9]\d{0,6})$/.test(text) ? Number(text) : null;
}

/** A year: longer than any index should take, and short enough for every clock. */
const DEADLINE_MAX_SEC = 31_536_000;

/** Parses a duration as Go writes it (`90m`, `1h30m`) into whole seconds, from 1 second to a year; null: any other text. */
function parseDeadline(text: string): number | null {
  const parsed = parseGoDuration(text);
  const sec = parsed.kind === 'ok' ? parsed.seconds : 0;
  return Number.isInteger(sec) && sec >= 1 && sec <= DEADLINE_MAX_SEC ? sec : null;
}

/** When indexes are tried, and when the Job starts and ends. */
export const OF_TIMES = {
  /** Instead of a delay that grows. */
  retryDelay: {
    key: 'muster.run/retry-delay-seconds',
    explains: 'seconds between the tries of an index, with backoffLimitPerIndex',
    parse: parseRetryDelay,
    rule: 'must be a whole number of seconds between 0 and 9999999, without leading zeros',
    needs: [{ anyOf: ['spec.backoffLimitPerIndex'], why: 'the delay is that of each index' }],
    immutable: 'always',
    field: 'retryDelaySec',
    absent: null,
  },
  /** From its claim, whatever it waits for. */
  startTimeout: {
    key: 'muster.run/start-timeout-seconds',
    explains: 'seconds after which a Pod that does not run yet counts as failed',
    ...SECONDS,
    immutable: 'always',
    field: 'startTimeoutSec',
    absent: null,
  },
  /** From its first claim. */
  indexDeadline: {
    key: 'muster.run/index-deadline',
    explains: '90m: how long all attempts of an index may take together, with backoffLimitPerIndex',
    parse: parseDeadline,
    rule: 'must be a duration such as 90m or 1h30m: whole seconds, at least 1s and at most 8760h',
    needs: [
      {
        anyOf: ['spec.backoffLimitPerIndex'],
        why: 'without it, no index can fail for good while its Job goes on',
      },
    ],
    immutable: 'always',
    field: 'indexDeadlineSec',
    absent: null,
  },
  startAfter: {
    key: 'muster.run/start-after',
    explains: 'a time, in RFC 3339, before which the Job does not start',
    ...MOMENT,
    immutable: 'onceStarted',
    leftOutOf: ['rerun', 'submission'],
    field: 'startAfter',
    absent: null,
  },
  /** Unless it is over. */
  killAt: {
    key: 'muster.run/kill-at',
    explains: 'a time, in RFC 3339, at which the Job is stopped, and has failed',
    ...MOMENT,
    immutable: 'oncePassed',
    leftOutOf: ['rerun', 'submission'],
    field: 'killAt',
    absent: null,
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;
