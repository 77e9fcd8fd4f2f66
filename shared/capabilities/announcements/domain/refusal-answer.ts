/** What a task of Step Functions that waits for a Job gets instead of its end. */
export type TaskFailure = { readonly error: string; readonly cause: string };

/** Step Functions API reference, SendTaskFailure: the longest `error` and `cause`, in characters. */
const ERROR_CHARS_MAX = 256;
const CAUSE_CHARS_MAX = 32_768;

/** Codes of a client's errors that a later try may not get: a timeout, too early, and too many requests. */
const PASSING: readonly number[] = [408, 425, 429];

/**
 * The answer to a task whose message makes no Job. It says what the API would have said to a client.
 *
 * @param status of the refusal: Kubernetes' Status
 * @returns null: the refusal is not final, and the message comes again
 */
export function refusalAnswer({
  code,
  reason,
  message,
}: {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}): TaskFailure | null {
  if (code < 400 || code > 499 || PASSING.includes(code)) return null;
  return { error: reason.slice(0, ERROR_CHARS_MAX), cause: message.slice(0, CAUSE_CHARS_MAX) };
}
