import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { attribute, keyItem } from '../../../shared/adapters/rows/dynamo-item.ts';
import { attemptSort, limitKey } from '../../../shared/store/programs/row-keys.ts';
import { json } from '../../../shared/store/rows/fields.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { aClient, endpoint, makeDynamoStore, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { T0, anAttempt, at } from '../store-under-test.ts';

stopEngineAfterwards();

describe.skipIf(endpoint === null)('what an earlier version has written', () => {
  const client = aClient();
  const uid = asJobUid('u-old');

  test('records of attempts in one partition per chunk are found together with current ones, in order', async () => {
    const { jobs, tableName } = await makeDynamoStore(client);
    const old = [anAttempt(4_096), anAttempt(4_097, 1, 1), anAttempt(4_101)];
    for (const record of old) {
      const sort = attemptSort(record.index, record.attempt);
      const key = keyItem({ partition: `TASK#${uid}#001`, sort });
      const Item = { ...key, v: { N: '1' }, ttl: { N: String(at(3_600_000) / 1_000) }, body: attribute(json(record)) };
      await client.send(new PutItemCommand({ TableName: tableName, Item }));
    }
    const [again, later] = [anAttempt(4_101), anAttempt(4_097, 2)];
    await jobs.writeAttempts(uid, [again, later], at(3_600_000));
    expect(await jobs.readAttempts(uid, 4_096, 8_191)).toEqual([old[0], old[1], later, again]);
    expect(await jobs.readAttempts(uid, 4_097, 4_097)).toEqual([old[1], later]);
  });

  test('a pace that was never cut back', async () => {
    const { limits, tableName } = await makeDynamoStore(client);
    const Item = { ...keyItem(limitKey('launch')), v: { N: '1' }, version: { N: '7' }, nextFreeAt: { N: String(T0) } };
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    expect(await limits.read('launch')).toEqual({ version: 7, state: { nextFreeAt: T0, cut: null, recent: null } });
  });
});
