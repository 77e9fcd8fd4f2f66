import { expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../../shared/domain/base/ids.ts';
import { POD_DELETED, endingOf, factOf, isForOperator } from '../../../shared/domain/planner/ending.ts';
import type { EndingCause } from '../../../shared/domain/base/fact.ts';
import { formatGroup, parseGroup } from '../../../shared/domain/task/task-group.ts';
import type { TaskView } from '../../../shared/domain/task/task.ts';

const OOM = 'OutOfMemoryError: container killed due to memory usage';

test.each<[string | null, number | null, string | null, EndingCause, string, 'never ran'?]>([
  // stopCode                   exit  container's reason    cause             because
  ['EssentialContainerExited', 0, null, 'Completed', 'the only way to succeed'],
  ['EssentialContainerExited', 1, null, 'Error', 'the program says so'],
  ['EssentialContainerExited', 137, null, 'Error', 'killed, but not for memory'],
  ['EssentialContainerExited', 137, OOM, 'OOMKilled', 'killed for memory'],
  ['EssentialContainerExited', 137, OOM.toUpperCase(), 'OOMKilled', 'the text differs in case'],
  ['EssentialContainerExited', 0, OOM, 'Completed', 'a child was killed, the program coped'],
  ['EssentialContainerExited', null, null, 'Error', 'no exit code is not 0'],
  ['UserInitiated', 0, null, 'Stopped', 'SIGTERM was handled'],
  ['UserInitiated', 143, null, 'Stopped', 'SIGTERM was not'],
  ['UserInitiated', 137, null, 'Stopped', 'it took too long'],
  ['ServiceSchedulerInitiated', 0, null, 'Stopped', 'somebody else stopped it'],
  ['SpotInterruption', 0, null, 'Spot', 'SIGTERM was handled'],
  ['SpotInterruption', null, null, 'Unplaced', 'no capacity', 'never ran'],
  ['InfrastructureHealth', null, null, 'Unplaced', 'no host', 'never ran'],
  ['TaskFailedToStart', null, 'CannotPullContainerError: no such image', 'StartFailed', 'no image', 'never ran'],
  [
    'TaskFailedToStart',
    null,
    'Unexpected EC2 error while attempting to Create Network Interface',
    'Unplaced',
    'no address',
    'never ran',
  ],
  ['TaskFailedToStart', null, 'CannotStartContainerError: spawn EAGAIN', 'Unplaced', 'no room for it now', 'never ran'],
  ['TaskFailedToStart', null, null, 'StartFailed', 'no image'],
  ['TaskFailedToStart', 0, null, 'StartFailed', 'an init container was fine, the next could not start'],
  ['TaskFailedToStart', 9, null, 'Error', 'an init container failed'],
  [
    'TaskFailedToStart',
    null,
    'ResourceInitializationError: failed to fetch secret x: AccessDeniedException: Access to KMS is not allowed',
    'Unplaced',
    'an operator mends it',
    'never ran',
  ],
  ['TaskFailedToStart', 137, OOM, 'OOMKilled', 'an init container was killed for memory'],
  ['TerminationNotice', 143, null, 'Infrastructure', 'retired'],
  ['InfrastructureHealth', null, null, 'Infrastructure', 'the host failed'],
  ['InfrastructureHealth', 0, null, 'Infrastructure', 'exit codes do not count then'],
  [null, 0, null, 'Infrastructure', 'nobody says that it ended by itself'],
  ['SomethingNew', 1, null, 'Infrastructure', 'ECS may add codes'],
])('%s, exit %s, %s → %s: %s', (stopCode, exitCode, containerReason, cause, _, neverRan) => {
  const started = neverRan === undefined;
  expect(
    endingOf({ stopCode, stoppedReason: 'why', exitCode, container: 'main', containerReason, started }),
  ).toMatchObject({
    cause,
    exitCode,
    container: exitCode === null ? null : 'main',
  });
});

test('a program that cannot be started has failed, with the exit code of Kubernetes', () =>
  expect(
    endingOf({
      stopCode: 'TaskFailedToStart',
      stoppedReason: 'CannotStartContainerError: exec: "nope": executable file not found in $PATH',
      exitCode: null,
      container: 'main',
      containerReason: null,
      started: false,
    }),
  ).toMatchObject({ cause: 'Error', exitCode: 128, container: 'main' }));

test.each([
  ['Task stopped during instance draining', true, 'Infrastructure'],
  ['Task stopped during instance draining', false, 'Unplaced'],
  ['Muster: the Pod was deleted', true, 'Stopped'],
] as const)('UserInitiated, %s, started %s: %s', (stoppedReason, started, cause) =>
  expect(
    endingOf({
      stopCode: 'UserInitiated',
      stoppedReason,
      exitCode: null,
      container: null,
      containerReason: null,
      started,
    }),
  ).toMatchObject({ cause }),
);

test('a long reason keeps the words that decide', () => {
  const secret = `ResourceInitializationError: failed to fetch secret ${'s'.repeat(600)} from secrets manager: `;
  const ending = endingOf({
    stopCode: 'TaskFailedToStart',
    stoppedReason: `${secret}AccessDeniedException: Access to KMS is not allowed`,
    exitCode: null,
    container: null,
    containerReason: null,
    started: false,
  });
  expect(ending.reason).toMatch(/^ResourceInitializationError.*…AccessDeniedException: Access to KMS is not allowed$/);
  expect(ending.reason.length).toBeLessThanOrEqual(500);
  expect(isForOperator(ending)).toBe(true);
});

test.each([
  ['Essential container in task exited', OOM, `Essential container in task exited: ${OOM}`],
  ['same', 'same', 'same'],
  [null, null, 'UserInitiated'],
  ['', 'only this', 'only this'],
  ['x'.repeat(2000), null, `${'x'.repeat(499)}…`],
])('reason of %s and %s', (stoppedReason, containerReason, reason) => {
  expect(
    endingOf({
      stopCode: 'UserInitiated',
      stoppedReason,
      exitCode: null,
      container: null,
      containerReason,
      started: true,
    }).reason,
  ).toBe(reason);
});

const [created, started, stopped] = [asEpochMs(1000), asEpochMs(2000), asEpochMs(3000)];
const view: TaskView = {
  arn: asTaskArn('arn:aws:ecs:eu-central-1:1:task/jobs/1'),
  job: asJobUid('u'),
  id: { index: 4, attempt: 2, nonce: 1 },
  version: 3,
  stage: 'running',
  ending: null,
  times: { createdAt: created, startedAt: started, stoppedAt: null },
  privateIp: null,
};
const ending = { cause: 'Completed', exitCode: 0, container: 'main', reason: '' } as const;

test('a running view is a running fact, at the time ECS started it', () => {
  expect(factOf(view)).toEqual({ ...view.id, kind: 'running', taskArn: view.arn, at: started });
});

test('a stopped view is a stopped fact, at the best time that ECS reports', () => {
  const times = { createdAt: created, startedAt: started, stoppedAt: stopped };
  const fact = factOf({ ...view, stage: 'stopped', ending, times });
  expect(fact).toEqual({ ...view.id, kind: 'stopped', taskArn: view.arn, ending, times, at: stopped });
  expect(factOf({ ...view, stage: 'stopped', ending })?.at).toBe(started);
});

test.each(['starting', 'stopping'] as const)('a %s view is no fact', (stage) => {
  expect(factOf({ ...view, stage })).toBeNull();
});

test('a group names its attempt, but only in the exact form', () => {
  const id = { index: 99_999, attempt: 12, nonce: 3 };
  expect(formatGroup('muster:', id)).toBe('muster:99999:12:3');
  expect(parseGroup('muster:', 'muster:99999:12:3')).toEqual(id);
  for (const foreign of [
    'family:web',
    'muster:',
    'muster:1:2',
    'muster:01:2:3',
    'muster:1:2:3:4',
    'muster:-1:2:3',
    'x',
  ]) {
    expect(parseGroup('muster:', foreign)).toBeNull();
  }
});

test.each<[string, string, string | null, true | undefined]>([
  ['after a user has deleted its Pod', 'UserInitiated', POD_DELETED, true],
  ['after that, in a longer text', 'UserInitiated', `${POD_DELETED} by ann`, true],
  ['for any other reason', 'UserInitiated', 'Muster: no longer wanted', undefined],
  ['without a reason', 'UserInitiated', null, undefined],
  ['by itself just then', 'EssentialContainerExited', POD_DELETED, undefined],
])('it ended %s', (_, stopCode, stoppedReason, podDeleted) => {
  const marks = { stopCode, stoppedReason, exitCode: 1, container: 'main', containerReason: null, started: true };
  expect(endingOf(marks).podDeleted).toBe(podDeleted);
});
