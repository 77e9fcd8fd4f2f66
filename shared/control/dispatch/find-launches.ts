import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { AttemptId } from '../../domain/base/fact.ts';
import { type TaskView, familiesOf } from '../../domain/task/task.ts';
import type { LookFrom } from '../../ports/queues.ts';
import type { Deps } from '../process/deps.ts';

/** One message searches for this long; then another continues from that page: ECS may remember 72,000 tasks of an hour. */
const LOOK_MAX_MS = 20_000;

/** A launch with an unknown outcome. */
export type Doubt = {
  readonly id: AttemptId;
  /** Its task may have been started then, and ECS may not list it yet. */
  readonly since: EpochMs;
};

export type Findings<D extends Doubt> = {
  readonly found: readonly (D & { readonly view: TaskView })[];
  /** ECS has no such task, or has forgotten it: it stopped more than an hour ago. */
  readonly nowhere: readonly D[];
  /** ECS may not list the task yet. */
  readonly early: readonly D[];
  /** ECS throttles, or time was up: the search for them continues at `from`. */
  readonly left: readonly D[];
  readonly from: LookFrom | null;
};

/**
 * Searches for the tasks of launches: first among the Job's live ones, then among those that have stopped or are about to,
 * because a task moves from the first list to the second. `from`: where a search for the very same launches was interrupted.
 */
export async function findLaunches<D extends Doubt>(
  uid: JobUid,
  doubts: readonly D[],
  from: LookFrom | null,
  deps: Deps,
): Promise<Findings<D>> {
  const { clock } = deps;
  const missing = new Map(doubts.map((doubt) => [keyOf(doubt.id), doubt]));
  const found: (D & { readonly view: TaskView })[] = [];
  const startedAt = from?.startedAt ?? clock.now();
  const isEarly = ({ since }: Doubt): boolean => startedAt < plusMs(since, deps.settings.timing.missingGraceMs);
  const until = plusMs(clock.now(), LOOK_MAX_MS);
  // While nothing can be concluded yet, the long list is not requested.
  const lists = [null, ...(doubts.every(isEarly) ? [] : await familiesOfJob(uid, deps))];
  // If that list is gone, the search starts over: a list that was not read must not make a task count as not found.
  const resumed = lists.indexOf(from?.family ?? null);
  let nth = Math.max(resumed, 0);
  let after = resumed === -1 ? null : (from?.after ?? null);
  for (let family = lists[nth]; family !== undefined && missing.size > 0; family = lists[nth]) {
    const place: LookFrom = { startedAt, family, after };
    const page = clock.now() < until ? await readPage(uid, place, deps) : null;
    if (page === null) return { found, nowhere: [], early: [], left: [...missing.values()], from: place };
    for (const view of page.tasks) {
      const doubt = view.job === uid ? missing.get(keyOf(view.id)) : undefined;
      if (doubt === undefined) continue;
      found.push({ ...doubt, view });
      missing.delete(keyOf(view.id));
    }
    after = page.next;
    if (after === null) nth++;
  }
  const rest = [...missing.values()];
  const nowhere = rest.filter((doubt) => !isEarly(doubt));
  return { found, nowhere, early: rest.filter(isEarly), left: [], from: null };
}

/** The families of the Job's launch templates: usually one, and one more for each image that its items say. */
async function familiesOfJob(uid: JobUid, { jobs }: Deps): Promise<readonly string[]> {
  return [...new Set((await jobs.readTemplates(uid)).flatMap(familiesOf))];
}

/** null: ECS throttles. */
async function readPage(uid: JobUid, { family, after }: LookFrom, { tasks }: Deps) {
  const page = family === null ? await tasks.listLive({ job: uid, after }) : await tasks.listStopped({ family, after });
  if (page.kind === 'later') return null;
  const seen = await tasks.describe(page.taskArns);
  return seen.kind === 'later' ? null : { tasks: seen.tasks, next: page.next };
}

const keyOf = ({ index, attempt, nonce }: AttemptId): string => `${index}/${attempt}/${nonce}`;
