/** The most that DynamoDB takes (aws.md 2.1), in bytes and in rows of one request. */
export const TABLE_LIMITS = {
  partitionBytes: 2_048,
  sortBytes: 1_024,
  rowBytes: 400 * 1024,
  keysPerGet: 100,
  writesPerTransaction: 100,
  transactionBytes: 4 * 1024 * 1024,
  writesPerBatch: 25,
} as const;
