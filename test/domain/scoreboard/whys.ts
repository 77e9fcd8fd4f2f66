import type { Why } from '../../../shared/domain/scoreboard/why.ts';

const LIMIT = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
const PULL = 'CannotPullContainerError: no such image';

/** Each kind, as the planner makes it, and the sentence that people see. */
export const WHYS: {
  readonly [K in Why['kind']]: readonly (readonly [why: Why & { readonly kind: K }, text: string])[];
} = {
  exited: [
    [{ kind: 'exited', exitCode: 0 }, 'exit code 0'],
    [{ kind: 'exited', exitCode: 137 }, 'exit code 137'],
    [{ kind: 'exited', exitCode: null }, 'exit code unknown'],
  ],
  outOfMemory: [[{ kind: 'outOfMemory' }, 'out of memory']],
  policyRule: [
    [
      { kind: 'policyRule', rule: 2, action: 'FailIndex', what: 'exit code 42' },
      'podFailurePolicy rule 2 (FailIndex): exit code 42',
    ],
    [
      { kind: 'policyRule', rule: 0, action: 'Ignore', what: 'condition DisruptionTarget' },
      'podFailurePolicy rule 0 (Ignore): condition DisruptionTarget',
    ],
  ],
  jobFailed: [
    [
      { kind: 'jobFailed', ...LIMIT, decidedBy: 7 },
      'the Job failed: BackoffLimitExceeded (Job has reached the specified backoff limit; decided by index 7)',
    ],
    [
      { kind: 'jobFailed', reason: 'Killed', message: 'its time (or so) has come', decidedBy: null },
      'the Job failed: Killed (its time (or so) has come)',
    ],
  ],
  jobSucceeded: [
    [
      { kind: 'jobSucceeded', reason: 'SuccessPolicy', message: 'Matched rules at index 0', decidedBy: 0 },
      'the Job succeeded: SuccessPolicy (Matched rules at index 0; decided by index 0)',
    ],
  ],
  jobSuspended: [[{ kind: 'jobSuspended' }, 'the Job was suspended']],
  jobDeleted: [[{ kind: 'jobDeleted' }, 'the Job was deleted']],
  regrouped: [
    [
      { kind: 'regrouped', message: '2 of 3 indexes ran within 60 s' },
      'all start again: 2 of 3 indexes ran within 60 s',
    ],
  ],
  completionsLowered: [[{ kind: 'completionsLowered' }, 'completions were lowered']],
  scaledDown: [[{ kind: 'scaledDown' }, 'parallelism was lowered']],
  indexCancelled: [[{ kind: 'indexCancelled' }, 'its index was cancelled']],
  indexRequeued: [[{ kind: 'indexRequeued' }, 'its index was requeued']],
  podEvicted: [[{ kind: 'podEvicted' }, 'its Pod was evicted']],
  podDeleted: [[{ kind: 'podDeleted' }, 'its Pod was deleted']],
  taskStopped: [[{ kind: 'taskStopped' }, 'its task was stopped']],
  podReplaced: [[{ kind: 'podReplaced' }, 'its Pod was deleted, and replaced at once']],
  podGivenUp: [[{ kind: 'podGivenUp' }, 'its Pod was deleted, and its index had no attempt left']],
  pastDeadline: [
    [{ kind: 'pastDeadline', of: 'attempt', sec: 30 }, 'it ran longer than 30 s (DeadlineExceeded)'],
    [{ kind: 'pastDeadline', of: 'index', sec: 5400 }, 'its index took longer than 5400 s (DeadlineExceeded)'],
  ],
  notStartedInTime: [[{ kind: 'notStartedInTime', sec: 90 }, 'it did not start within 90 s (PendingTimeout)']],
  unstarted: [[{ kind: 'unstarted', reason: PULL }, PULL]],
  lost: [[{ kind: 'lost', reason: 'Your Spot Task was interrupted.' }, 'Your Spot Task was interrupted.']],
  startTimedOut: [[{ kind: 'startTimedOut', sec: 900, reason: PULL }, `it could not be started for 900 s: ${PULL}`]],
  lostTooOften: [[{ kind: 'lostTooOften', times: 11, reason: 'host is gone' }, 'lost 11 times: host is gone']],
  said: [[{ kind: 'said', sentence: 'something else' }, 'something else']],
};

export const ALL_WHYS = Object.values(WHYS).flat();
