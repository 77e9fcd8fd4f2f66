import type { JobUid } from '../../../shared/domain/base/ids.ts';
import type { StoredSpec } from '../../../shared/ports/job-store.ts';
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

/** Until then the namespaces have only begun to launch. */
const BEGIN_MS = 8_000;
/** Of two namespaces that both have more to launch than they may, each gets half of the launches; this much is enough. */
const SHARE_MIN = 0.35;

/** The last Job, alone in its namespace, got its share of the launches as long as it and the others still had some (G13). */
export function checkShares(jobs: readonly StoredSpec[], watchdog: Watchdog, law: Law): void {
  const momentsOf = ({ identity }: StoredSpec): readonly number[] =>
    watchdog.tasksOf(identity.uid).flatMap(({ times }) => times.createdAt ?? []);
  const loner = jobs.at(-1);
  if (loner === undefined) return;
  const [own, others] = [momentsOf(loner), jobs.slice(0, -1).flatMap(momentsOf)];
  const from = Math.min(...own, ...others) + BEGIN_MS;
  const to = Math.min(Math.max(...own), Math.max(...others));
  const within = (moments: readonly number[]): number => moments.filter((at) => at >= from && at <= to).length;
  const [mine, all] = [within(own), within([...own, ...others])];
  law.forbid(
    mine < SHARE_MIN * all,
    'G13',
    () => `a namespace had ${mine} of ${all} launches, next to one with ${jobs.length - 1} Jobs`,
    { uid: loner.identity.uid },
  );
}
