import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { keyItem } from '../../../shared/adapters/rows/dynamo-item.ts';
import { limitKey } from '../../../shared/store/programs/row-keys.ts';
import { aClient, endpoint, makeDynamoStore, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { T0 } from '../store-under-test.ts';

stopEngineAfterwards();

describe.skipIf(endpoint === null)('a row with the fewest fields', () => {
  const client = aClient();

  test('a pace that was never cut back', async () => {
    const { limits, tableName } = await makeDynamoStore(client);
    const Item = { ...keyItem(limitKey('launch')), v: { N: '1' }, version: { N: '7' }, nextFreeAt: { N: String(T0) } };
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    expect(await limits.read('launch')).toEqual({ version: 7, state: { nextFreeAt: T0, cut: null, recent: null } });
  });
});
