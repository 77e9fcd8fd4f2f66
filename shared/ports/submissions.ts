/** The sending side of the submit queue. */
export type Submissions = {
  /** Resolves to the message's id when it cannot be lost any more. Throws for a text that SQS would not accept. */
  send(body: string): Promise<string>;
};

/** What one message may have (Amazon SQS developer guide, message quotas). */
export const SUBMISSION_BYTES_MAX = 1_048_576;
