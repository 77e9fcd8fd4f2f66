import type { Reader, Writer } from '../base/bytes.ts';
import { codes, readTime, writeTime } from '../base/stored-values.ts';
import type { EpochMs } from '../base/time.ts';
import { DecodeError } from '../base/bytes.ts';
import type { Achievement, Verdict } from './status.ts';

// Why a Job ended, or will, as bytes in STATUS.

// Codes are part of the stored format: new words get new numbers, old numbers are never used again.
const VERDICTS = codes<Verdict['reason'] | 'OwnReason'>({
  CompletionsReached: 0,
  BackoffLimitExceeded: 1,
  LaunchRefused: 2,
  SuccessPolicy: 3,
  DeadlineExceeded: 4,
  PodFailurePolicy: 5,
  MaxFailedIndexesExceeded: 6,
  FailedIndexes: 7,
  Killed: 8,
  DependencyFailed: 9,
  GangTimeout: 10,
  // SuccessPolicy, with a reason of the user's
  OwnReason: 11,
});

export function writeVerdict(w: Writer, verdict: Verdict): void {
  const ownReason = verdict.kind === 'complete' ? verdict.ownReason : undefined;
  w.byte(VERDICTS.code(ownReason === undefined ? verdict.reason : 'OwnReason'));
  w.text(verdict.message);
  w.zigzagOrNull(verdict.decidedBy);
  if (ownReason !== undefined) w.text(ownReason);
}

export function readVerdict(r: Reader): Verdict {
  const reason = VERDICTS.word(r.byte());
  const message = r.text();
  const decidedBy = r.zigzagOrNull();
  if (reason === 'OwnReason')
    return { kind: 'complete', reason: 'SuccessPolicy', message, decidedBy, ownReason: r.text() };
  return reason === 'CompletionsReached' || reason === 'SuccessPolicy'
    ? { kind: 'complete', reason, message, decidedBy }
    : { kind: 'failed', reason, message, decidedBy };
}

export function writeAchievement(w: Writer, { verdict, since }: Achievement, now: EpochMs): void {
  writeTime(w, since, now);
  writeVerdict(w, verdict);
}

export function readAchievement(r: Reader, now: EpochMs): Achievement {
  const since = readTime(r, now);
  const verdict = readVerdict(r);
  if (verdict.kind !== 'complete') throw new DecodeError('success criteria that have failed');
  return { verdict, since };
}
