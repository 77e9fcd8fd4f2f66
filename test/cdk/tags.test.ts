import { expect, test } from 'vitest';
import { type Json, musterTemplate } from './template.ts';

type Tags = readonly { readonly Key: string; readonly Value: string }[] | Record<string, string>;

test('what bills has the tag of its installation', () => {
  const stack = musterTemplate();
  const billing = [
    'AWS::Lambda::Function',
    'AWS::SQS::Queue',
    'AWS::Logs::LogGroup',
    'AWS::ECS::Cluster',
    'AWS::SNS::Topic',
  ];
  const tagged = { Key: 'muster:installation', Value: 'Muster' };
  for (const type of [...billing, 'AWS::ApiGateway::RestApi', 'AWS::CloudWatch::Alarm'])
    for (const [id, { Properties }] of stack.all(type))
      expect([id, (Properties['Tags'] ?? []) as Tags]).toEqual([id, expect.arrayContaining([tagged])]);
  const [table] = stack.all('AWS::DynamoDB::GlobalTable').values();
  const [replica] = table!.Properties['Replicas'] as readonly Json[];
  expect(replica!['Tags']).toEqual([tagged]); // a global table has none of its own
});
