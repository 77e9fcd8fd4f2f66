import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { JobStore } from '../../ports/job-store.ts';
import { ABSENT, below, either } from '../rows/condition.ts';
import { until, versionIn } from '../rows/fields.ts';
import { type Program, get, write } from '../rows/program.ts';
import { FIELD } from '../rows/row.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { announcedKey } from './row-keys.ts';

/** How far each Job's changes were announced: a row of its own, because the mark is in transactions of the feed. */
export const announced = (table: Table): Pick<JobStore, 'readAnnounced' | 'writeAnnounced'> =>
  methodsOf(table, { readAnnounced, writeAnnounced });

function* readAnnounced(uid: JobUid): Program<number> {
  return versionIn(yield* get(announcedKey(uid)));
}

/** A refusal says that the row has as much already. */
function* writeAnnounced(uid: JobUid, version: number, expireAt: EpochMs): Program<void> {
  const set = { [FIELD.version]: version, ...until(expireAt) };
  const condition = either(ABSENT, below(FIELD.version, version));
  yield* write({ kind: 'update', key: announcedKey(uid), set, condition });
}
