/** The one table, as the stack and the embedded runtime create it and the adapters read it. */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since 1970. DynamoDB removes the row a few days later. Only for garbage collection. */
  ttl: 'ttl',
  /** Sparse: only a STATUS with an alarm has the two attributes. Holds keys only. */
  alarms: {
    index: 'alarms',
    /** Number; spreads the alarms of one minute over several partitions. */
    shard: 'alarmShard',
    /** Number: the minute of the alarm since 1970, rounded up. */
    minute: 'alarmMinute',
  },
} as const;
