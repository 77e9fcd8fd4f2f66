import { describe, expect, test } from 'vitest';
import type { PodFailureRule } from '../../../shared/domain/manifests/manifest.ts';
import {
  type FailedPod,
  failJobMessage,
  matchPodFailurePolicy,
} from '../../../shared/domain/manifests/pod-failure-policy.ts';

// Rules in order, the first that matches wins (kubernetes-job.md 6.5, KEP-3329).

type Action = PodFailureRule['action'];
type ExitCodes = NonNullable<PodFailureRule['onExitCodes']>;

/** `main 2, side 137`: containers that exited with a code other than 0; `DisruptionTarget=True`: conditions. */
function podOf(words: string): FailedPod {
  const parts = words.split(', ').filter((part) => part !== '');
  return {
    exitCodes: parts.flatMap((part) => {
      const [, container, code] = /^(\w+) (-?\d+)$/.exec(part) ?? [];
      return container === undefined ? [] : [{ container, exitCode: Number(code) }];
    }),
    conditions: parts.flatMap((part) => {
      const [, type, status] = /^(\w+)=(\w+)$/.exec(part) ?? [];
      return type === undefined || status === undefined ? [] : [{ type, status }];
    }),
  };
}

const onCodes = (action: Action, operator: ExitCodes['operator'], values: readonly number[], containerName?: string) =>
  ({
    action,
    onExitCodes: { operator, values, ...(containerName === undefined ? {} : { containerName }) },
  }) satisfies PodFailureRule;
const onConditions = (action: Action, ...patterns: readonly string[]): PodFailureRule => ({
  action,
  onPodConditions: patterns.map((pattern) => {
    const [type = '', status = 'True'] = pattern.split('=');
    return { type, status: status as 'True' };
  }),
});

/** `FailJob 0`: the action and the rule's position; none: the failure counts as without a policy. */
function matchOf(rules: readonly PodFailureRule[], pod: string): string {
  const match = matchPodFailurePolicy({ rules }, podOf(pod));
  return match === null ? 'none' : `${match.action} ${match.rule}: ${match.what}`;
}

type Row = readonly [rules: readonly PodFailureRule[], pod: string, expected: string, because: string];

describe('exit codes', () => {
  test.each<Row>([
    [[onCodes('FailJob', 'In', [1, 2, 3])], 'main 2', 'FailJob 0: exit code 2', 'In: it is in the list'],
    [[onCodes('FailJob', 'In', [1, 2, 3])], 'main 4', 'none', 'it is not'],
    [[onCodes('Ignore', 'In', [1, 2, 3])], 'main 2', 'Ignore 0: exit code 2', 'for Ignore'],
    [[onCodes('FailIndex', 'In', [1, 2, 3])], 'main 3', 'FailIndex 0: exit code 3', 'for FailIndex'],
    [[onCodes('Count', 'In', [1, 2, 3])], 'main 1', 'Count 0: exit code 1', 'for Count'],
    [[onCodes('FailJob', 'NotIn', [5, 6])], 'main 1', 'FailJob 0: exit code 1', 'NotIn: it is not in the list'],
    [[onCodes('FailJob', 'NotIn', [5, 6])], 'main 5', 'none', 'it is'],
    [
      [onCodes('FailJob', 'NotIn', [5, 6])],
      'main 5, side 7',
      'FailJob 0: exit code 7',
      'any container of which it is true',
    ],
    [[onCodes('FailJob', 'NotIn', [5, 6])], 'main 5, side 6', 'none', 'there is none'],
    [[onCodes('FailJob', 'NotIn', [0])], 'main 9', 'FailJob 0: exit code 9', 'NotIn 0: whatever has failed'],
    [
      [onCodes('FailJob', 'In', [137])],
      'main 1, side 137',
      'FailJob 0: exit code 137',
      'any container, not the first only',
    ],
    [[onCodes('FailJob', 'In', [-1])], 'main -1', 'FailJob 0: exit code -1', 'a negative code is a code'],
    [[onCodes('FailJob', 'In', [1])], '', 'none', 'nothing has ended with a code'],
    [[onCodes('FailJob', 'NotIn', [1])], '', 'none', 'and so nothing with another'],
    [[onCodes('FailJob', 'NotIn', [1])], 'DisruptionTarget=True', 'none', 'a condition is no exit code'],
  ])('%o, %s → %s: %s', (rules, pod, expected) => {
    expect(matchOf(rules, pod)).toBe(expected);
  });
});

describe('a rule for one container', () => {
  test.each<Row>([
    [[onCodes('FailJob', 'In', [2], 'main')], 'main 2', 'FailJob 0: exit code 2', 'it is that one'],
    [[onCodes('FailJob', 'In', [2], 'main')], 'side 2', 'none', 'it is another'],
    [[onCodes('FailJob', 'In', [2], 'main')], 'side 2, main 2', 'FailJob 0: exit code 2', 'among others'],
    [[onCodes('FailJob', 'NotIn', [2], 'main')], 'side 3, main 2', 'none', 'NotIn looks at that one only'],
    [
      [onCodes('FailJob', 'In', [7], 'setup')],
      'setup 7',
      'FailJob 0: exit code 7',
      'an init container has a name, too',
    ],
    [[onCodes('FailJob', 'In', [7])], 'setup 7', 'FailJob 0: exit code 7', 'and is among all'],
  ])('%o, %s → %s: %s', (rules, pod, expected) => {
    expect(matchOf(rules, pod)).toBe(expected);
  });
});

describe('conditions of the Pod', () => {
  test.each<Row>([
    [
      [onConditions('Ignore', 'DisruptionTarget')],
      'DisruptionTarget=True',
      'Ignore 0: condition DisruptionTarget',
      'its type and status',
    ],
    [
      [onConditions('FailJob', 'DisruptionTarget')],
      'DisruptionTarget=True',
      'FailJob 0: condition DisruptionTarget',
      'for FailJob',
    ],
    [
      [onConditions('Count', 'DisruptionTarget')],
      'DisruptionTarget=True',
      'Count 0: condition DisruptionTarget',
      'for Count',
    ],
    [
      [onConditions('FailIndex', 'DisruptionTarget')],
      'DisruptionTarget=True',
      'FailIndex 0: condition DisruptionTarget',
      'for FailIndex',
    ],
    [[onConditions('Ignore', 'DisruptionTarget')], 'DisruptionTarget=False', 'none', 'another status'],
    [
      [onConditions('Ignore', 'Evicted=False')],
      'Evicted=False',
      'Ignore 0: condition Evicted',
      'False may be asked for',
    ],
    [[onConditions('Ignore', 'Evicted=Unknown')], 'Evicted=False', 'none', 'Unknown is not False'],
    [[onConditions('Ignore', 'DisruptionTarget')], 'Ready=True', 'none', 'another type'],
    [
      [onConditions('Ignore', 'Evicted', 'DisruptionTarget')],
      'DisruptionTarget=True',
      'Ignore 0: condition DisruptionTarget',
      'any of its patterns',
    ],
    [[onConditions('Ignore', 'DisruptionTarget')], 'main 1', 'none', 'an exit code is no condition'],
    [[onConditions('Ignore')], 'DisruptionTarget=True', 'none', 'no pattern, no match'],
  ])('%o, %s → %s: %s', (rules, pod, expected) => {
    expect(matchOf(rules, pod)).toBe(expected);
  });
});

describe('several rules', () => {
  test.each<Row>([
    [[], 'main 1', 'none', 'no rule'],
    [
      [onCodes('Ignore', 'In', [1]), onCodes('FailJob', 'In', [1])],
      'main 1',
      'Ignore 0: exit code 1',
      'the first wins',
    ],
    [
      [onCodes('FailJob', 'In', [1]), onCodes('Ignore', 'In', [1])],
      'main 1',
      'FailJob 0: exit code 1',
      'in either order',
    ],
    [
      [onCodes('Ignore', 'In', [2]), onCodes('FailJob', 'In', [1])],
      'main 1',
      'FailJob 1: exit code 1',
      'what does not match is passed over',
    ],
    [
      [onConditions('Ignore', 'DisruptionTarget'), onCodes('FailJob', 'In', [1])],
      'main 1, DisruptionTarget=True',
      'Ignore 0: condition DisruptionTarget',
      'of both kinds',
    ],
    [
      [onCodes('Count', 'In', [1]), onCodes('FailJob', 'NotIn', [2])],
      'main 1',
      'Count 0: exit code 1',
      'Count ends the search, too',
    ],
    [
      [{ action: 'FailJob' }, onCodes('Ignore', 'In', [1])],
      'main 1',
      'Ignore 1: exit code 1',
      'a rule that asks for nothing matches nothing',
    ],
  ])('%o, %s → %s: %s', (rules, pod, expected) => {
    expect(matchOf(rules, pod)).toBe(expected);
  });
});

test.each([
  [
    onCodes('FailJob', 'In', [42]),
    'main 42',
    'Container main for pod ns/work-0-abcde failed with exit code 42 matching FailJob rule at index 0',
  ],
  [
    onConditions('FailJob', 'DisruptionTarget'),
    'DisruptionTarget=True',
    'Pod ns/work-0-abcde has condition DisruptionTarget matching FailJob rule at index 0',
  ],
] as const)("%o: the message is Kubernetes' own", (rule, pod, message) => {
  const match = matchPodFailurePolicy({ rules: [rule] }, podOf(pod))!;
  expect(failJobMessage(match, 'ns/work-0-abcde')).toBe(message);
});
