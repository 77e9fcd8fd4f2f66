import { PutItemCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { asEpochMs, asJobUid, toTtl } from '../../domain/brand.ts';
import { TABLE } from '../../names/table.ts';
import { type FiledLetter, type LetterFile, QUEUE_NAMES } from '../../ports/dead-letters.ts';
import { LETTER_PARTITION, letterKey } from './dynamo-keys.ts';
import { ATTRIBUTE, type Row, ROW_VERSION, alive, jsonIn, number, packedJson, text } from './dynamo-row.ts';
import { type Table, eachOf } from './dynamo-write.ts';

const Time = z.number().transform(asEpochMs);
const LetterSchema: z.ZodType<FiledLetter> = z.object({
  queue: z.enum(QUEUE_NAMES),
  id: z.string(),
  body: z.string(),
  reason: z.string(),
  sentAt: Time,
  job: z.string().transform(asJobUid).nullable(),
  filedAt: Time,
});

/** {@link LetterFile} as one row each, all in one partition: they are few, and read by people. */
export const letters = (table: Table): LetterFile => ({
  async file(filed, expireAt) {
    await eachOf(filed, async (letter) =>
      table.client.send(
        new PutItemCommand({
          TableName: table.name,
          Item: {
            ...letterKey(letter),
            [ATTRIBUTE.layout]: number(ROW_VERSION),
            [ATTRIBUTE.body]: packedJson(letter),
            [TABLE.ttl]: number(toTtl(expireAt)),
          },
        }),
      ),
    );
  },

  async newest(limit) {
    const found: FiledLetter[] = [];
    let after: Row | undefined;
    do {
      const request = newestRequest(table.name, limit + 1 - found.length);
      const answer = await table.client.send(
        new QueryCommand({ ...request, ...(after === undefined ? {} : { ExclusiveStartKey: after }) }),
      );
      for (const row of answer.Items ?? []) {
        const read = alive(row, table.now());
        if (read !== null) found.push(jsonIn(read, LetterSchema));
      }
      after = answer.LastEvaluatedKey;
    } while (after !== undefined && found.length <= limit);
    return { letters: found.slice(0, limit), more: found.length > limit };
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
