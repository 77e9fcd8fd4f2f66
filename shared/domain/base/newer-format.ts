/** A row or message of a later release, in a format that this one does not know. Nothing is wrong with it: a newer process reads it. */
export class NewerFormatError extends Error {
  override readonly name = 'NewerFormatError';

  /**
   * @param what the row or message, with its article
   * @param format the number of its format
   * @param known the highest that this release reads
   */
  constructor(what: string, format: number, known: number) {
    super(`${what} has format ${format}, of a later release of Muster; this one reads up to ${known}`);
  }
}

/** Whether an error, or what has caused it, is a {@link NewerFormatError}. */
export function isNewerFormat(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof NewerFormatError || isNewerFormat(error.cause);
}
