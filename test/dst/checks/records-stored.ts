import { CHUNK_INDEXES, chunkOf } from '../../../shared/domain/scoreboard/board.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { JobStore } from '../../../shared/ports/job-store.ts';
import type { Watched } from './commits.ts';
import type { Forbid } from './law.ts';

/** At the end: the record of every attempt that a pass has written is there, also of those that the table left out at first. */
export async function checkRecords(
  uid: JobUid,
  { recorded }: Pick<Watched, 'recorded'>,
  jobs: Pick<JobStore, 'readAttempts'>,
  forbid: Forbid,
): Promise<void> {
  const missing = new Map([...recorded.values()].map(({ index, attempt }) => [`${index}/${attempt}`, index]));
  for (const no of new Set([...missing.values()].map(chunkOf))) {
    const first = no * CHUNK_INDEXES;
    for (const { index, attempt } of await jobs.readAttempts(uid, first, first + CHUNK_INDEXES - 1))
      missing.delete(`${index}/${attempt}`);
  }
  forbid(
    missing.size > 0,
    'G10',
    () => `no record is stored of attempts that were written: ${[...missing.keys()].join(', ')}`,
    ...missing.values(),
  );
}
