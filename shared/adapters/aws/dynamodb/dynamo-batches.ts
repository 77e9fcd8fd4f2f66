import { BatchWriteItemCommand, type WriteRequest } from '@aws-sdk/client-dynamodb';
import { pauseOrGiveUp } from './dynamo-read.ts';
import { type Table, eachOf } from './dynamo-write.ts';

/** DynamoDB takes this many writes at once. */
const WRITES_PER_BATCH = 25;

/** Carries out writes without conditions, in any order. `what`: the rows, for the error when the table is throttled. */
export async function writeBatches(table: Table, writes: readonly WriteRequest[], what: string): Promise<void> {
  const batches: WriteRequest[][] = [];
  for (let from = 0; from < writes.length; from += WRITES_PER_BATCH)
    batches.push(writes.slice(from, from + WRITES_PER_BATCH));
  await eachOf(batches, async (batch) => {
    let rest = batch;
    for (let nth = 1; rest.length > 0; nth++) {
      const answer = await table.client.send(new BatchWriteItemCommand({ RequestItems: { [table.name]: rest } }));
      rest = answer.UnprocessedItems?.[table.name] ?? [];
      if (rest.length > 0) await pauseOrGiveUp(nth, `${rest.length} ${what} were not written`);
    }
  });
}
