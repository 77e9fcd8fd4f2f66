import { startDynamoEngine } from '../../../local/dynamodb/engine.ts';
import { createDynamoClient } from '../../../shared/adapters/aws/dynamodb/dynamo-client.ts';
import { createTable } from '../../../shared/adapters/aws/dynamodb/dynamo-table.ts';

export const LIMIT_TABLE = 'limits';

/** The engine that the dispatchers share, with their table. */
export async function startLimitTable(): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const engine = await startDynamoEngine();
  if (engine.kind === 'absent') throw new Error(engine.reason);
  const client = createDynamoClient({ region: 'us-east-1', endpoint: engine.endpoint });
  await createTable(client, LIMIT_TABLE);
  client.destroy();
  return { endpoint: engine.endpoint, stop: () => engine.stop() };
}
