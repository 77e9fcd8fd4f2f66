import { expect, test } from 'vitest';
import type { Attempt } from '../../ui/model/answers.ts';
import type { Pod } from '../../ui/model/objects.ts';
import { triesOf } from '../../ui/model/tries.ts';

const ended = (attempt: number, outcome: string, more: Partial<Attempt> = {}): Attempt => ({
  attempt,
  pod: `frames-7-${attempt}`,
  fate: 'open',
  tries: 1,
  node: null,
  vcpu: null,
  createdAt: null,
  startedAt: '2026-11-28T10:00:00.000Z',
  stoppedAt: '2026-11-28T10:00:03.000Z',
  exitCode: 3,
  container: 'main',
  reason: 'Error',
  cause: 'exit code 3',
  verdict: 'failed: exit code 3',
  outcome,
  why: { kind: 'exited' },
  stoppedWithJob: false,
  ...more,
});
const pod = (name: string, status: Pod['status'] = {}): Pod => ({
  metadata: { name, creationTimestamp: '2026-11-28T10:00:05Z' },
  spec: { containers: [] },
  status,
});
const running = { containerStatuses: [{ name: 'main', state: { running: { startedAt: '2026-11-28T10:00:06Z' } } }] };

test('attempts on record come first, and a Pod that has none yet is the next', () => {
  const tries = triesOf([ended(1, 'failed'), ended(2, 'failed')], [pod('frames-7-2'), pod('frames-7-3', running)]);
  expect(tries.map(({ attempt, pod: name, state, isLive }) => [attempt, name, state, isLive])).toEqual([
    [1, 'frames-7-1', 'failed', false],
    [2, 'frames-7-2', 'failed', false],
    [3, 'frames-7-3', 'running', true],
  ]);
});

test.each([
  ['succeeded', {}, 'succeeded', 'succeeded'],
  ['failedForGood', {}, 'failed, not retried', 'failed'],
  ['failedForGood', { why: { kind: 'policyRule', rule: 0 } }, 'failed, not retried', 'failed-early'],
  ['failed', { stoppedWithJob: true }, 'stopped with the Job', 'failed'],
  ['somethingNew', {}, 'something new', 'retrying'],
])('%s is shown in words and colour', (outcome, more, state, colour) => {
  const [shown] = triesOf([ended(1, outcome, more)], []);
  expect([shown?.state, shown?.colour]).toEqual([state, colour]);
});

test('a Pod that waits says why', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: 'launch rate 20/s' }];
  const [shown] = triesOf([], [pod('frames-7-1', { conditions })]);
  expect([shown?.state, shown?.verdict, shown?.hasStarted]).toEqual(['starting', 'launch rate 20/s', false]);
});
