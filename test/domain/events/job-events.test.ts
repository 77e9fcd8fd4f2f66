import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { type PodRef, jobEvents } from '../../../shared/domain/events/job-events.ts';
import { podName } from '../../../shared/domain/task/pod-name.ts';
import { type Phase, type Status, type Verdict, freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import { plainSpec } from '../../support/a-job.ts';

const job = {
  uid: asJobUid('u1'),
  namespace: 'default',
  name: 'work',
  createdAt: asEpochMs(0),
  revision: 1,
  spec: plainSpec({ completionMode: 'Indexed', parallelism: 3, completions: 3 }),
};
const at = asEpochMs(5_000);
const RUNNING = { kind: 'running' } as const;
const SUSPENDED = { kind: 'suspended', since: at } as const;
const COMPLETE = {
  kind: 'complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
  decidedBy: null,
} as const;
const FAILED = {
  kind: 'failed',
  reason: 'BackoffLimitExceeded',
  message: 'Job has reached the specified backoff limit',
  decidedBy: 1,
} as const;
const REFUSED = { kind: 'failed', reason: 'LaunchRefused', message: 'no such cluster', decidedBy: null } as const;
const draining = (verdict: Verdict): Phase => ({ kind: 'draining', verdict, since: at });
const finished = (verdict: Verdict): Phase => ({ kind: 'finished', verdict, since: at, at });

const status = (phase: Phase, more: Partial<Status> = {}): Status => ({ ...freshStatus(job, at), phase, ...more });
const told = (
  before: Status | null,
  after: Status,
  created: readonly PodRef[] = [],
  deleted: readonly PodRef[] = [],
): readonly string[] =>
  jobEvents(before, after, job, created, deleted).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

const nameOf = (index: number, attempt: number): string =>
  podName({ uid: job.uid, name: job.name, completionMode: 'Indexed' }, index, attempt);
const [zero, one] = [
  { index: 0, attempt: 1 },
  { index: 1, attempt: 2 },
];

test.each([
  ['suspended', true, status(RUNNING), status(SUSPENDED), 'Job suspended by kim'],
  [
    'at rest until a moment, long after somebody resumed it',
    false,
    status(RUNNING),
    status(SUSPENDED),
    'Job suspended',
  ],
  ['resumed', false, status(SUSPENDED), status(RUNNING, { resumedAt: at }), 'Job resumed by kim'],
])('a Job that is %s says who asked for it, after the words of Kubernetes', (_, suspend, before, after, message) => {
  const asked = { ...job, spec: { ...job.spec, suspend }, suspendSetBy: 'kim' };
  expect(jobEvents(before, after, asked, [], []).map((event) => event.message)).toEqual([message]);
});

describe('Events of a Job, each once (kubernetes-job.md 3.2)', () => {
  test.each([
    ['a new Job', null, status(RUNNING), []],
    ['a Job that is created suspended', null, status(SUSPENDED), ['Normal Suspended: Job suspended']],
    ['suspended', status(RUNNING), status(SUSPENDED), ['Normal Suspended: Job suspended']],
    ['still suspended', status(SUSPENDED), status(SUSPENDED), []],
    ['resumed', status(SUSPENDED), status(RUNNING, { resumedAt: at }), ['Normal Resumed: Job resumed']],
    ['resumed before', status(RUNNING, { resumedAt: at }), status(RUNNING, { resumedAt: at }), []],
    ['the interim condition is no event', status(RUNNING), status(draining(FAILED)), []],
    [
      'a Pod that cannot be created at all',
      status(RUNNING),
      status(draining(REFUSED)),
      ['Warning FailedCreate: Error creating: no such cluster'],
    ],
    ['told once', status(draining(REFUSED)), status(finished(REFUSED)), ['Warning LaunchRefused: no such cluster']],
    [
      'the terminal one is, by the name of its reason',
      status(draining(FAILED)),
      status(finished(FAILED)),
      ['Warning BackoffLimitExceeded: Job has reached the specified backoff limit'],
    ],
    ['complete', status(RUNNING), status(finished(COMPLETE)), ['Normal Completed: Job completed']],
    ['complete, and looked at again', status(finished(COMPLETE)), status(finished(COMPLETE)), []],
    ['deleted', status(RUNNING), status({ kind: 'purging', since: at }), []],
  ])('%s', (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  test('Events name Pods: deletions first, then creations', () => {
    expect(told(status(RUNNING), status(RUNNING), [one], [zero])).toEqual([
      `Normal SuccessfulDelete: Deleted pod: ${nameOf(0, 1)}`,
      `Normal SuccessfulCreate: Created pod: ${nameOf(1, 2)}`,
    ]);
  });

  test('a suspend comes after the Events of its Pods', () => {
    expect(told(status(RUNNING), status(SUSPENDED), [], [zero]).map((line) => line.split(':')[0])).toEqual([
      'Normal SuccessfulDelete',
      'Normal Suspended',
    ]);
  });

  test('a finished Job with more successes than completions has a warning', () => {
    const [chunk] = status(RUNNING).chunks;
    const chunks = chunk === undefined ? [] : [{ ...chunk, succeeded: 4 }];
    const reasons = jobEvents(status(RUNNING), status(finished(COMPLETE), { chunks }), job, [], []).map(
      (e) => e.reason,
    );
    expect(reasons).toEqual(['TooManySucceededPods', 'Completed']);
  });
});
