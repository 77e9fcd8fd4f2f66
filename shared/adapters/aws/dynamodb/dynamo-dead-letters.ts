import { PutItemCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { toTtl } from '../../../domain/base/time.ts';
import { TABLE } from '../../../names/table.ts';
import type { DeadLetterStore, StoredDeadLetter } from '../../../ports/dead-letters.ts';
import { DeadLetterSchema } from '../../../store/programs/row-bodies.ts';
import { LETTER_PARTITION, deadLetterKey } from './dynamo-keys.ts';
import { ATTRIBUTE, type Row, ROW_VERSION, alive, jsonIn, number, packedJson, text } from './dynamo-row.ts';
import { type Table, eachOf } from './dynamo-write.ts';

/** {@link DeadLetterStore} as one row each, all in one partition: they are few, and users read them. */
export const deadLetters = (table: Table): DeadLetterStore => ({
  async file(filed, expireAt) {
    await eachOf(filed, async (deadLetter) =>
      table.client.send(
        new PutItemCommand({
          TableName: table.name,
          Item: {
            ...deadLetterKey(deadLetter),
            [ATTRIBUTE.layout]: number(ROW_VERSION),
            [ATTRIBUTE.body]: packedJson(deadLetter),
            [TABLE.ttl]: number(toTtl(expireAt)),
          },
        }),
      ),
    );
  },

  async newest(limit) {
    const found: StoredDeadLetter[] = [];
    let after: Row | undefined;
    do {
      const request = newestRequest(table.name, limit + 1 - found.length);
      const answer = await table.client.send(
        new QueryCommand({ ...request, ...(after === undefined ? {} : { ExclusiveStartKey: after }) }),
      );
      for (const row of answer.Items ?? []) {
        const read = alive(row, table.now());
        if (read !== null) found.push(jsonIn(read, DeadLetterSchema));
      }
      after = answer.LastEvaluatedKey;
    } while (after !== undefined && found.length <= limit);
    return { deadLetters: found.slice(0, limit), more: found.length > limit };
  },
});

const newestRequest = (tableName: string, limit: number) =>
  ({
    TableName: tableName,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
    ExpressionAttributeValues: { ':pk': text(LETTER_PARTITION) },
    ScanIndexForward: false,
    Limit: limit,
    ConsistentRead: true,
  }) satisfies QueryCommandInput;
