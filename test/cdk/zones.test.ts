import { describe, expect, test } from 'vitest';
import { FARGATE_ZONE_IDS } from '../../cdk/fargate-zones.ts';
import { readSettings } from '../../cdk/settings.ts';
import { type Json, musterTemplate } from './template.ts';

/** What CloudFormation makes of a value in a Region: null where it has no value. */
function inRegion(value: unknown, region: string, conditions: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value) return value.Ref === 'AWS::NoValue' ? null : value.Ref === 'AWS::Region' ? region : value;
  if (!('Fn::If' in value)) return value;
  const [condition, yes, no] = value['Fn::If'] as [string, unknown, unknown];
  return inRegion(isTrue(conditions[condition], region, conditions) ? yes : no, region, conditions);
}

function isTrue(condition: unknown, region: string, conditions: Readonly<Record<string, unknown>>): boolean {
  const it = condition as Json;
  if ('Fn::Or' in it) return (it['Fn::Or'] as unknown[]).some((each) => isTrue(each, region, conditions));
  if ('Condition' in it) return isTrue(conditions[String(it['Condition'])], region, conditions);
  const [left, right] = (it['Fn::Equals'] as unknown[]).map((each) => inRegion(each, region, conditions));
  return left === right;
}

const stack = musterTemplate();

const zonesIn = (region: string) =>
  [...stack.all('AWS::EC2::Subnet').values()].map(({ Properties }) => ({
    name: inRegion(Properties['AvailabilityZone'], region, stack.conditions),
    id: inRegion(Properties['AvailabilityZoneId'], region, stack.conditions),
  }));

describe('zones', () => {
  test('are those that the account sees, by position, in most Regions', () => {
    expect(zonesIn('eu-central-1')).toEqual(
      [0, 1, 2].map((position) => ({ name: { 'Fn::Select': [position, { 'Fn::GetAZs': '' }] }, id: null })),
    );
  });

  test('are those of Fargate where it lacks some: a task would not start in the others', () => {
    expect(zonesIn('ap-northeast-1')).toEqual(
      ['apne1-az1', 'apne1-az2', 'apne1-az4'].map((id) => ({ name: null, id })),
    );
    for (const [region, zoneIds] of Object.entries(FARGATE_ZONE_IDS))
      for (const { name, id } of zonesIn(region)) expect([name, zoneIds.includes(String(id))]).toEqual([null, true]);
  });

  test('are refused where the Region has fewer, as far as it is known', () => {
    const read = (context: Record<string, string>, region?: string) => readSettings((key) => context[key], region);
    expect(() => read({}, 'us-west-1')).toThrow(
      'zones: Fargate has 2 zones in us-west-1, usw1-az1 and usw1-az3: must be 2 at most',
    );
    expect(read({ zones: '2' }, 'us-west-1').network).toMatchObject({ zones: 2 });
    expect(read({}, 'ap-northeast-1').network).toMatchObject({ zones: 3 });
    expect(read({}).network).toMatchObject({ zones: 3 });
    expect(read({ vpcId: 'vpc-1', subnetIds: 'subnet-1' }, 'us-west-1').network.kind).toBe('given');
  });
});
