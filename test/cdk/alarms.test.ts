import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Deployed, musterTemplate, ref } from './template.ts';

const usual = musterTemplate();
const all = musterTemplate({ alarms: 'all', alarmEmail: 'ops@example.org', alarmEnds: 'true', submissions: 'true' });
const runbooks = readFileSync(join(import.meta.dirname, '../../docs/runbooks.md'), 'utf8');

const alarmsOf = (template: Deployed) =>
  [...template.all('AWS::CloudWatch::Alarm').values()].map((each) => each.Properties);

test('every alarm names its section of the runbooks, and every section is of an alarm', () => {
  const named = alarmsOf(all).map(
    (alarm) => / Runbook: docs\/runbooks\.md#(\w+)$/.exec(String(alarm['AlarmDescription']))?.[1],
  );
  const sections = [...runbooks.matchAll(/^## (\w+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  expect(new Set(named)).toEqual(new Set(sections));
});

test('six more alarms where they are asked for: what users feel', () => {
  expect(alarmsOf(musterTemplate({ alarms: 'all' }))).toHaveLength(alarmsOf(usual).length + 6);
  expect(all.count('AWS::CloudWatch::Alarm', { MetricName: '5XXError', Namespace: 'AWS/ApiGateway' })).toBe(1);
  const [table] = all.all('AWS::DynamoDB::GlobalTable').keys();
  expect(all.alarmsOn('WriteThrottleEvents', table!)).toHaveLength(1);
  expect(JSON.stringify(alarmsOf(all))).toContain('SERVICE_QUOTA(used)');
  const ours = { Namespace: 'Muster', TreatMissingData: 'notBreaching' };
  expect(all.count('AWS::CloudWatch::Alarm', { ...ours, MetricName: 'FindingsError', Statistic: 'Sum' })).toBe(1);
  expect(all.count('AWS::CloudWatch::Alarm', { ...ours, MetricName: 'EndsFoundByLookUp', Statistic: 'Sum' })).toBe(1);
  const late = { ...ours, MetricName: 'StoppedToCounted', ExtendedStatistic: 'p99', Threshold: 120 };
  expect(all.count('AWS::CloudWatch::Alarm', late)).toBe(1);
});

test('mail goes out, and the topic hears when an alarm ends, where that is asked for', () => {
  expect(usual.count('AWS::SNS::Subscription')).toBe(0);
  expect(all.count('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.org' })).toBe(1);
  const [topic] = all.all('AWS::SNS::Topic').keys();
  for (const alarm of alarmsOf(usual)) expect(alarm).not.toHaveProperty('OKActions');
  for (const alarm of alarmsOf(all)) expect((alarm['OKActions'] as unknown[]).map(ref)).toEqual([topic]);
});
