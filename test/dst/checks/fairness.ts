import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { Law } from './law.ts';
import type { Watchdog } from './watchdog.ts';

/**
 * A small Job may have to wait so long for each of its launches while a large one is at it (G13). Alone it would wait
 * a second or two; among the large Job's hundreds of launches, a minute and more.
 */
const WAIT_MAX_MS = 15_000;

/** Every task of the small Jobs (all but the first) began soon after its Job was there. */
export function checkFairness([, ...small]: readonly JobUid[], watchdog: Watchdog, law: Law): void {
  for (const uid of small) {
    const createdAt = watchdog.jobs.get(uid)?.createdAt;
    for (const { id, times } of watchdog.tasksOf(uid)) {
      if (times.createdAt === null || createdAt === undefined) continue;
      const waitMs = times.createdAt - createdAt;
      law.forbid(
        waitMs > WAIT_MAX_MS,
        'G13',
        () => `index ${id.index} of the small Job was launched ${Math.round(waitMs / 1000)} s after the Job was there`,
        { uid, indexes: [id.index] },
      );
    }
  }
}
