/** The one table: the stack creates it like this, the embedded runtime creates it like this, the adapters read it like this. */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since 1970; DynamoDB removes a row some days after it. Garbage collection only, nothing is decided by it. */
  ttl: 'ttl',
  /** Sparse: only a STATUS that waits for a moment carries the two attributes. Keys only: what is due is looked up by its keys. */
  alarms: {
    index: 'alarms',
    /** Number; spreads the alarms of one minute over several partitions. */
    shard: 'alarmShard',
    /** Number: minutes since 1970, rounded up. */
    minute: 'alarmMinute',
  },
} as const;
