import type { ContentHead, ItemPart, ItemRow, ItemRun } from '../../ports/item-store.ts';

/** A dispatcher reads a run for ten indexes: half a read unit, once it is compressed. */
const RUN_BYTES = 8 * 1024;

/** The items of a part as rows of about 8 KB. */
export function runsOf(
  { itemsPerPart }: Pick<ContentHead, 'itemsPerPart'>,
  { no, rows }: ItemPart,
): readonly ItemRun[] {
  const runs: ItemRun[] = [];
  let run: ItemRow[] = [];
  let bytes = 0;
  const close = (before: number): void => {
    if (run.length > 0) runs.push({ first: no * itemsPerPart + before - run.length, rows: run });
    [run, bytes] = [[], 0];
  };
  for (const [nth, row] of rows.entries()) {
    const size = row.reduce((sum, value) => sum + Buffer.byteLength(value) + 3, 2);
    if (bytes + size > RUN_BYTES) close(nth);
    run.push(row);
    bytes += size;
  }
  close(rows.length);
  return runs;
}
