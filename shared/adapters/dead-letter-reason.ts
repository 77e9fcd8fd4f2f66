/** The longest reason that is worth reading; the body keeps its room within 1 MiB. */
const REASON_MAX_CHARS = 1_000;

/** A reason as a dead letter carries it: SQS takes no control characters but tab and line ends, and no empty value. */
export const deadLetterReason = (text: string): string =>
  (text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, '?') || 'no reason').slice(0, REASON_MAX_CHARS);

/** The reason of a message that its queue gave up on. */
export const RECEIVED_TOO_OFTEN = 'it came back too often: each function that worked on it died, or ran out of time';
