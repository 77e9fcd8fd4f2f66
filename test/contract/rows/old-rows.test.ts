import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { attemptWrites } from '../../../shared/adapters/aws/dynamodb/dynamo-attempts.ts';
import { limitKey } from '../../../shared/adapters/aws/dynamodb/dynamo-keys.ts';
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
    for (const { PutRequest } of attemptWrites(uid, old, at(3_600_000)))
      await client.send(
        new PutItemCommand({ TableName: tableName, Item: { ...PutRequest?.Item, pk: { S: `TASK#${uid}#001` } } }),
      );
    const [again, later] = [anAttempt(4_101), anAttempt(4_097, 2)];
    await jobs.writeAttempts(uid, [again, later], at(3_600_000));
    expect(await jobs.readAttempts(uid, 4_096, 8_191)).toEqual([old[0], old[1], later, again]);
    expect(await jobs.readAttempts(uid, 4_097, 4_097)).toEqual([old[1], later]);
  });

  test('a pace that was never cut back', async () => {
    const { limits, tableName } = await makeDynamoStore(client);
    const Item = { ...limitKey('launch'), v: { N: '1' }, version: { N: '7' }, nextFreeAt: { N: String(T0) } };
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    expect(await limits.read('launch')).toEqual({ version: 7, state: { nextFreeAt: T0, cut: null, recent: null } });
  });
});
