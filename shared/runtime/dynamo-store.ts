import { randomBytes } from 'node:crypto';
import { type DynamoRowsOptions, createDynamoRows } from '../adapters/rows/dynamodb.ts';
import { type Store, type StoreOptions, createStore } from '../store/create-store.ts';

export type DynamoStoreOptions = DynamoRowsOptions &
  Omit<StoreOptions, 'newToken'> & {
    /** Names of writes, each used once; default: 96 random bits. */
    readonly newToken?: () => string;
  };

/** Everything that is stored, in one existing DynamoDB table (see `createTable`). */
export function createDynamoStore(options: DynamoStoreOptions): Store {
  const newToken = (): string => randomBytes(12).toString('base64url');
  return createStore(createDynamoRows(options), { newToken, ...options });
}
