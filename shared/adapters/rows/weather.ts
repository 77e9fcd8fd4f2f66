import type { Range, RowKey, Write } from '../../store/rows/row.ts';

/**
 * What DynamoDB may do to a request that would do well in calm weather, as far as a simulation wants it. The engine asks while it
 * carries the request out; each function that is omitted stands for calm.
 */
export type Weather = {
  /** For this many ms after its latest write (at most ten minutes), this range, which is eventual, shows a row as it was before. */
  staleMs?(range: Range): number;
  /** This many ms later a row's change becomes visible in the index of alarms; no change overtakes an earlier one. */
  indexLagMs?(key: RowKey): number;
  /** Which of these writes (of a transaction, or a single one) meets a transaction in progress; null: none. Nothing is written. */
  conflicts?(writes: readonly Write[]): number | null;
  /** The answer of this write or transaction, which was carried out, is lost: it is sent again, as the SDK does. */
  repeats?(writes: readonly Write[]): boolean;
  /**
   * The partition is too busy, or that of this shard of the index of alarms (`alarms 0`): the request is refused before any effect.
   * Of several keys, and of a batch, each row is asked for, and those that are refused are left undone; only all of them make the
   * request fail.
   */
  throttles?(partition: string): boolean;
  /** This many ms after its time DynamoDB removes an expired row. Omitted: never. */
  readonly expiryLateMs?: number;
};

/** DynamoDB's answer to a request that came too soon after others; the SDK has already repeated it. */
export class ThrottlingException extends Error {
  override readonly name = 'ThrottlingException';

  constructor(partition: string) {
    super(`Throughput exceeds the current capacity of your table or index: ${partition}`);
  }
}
