import { decidingIndex, withDecidingItem } from '../domain/scoreboard/why.ts';
import type { JobManifest } from '../domain/manifests/manifest.ts';
import type { AttemptRecord } from '../ports/job-store.ts';
import { type ItemSource, readItemValues } from './read-items.ts';

/**
 * Records as people see them: the verdict of an attempt that was stopped with its Job says on what the index works that decided.
 * Reads at most one item, and none for a Job without a work list.
 */
export async function shownRecords(
  records: readonly AttemptRecord[],
  manifest: JobManifest,
  source: ItemSource,
): Promise<readonly AttemptRecord[]> {
  const deciding = [...new Set(records.flatMap(({ judgement }) => decidingIndex(judgement.why) ?? []))];
  if (deciding.length === 0) return records;
  const items = await readItemValues(manifest, deciding, source);
  if (items.size === 0) return records;
  return records.map((record) => {
    const { as, why } = record.judgement;
    const index = decidingIndex(why);
    const item = index === null ? undefined : items.get(index);
    return item === undefined ? record : { ...record, judgement: { as, why: withDecidingItem(why, item.line) } };
  });
}
