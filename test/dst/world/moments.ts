import { type EpochMs, plusMs } from '../../../shared/domain/base/time.ts';
import type { LaunchRow } from '../../../shared/domain/scoreboard/launch-row.ts';

/** A read that need not be consistent shows a row as it was before its last write for this long; AWS says a second or less. */
const STALE_MAX_MS = 10_000;

/** Launch rows as they were a moment ago. */
export class Moments {
  readonly #last = new Map<
    string,
    { readonly row: LaunchRow; readonly before: LaunchRow | null; readonly at: EpochMs }
  >();

  /** The row is stored like this from now on. */
  written(uid: string, row: LaunchRow, at: EpochMs): void {
    const key = `${uid}/${row.row}`;
    this.#last.set(key, { row, before: this.#last.get(key)?.row ?? null, at });
  }

  /** The rows, those that have just been written as they were before, or not at all; null: none has. */
  stale(uid: string, rows: readonly LaunchRow[], now: EpochMs): readonly LaunchRow[] | null {
    const young = (row: LaunchRow) => {
      const last = this.#last.get(`${uid}/${row.row}`);
      return last !== undefined && now < plusMs(last.at, STALE_MAX_MS) ? last : undefined;
    };
    if (!rows.some((row) => young(row) !== undefined)) return null;
    return rows.flatMap((row) => {
      const last = young(row);
      if (last === undefined) return [row];
      return last.before === null ? [] : [last.before];
    });
  }
}
