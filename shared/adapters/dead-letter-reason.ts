/** The longest reason that is worth reading; the body keeps its room within 1 MiB. */
const REASON_MAX_CHARS = 1_000;

/** A reason as a dead letter carries it: SQS takes no control characters but tab and line ends, and no empty value. */
export const deadLetterReason = (text: string): string =>
  (text.replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD]/g, '?') || 'no reason').slice(0, REASON_MAX_CHARS);

/** SQS counts a message's body and its attributes together, up to 1 MiB. A reason, a Status, and their names take less than this. */
const ATTRIBUTES_BYTES_MAX = 16_384;
const BODY_BYTES_MAX = 1_048_576 - ATTRIBUTES_BYTES_MAX;

/** A body that leaves room for the attributes of a dead letter: a longer one is cut. */
export function bodyBesideAttributes(body: string): string {
  const bytes = Buffer.from(body);
  if (bytes.length <= BODY_BYTES_MAX) return body;
  // A character that is cut in two becomes one that takes three bytes.
  return bytes.subarray(0, BODY_BYTES_MAX - 3).toString('utf8');
}

/** The reason of a message that its queue gave up on. */
export const RECEIVED_TOO_OFTEN = 'it came back too often: each function that worked on it died, or ran out of time';
