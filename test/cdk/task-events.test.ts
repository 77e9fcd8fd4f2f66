import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseTask } from '../../shared/schema/messages/ecs-task.ts';
import { GROUP_PREFIX } from '../../shared/names/env.ts';
import { type Deployed, type Json, musterTemplate } from './template.ts';

const FIXTURES = new URL('../fixtures/ecs-events/', import.meta.url);
const CLUSTER_ARN = 'arn:aws:ecs:eu-central-1:123456789012:cluster/jobs';

type Event = { readonly detail: Readonly<Record<string, unknown>> };
const EVENTS = new Map(
  readdirSync(FIXTURES).map((file) => [
    file.replace('.json', ''),
    JSON.parse(readFileSync(new URL(file, FIXTURES), 'utf8')) as Event,
  ]),
);

/** The patterns of the rules that forward events of tasks, the cluster's ARN filled in. */
function patternsOf(stack: Deployed): readonly Json[] {
  const [cluster] = stack.all('AWS::ECS::Cluster').keys();
  const arn = JSON.stringify({ 'Fn::GetAtt': [cluster, 'Arn'] });
  return [...stack.all('AWS::Events::Rule').values()].flatMap(({ Properties }) =>
    'EventPattern' in Properties
      ? [JSON.parse(JSON.stringify(Properties['EventPattern']).replace(arn, `"${CLUSTER_ARN}"`)) as Json]
      : [],
  );
}

/** As EventBridge matches the two forms that our patterns have: one of these values, and a prefix. */
function matches(pattern: unknown, value: unknown): boolean {
  if (!Array.isArray(pattern))
    return Object.entries(pattern as Json).every(([key, inner]) => matches(inner, (value as Json | undefined)?.[key]));
  return pattern.some((each: unknown) =>
    typeof each === 'object' && each !== null && 'prefix' in each
      ? typeof value === 'string' && value.startsWith(String(each.prefix))
      : each === value,
  );
}

const forwarded = (patterns: readonly Json[]): readonly string[] =>
  [...EVENTS].filter(([, event]) => patterns.some((pattern) => matches(pattern, event))).map(([name]) => name);

describe('events of tasks', () => {
  const [stack, early] = [musterTemplate(), musterTemplate({ earlyCounting: 'true' })];
  const ours = { clusterArn: [CLUSTER_ARN], group: [{ prefix: GROUP_PREFIX }] };
  const usual = { source: ['aws.ecs'], 'detail-type': ['ECS Task State Change'] };
  const runningAndStopped = { ...usual, detail: { ...ours, lastStatus: ['RUNNING', 'STOPPED'] } };

  test('RUNNING and STOPPED of our tasks on our cluster reach the facts queue, and nothing else does', () => {
    expect(patternsOf(stack)).toEqual([runningAndStopped]);
    for (const [name, { detail }] of EVENTS) {
      const isWanted = name !== 'of-somebody-else' && ['RUNNING', 'STOPPED'].includes(String(detail['lastStatus']));
      expect([name, forwarded(patternsOf(stack)).includes(name)]).toEqual([name, isWanted]);
    }
  });

  test('with early counting, so does DEPROVISIONING, of tasks that have ended by themselves', () => {
    const detail = {
      ...ours,
      lastStatus: ['DEPROVISIONING'],
      desiredStatus: ['STOPPED'],
      stopCode: ['EssentialContainerExited'],
    };
    expect(patternsOf(early)).toHaveLength(2);
    expect(patternsOf(early)).toEqual(expect.arrayContaining([runningAndStopped, { ...usual, detail }]));
    const added = forwarded(patternsOf(early)).filter((name) => !forwarded(patternsOf(stack)).includes(name));
    expect(added).toEqual(['deprovisioning-exit-0']);
    for (const stopCode of ['UserInitiated', 'SpotInterruption', undefined]) {
      const event = EVENTS.get('deprovisioning-exit-0');
      const other = { ...event, detail: { ...event?.detail, stopCode } };
      expect(patternsOf(early).some((pattern) => matches(pattern, other))).toBe(false);
    }
  });

  test('every event that reports an end is forwarded then', () => {
    const ends = [...EVENTS].filter(([, { detail }]) => parseTask(detail, GROUP_PREFIX)?.stage === 'stopped');
    expect(ends.length).toBeGreaterThan(5);
    expect(forwarded(patternsOf(early))).toEqual(expect.arrayContaining(ends.map(([name]) => name)));
  });

  test.each([
    ['one rule', stack, 1],
    ['both rules', early, 2],
  ] as const)('%s: what cannot be delivered goes to the dead letters of the facts', (_, template, count) => {
    const facts = template.queueOf('Facts');
    const rules = [...template.all('AWS::Events::Rule').values()].filter(
      ({ Properties }) => 'EventPattern' in Properties,
    );
    expect(rules).toHaveLength(count);
    for (const { Properties } of rules)
      expect(Properties['Targets']).toMatchObject([
        {
          Arn: { 'Fn::GetAtt': [facts, 'Arn'] },
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [template.deadOf(facts), 'Arn'] } },
          RetryPolicy: { MaximumRetryAttempts: 185 },
        },
      ]);
  });
});
