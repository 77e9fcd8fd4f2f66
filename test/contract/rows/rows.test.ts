import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { createTable } from '../../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { createDynamoRows } from '../../../shared/adapters/rows/dynamodb.ts';
import { LmdbRows } from '../../../shared/adapters/rows/lmdb.ts';
import { createMemoryRows } from '../../../shared/adapters/rows/memory.ts';
import { aClient, endpoint, stopEngineAfterwards } from '../dynamo-fixture.ts';
import { HandClock } from '../store-under-test.ts';
import { describeRows } from './describe-rows.ts';
import { ROW_CASES } from './row-cases.ts';
import { AWS_CASES, TABLE_CASES } from './table-cases.ts';

const TABLE = [...ROW_CASES, ...TABLE_CASES];

stopEngineAfterwards();

describeRows('memory', async () => createMemoryRows({ now: new HandClock().now }), [...TABLE, ...AWS_CASES]);

describeRows('LMDB', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'muster-rows-'));
  const rows = new LmdbRows(join(dir, 'rows.lmdb'), new HandClock().now);
  onTestFinished(async () => {
    try {
      await rows.close();
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
  return rows;
});

describe.skipIf(endpoint === null)('on the DynamoDB engine', () => {
  const client = aClient();
  const tableName = 'rows';
  describeRows(
    'DynamoDB',
    async () => {
      await createTable(client, tableName);
      return createDynamoRows({ client, tableName });
    },
    TABLE,
  );
});
