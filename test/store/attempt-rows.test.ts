import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { packed } from '../../shared/adapters/rows/dynamo-item.ts';
import { asTaskArn } from '../../shared/domain/base/ids.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { type Why, withinBounds } from '../../shared/domain/scoreboard/why.ts';
import type { AttemptRecord } from '../../shared/ports/job-store.ts';
import { AttemptSchema } from '../../shared/store/programs/row-bodies.ts';
import { ALL_WHYS } from '../domain/scoreboard/whys.ts';

const AT = asEpochMs(1_700_000_000_000);

/** As long as a record can be, but for its `why`. */
const record = (why: Why, reason: string): AttemptRecord => ({
  index: 999_999,
  attempt: 999_999,
  nonce: 999,
  taskArn: asTaskArn(`arn:aws-us-gov:ecs:us-gov-west-1:000000000000:task/muster/${'0123456789abcdef'.repeat(2)}`),
  ending: { cause: 'Infrastructure', exitCode: 255, container: 'c'.repeat(63), reason, podDeleted: true },
  times: { createdAt: AT, startedAt: AT, stoppedAt: AT },
  judgement: { as: 'failedForGood', why: withinBounds(why) },
  failures: 999,
  ignored: 999,
  restarts: 999,
  podCreatedSec: 1_700_000_000,
  gone: true,
});

const stored = (attempt: AttemptRecord): Buffer => Buffer.from(JSON.stringify(attempt));

test.each(ALL_WHYS)('%j is read as it was written', (why) => {
  const attempt = record(why, 'r');
  expect(AttemptSchema.parse(JSON.parse(stored(attempt).toString()))).toEqual(attempt);
});

test('a row of the form before, with a sentence, cannot be read', () => {
  const { judgement: _, ...rest } = record({ kind: 'outOfMemory' }, 'r');
  const before = { ...rest, judgement: { as: 'failed', because: 'out of memory' } };
  expect(AttemptSchema.safeParse(before).success).toBe(false);
  expect(AttemptSchema.safeParse(rest).success).toBe(false);
});

describe('a row stays below 1 KB, however long the texts of others are', () => {
  // Texts that hardly compress.
  const text = (bytes: number): string =>
    Array.from({ length: bytes / 40 + 1 }, (_, i) => createHash('sha256').update(`${bytes} ${i}`).digest('base64'))
      .join('')
      .slice(0, bytes);
  const [message, reason] = [text(2_000), text(2_001)];

  test.each<Why>([
    { kind: 'jobFailed', reason: 'MaxFailedIndexesExceeded', message, decidedBy: 999_999 },
    { kind: 'jobSucceeded', reason: text(128), message, decidedBy: 999_999 },
    { kind: 'regrouped', message },
    { kind: 'policyRule', rule: 19, action: 'FailIndex', what: `condition ${text(316)}` },
    { kind: 'startTimedOut', sec: 2_147_483_647, reason },
    { kind: 'lostTooOften', times: 999_999, reason },
    { kind: 'said', sentence: message },
  ])('$kind', (why) => {
    // What ECS has said is cut to 500 characters (endingOf).
    const body = packed(stored(record(why, text(500))));
    // The keys' names and the row's own fields.
    expect(body.length + 100).toBeLessThan(1_024);
  });
});
