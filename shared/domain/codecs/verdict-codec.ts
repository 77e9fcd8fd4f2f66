import { DecodeError } from '../base/bytes.ts';
import { type Codec, codes } from '../base/stored-values.ts';
import type { Verdict } from '../scoreboard/status.ts';

const REASONS = codes<Verdict['reason'] | 'OwnReason'>({
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

/** Why a Job ended, or will. */
export const VERDICT: Codec<Verdict, unknown> = {
  write(w, verdict) {
    const ownReason = verdict.kind === 'complete' ? verdict.ownReason : undefined;
    REASONS.write(w, ownReason === undefined ? verdict.reason : 'OwnReason', null);
    w.text(verdict.message);
    w.zigzagOrNull(verdict.decidedBy);
    if (ownReason !== undefined) w.text(ownReason);
  },
  read(r) {
    const reason = REASONS.read(r, null);
    const message = r.text();
    const decidedBy = r.zigzagOrNull();
    if (reason === 'OwnReason')
      return { kind: 'complete', reason: 'SuccessPolicy', message, decidedBy, ownReason: r.text() };
    return reason === 'CompletionsReached' || reason === 'SuccessPolicy'
      ? { kind: 'complete', reason, message, decidedBy }
      : { kind: 'failed', reason, message, decidedBy };
  },
};

/** A verdict of success criteria. */
export const COMPLETE: Codec<Extract<Verdict, { kind: 'complete' }>, unknown> = {
  write: (w, verdict) => VERDICT.write(w, verdict, null),
  read(r) {
    const verdict = VERDICT.read(r, null);
    if (verdict.kind !== 'complete') throw new DecodeError('success criteria that have failed');
    return verdict;
  },
};
