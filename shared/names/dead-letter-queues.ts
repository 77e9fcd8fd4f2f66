/**
 * Receives before SQS moves a message to the dead-letter queue; AWS recommends at least 5. Conflicts and throttles are
 * sent again as new messages, so they do not count.
 */
export const RECEIVES_MAX = 5;

/**
 * Where the functions send a message that cannot be processed, with its reason. Without these, SQS moves it there after
 * the last receive.
 */
export const DEAD_QUEUE_ENV = {
  wake: 'MUSTER_WAKE_DEAD_QUEUE_URL',
  facts: 'MUSTER_FACT_DEAD_QUEUE_URL',
  dispatch: 'MUSTER_DISPATCH_DEAD_QUEUE_URL',
  submit: 'MUSTER_SUBMIT_DEAD_QUEUE_URL',
} as const;

/** Message attributes of a dead letter. */
export const DEAD_LETTER = {
  reason: 'MusterReason',
  queue: 'MusterQueue',
  /** of a refused submission */
  status: 'MusterStatus',
  namespace: 'MusterNamespace',
} as const;
