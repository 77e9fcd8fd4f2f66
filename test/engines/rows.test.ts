import { createDynamoClient } from '../../shared/adapters/aws/dynamodb/dynamo-client.ts';
import { createTable } from '../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { createDynamoRows } from '../../shared/adapters/rows/dynamodb.ts';
import { ROW_CASES } from '../contract/rows/row-cases.ts';
import { TABLE_CASES } from '../contract/rows/table-cases.ts';
import { type Pace, REGION, asSigned } from './engine-client.ts';
import { describeEngine } from './describe-engine.ts';

// The contract of an engine of rows, as test/contract/rows asks it of memory, LMDB, and dynoxide.

const tableName = 'rows';

const casesAt = (pace: Pace) =>
  [...ROW_CASES, ...TABLE_CASES].map((promise) => ({
    name: promise.name,
    async run(endpoint: string) {
      const client = asSigned(createDynamoClient({ region: REGION, endpoint }), 'dynamodb', pace);
      try {
        await createTable(client, tableName);
        await promise.run(createDynamoRows({ client, tableName }));
      } finally {
        client.destroy();
      }
    },
  }));

describeEngine('rows', 'moto', casesAt('inTurn'));
describeEngine('rows', 'ministack', casesAt('atOnce'));
