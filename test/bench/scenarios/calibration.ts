import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { createDynamoClient } from '../../../shared/adapters/aws/dynamodb/dynamo-client.ts';
import { childrenCpuMs } from '../processes.ts';
import { LIMIT_TABLE, startLimitTable } from './limit-table.ts';

/** How fast this machine is just now, by what Muster does most: one conditional UpdateItem through the SDK. */
export type Calibration = {
  readonly clientCpuMs: number;
  readonly engineCpuMs: number;
  readonly perSec: number;
};

const UPDATES = 3_000;
const LANES = 32;
const BODY = 'x'.repeat(500);

/** 3,000 updates by 32 at a time, after as many that are not counted. */
export async function calibration(): Promise<Calibration> {
  const table = await startLimitTable();
  const client = createDynamoClient({ region: 'us-east-1', endpoint: table.endpoint });
  let version = 0;
  const update = (lane: number) =>
    client.send(
      new UpdateItemCommand({
        TableName: LIMIT_TABLE,
        Key: { pk: { S: `LANE#${lane}` }, sk: { S: 'ITEM' } },
        UpdateExpression: 'SET v = :v, body = :body',
        ConditionExpression: 'attribute_not_exists(v) OR v < :v',
        ExpressionAttributeValues: { ':v': { N: String(++version) }, ':body': { S: BODY } },
      }),
    );
  const round = async (): Promise<Calibration> => {
    const until = version + UPDATES;
    const engineBefore = childrenCpuMs();
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    const lane = async (no: number): Promise<void> => {
      while (version < until) await update(no);
    };
    await Promise.all(Array.from({ length: LANES }, (_, no) => lane(no)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const { user, system } = process.cpuUsage(cpuBefore);
    return {
      clientCpuMs: (user + system) / 1_000 / UPDATES,
      engineCpuMs: (childrenCpuMs() - engineBefore) / UPDATES,
      perSec: UPDATES / seconds,
    };
  };
  try {
    await round();
    return await round();
  } finally {
    client.destroy();
    await table.stop();
  }
}
