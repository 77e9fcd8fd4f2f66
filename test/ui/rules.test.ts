import { expect, test } from 'vitest';
import type { FailureGroup, Failures } from '../../ui/model/answers.ts';
import type { Job, JobSpec } from '../../ui/model/objects.ts';
import { rulesOf } from '../../ui/model/rules.ts';

const jobWith = (spec: Partial<JobSpec>, reason?: string): Job => ({
  metadata: { name: 'frames', annotations: { 'muster.run/items': 'a'.repeat(200), 'other.io/x': 'y' } },
  spec: { parallelism: 4, template: { spec: { containers: [] } }, ...spec },
  ...(reason === undefined ? {} : { status: { conditions: [{ type: 'Failed', status: 'True', reason }] } }),
});

const failuresOf = (...groups: readonly Pick<FailureGroup, 'why' | 'count'>[]): Failures => ({
  failedAttempts: 0,
  more: false,
  groups: groups as readonly FailureGroup[],
});

const POLICY = {
  podFailurePolicy: {
    rules: [
      { action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'NotIn', values: [0, 3] } },
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
    ],
  },
};

test('each rule of a policy says what it decides, and about how many it has', () => {
  const failures = failuresOf(
    { why: { kind: 'policyRule', rule: 0 }, count: 3 },
    { why: { kind: 'policyRule', rule: 0 }, count: 2 },
    { why: { kind: 'exited', rule: 1 }, count: 9 },
  );
  const rules = rulesOf(jobWith(POLICY), failures).filter(({ name }) => name.startsWith('podFailurePolicy'));
  expect(rules.map(({ says, decided }) => [says, decided])).toEqual([
    ['FailIndex if the exit code is not 0, 3 (main)', 5],
    ['FailJob if the exit code is 42', 0],
    ['Ignore if the Pod has DisruptionTarget=True', 0],
  ]);
});

test('the rule that ended the Job is named; of a policy the one that has decided to', () => {
  const ended = (job: Job, failures: Failures | null) =>
    rulesOf(job, failures).flatMap(({ name, endedJob }) => (endedJob ? [name] : []));
  expect(ended(jobWith({ maxFailedIndexes: 3 }, 'MaxFailedIndexesExceeded'), null)).toEqual(['maxFailedIndexes']);
  const byRule = failuresOf({ why: { kind: 'policyRule', rule: 1 }, count: 1 });
  expect(ended(jobWith(POLICY, 'PodFailurePolicy'), byRule)).toEqual(['podFailurePolicy rule 1']);
  expect(ended(jobWith(POLICY, 'SomethingNew'), byRule)).toEqual([]);
});

test('a bound that is none is not shown, and a long annotation is cut', () => {
  const rules = rulesOf(jobWith({ backoffLimit: 2_147_483_647, backoffLimitPerIndex: 1 }), null);
  expect(rules.map(({ name }) => name)).toEqual(['parallelism', 'backoffLimitPerIndex', 'muster.run/items']);
  expect(rules[2]?.says).toBe(`${'a'.repeat(120)}…`);
});
