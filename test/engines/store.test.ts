import { createDynamoClient } from '../../shared/adapters/aws/dynamodb/dynamo-client.ts';
import { STORE_CASES } from '../contract/describe-store.ts';
import { makeDynamoStore } from '../contract/dynamo-store.ts';
import { type Pace, REGION, asSigned } from './engine-client.ts';
import { describeEngine } from './describe-engine.ts';

// The store's contract, as test/contract asks it of memory, LMDB, and dynoxide.

const casesAt = (pace: Pace) =>
  STORE_CASES.map((promise) => ({
    name: promise.name,
    async run(endpoint: string) {
      const client = asSigned(createDynamoClient({ region: REGION, endpoint }), 'dynamodb', pace);
      try {
        await promise.run(await makeDynamoStore(client));
      } finally {
        client.destroy();
      }
    },
  }));

// moto locks nothing: a transaction that fails puts back the whole table as it was before it (moto/dynamodb/models/__init__.py,
// `transact_write_items`). One request at a time is what DynamoDB makes of many; callers race all the same, between requests.
describeEngine('store', 'moto', casesAt('inTurn'));
describeEngine('store', 'ministack', casesAt('atOnce'));
