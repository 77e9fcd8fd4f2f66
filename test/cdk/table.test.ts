import { describe, expect, test } from 'vitest';
import { tableDefinition } from '../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { TABLE } from '../../shared/names/table.ts';
import { musterTemplate } from './template.ts';

const [table] = musterTemplate().all('AWS::DynamoDB::GlobalTable').values();

describe('the table', () => {
  test('has keys, an index of alarms and a ttl', () => {
    expect(table!.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'alarms',
          KeySchema: [
            { AttributeName: 'alarmShard', KeyType: 'HASH' },
            { AttributeName: 'alarmMinute', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      TimeToLiveSpecification: { AttributeName: TABLE.ttl, Enabled: true },
    });
  });

  test('is the one that the embedded runtime creates', () => {
    const { TableName: _, ...local } = tableDefinition('any');
    expect(table!.Properties).toMatchObject(local);
  });

  test('is not deleted by accident, and can be taken back to any second of 35 days', () => {
    expect(table).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    expect(table!.Properties['Replicas']).toMatchObject([
      { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    ]);
  });
});
