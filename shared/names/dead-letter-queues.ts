/** Receives before SQS gives a message up; AWS's advice is 5 at least. Conflicts and throttles are re-sent as new messages and burn none. */
export const RECEIVES_MAX = 5;

/** Where the functions put a message that cannot be processed, with its reason; without these it gets there by receives alone. */
export const DEAD_QUEUE_ENV = {
  wake: 'MUSTER_WAKE_DEAD_QUEUE_URL',
  facts: 'MUSTER_FACT_DEAD_QUEUE_URL',
  dispatch: 'MUSTER_DISPATCH_DEAD_QUEUE_URL',
} as const;

/** Message attributes of a dead letter. */
export const DEAD_LETTER = { reason: 'MusterReason', queue: 'MusterQueue' } as const;
