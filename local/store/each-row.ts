import type { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import type { Row, RowKey } from '../../shared/store/rows/row.ts';

/** Rows that one step looks at: some milliseconds of work. */
const SLICE_ROWS = 2_000;

/** Every row of the partitions whose names begin with `prefix`, a slice at a time, so that the process stays responsive. */
export async function* eachRow(rows: LmdbRows, prefix: string): AsyncGenerator<Row> {
  for (let after: RowKey | null = null; ; await rows.pause()) {
    const slice: readonly Row[] = rows.slice(prefix, after, SLICE_ROWS);
    yield* slice;
    after = slice.at(-1)?.key ?? null;
    if (slice.length < SLICE_ROWS || after === null) return;
  }
}
