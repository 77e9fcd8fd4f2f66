import { factOf } from '../../domain/planner/ending.ts';
import { plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { Fact } from '../../domain/base/fact.ts';
import type { TaskView } from '../../domain/task/task.ts';
import type { DispatchMessage, FactMessage } from '../../ports/queues.ts';
import type { Deps } from '../process/deps.ts';

const PAGE = 100;

/**
 * Wakes every Job whose alarm is due: a lost wake-up, an unpublished change, a pass that died after its commit. `everything`:
 * every Job that has an alarm, with a look-up of all active attempts (the embedded runtime at its start; an operator after a restore).
 */
export async function sweepJobs(
  { everything }: { readonly everything: boolean },
  { jobs, queues, clock }: Deps,
): Promise<number> {
  let woken = 0;
  let after: string | null = null;
  do {
    const page = await jobs.dueJobs({ now: everything ? null : clock.now(), after, limit: PAGE });
    if (page.uids.length > 0) {
      await queues.wake(page.uids.map((uid) => ({ uid, delaySec: 0, ...(everything ? { inspect: true } : {}) })));
    }
    woken += page.uids.length;
    after = page.next;
  } while (after !== null);
  return woken;
}

/** No message runs longer; another takes the rest of the tasks. */
const TASKS_MAX_MS = 20_000;
/** ECS throttles: the same page is requested again this much later, this often; then the next hour's sweep takes over. */
const LATER_DELAY_SEC = 10;
const TURNS_MAX = 30;

/**
 * Compares every live task, from a page of ECS's list on, with its Job's board: the next pass stops a task that no board knows.
 * Hourly. After 20 s it continues as a new message, so it ends however many tasks there are.
 */
export async function sweepTasks(
  { after, turn = 0 }: Pick<Extract<DispatchMessage, { kind: 'sweepTasks' }>, 'after' | 'turn'>,
  { tasks, queues, clock }: Pick<Deps, 'tasks' | 'queues' | 'clock'>,
): Promise<void> {
  const until = plusMs(clock.now(), TASKS_MAX_MS);
  let page: string | null = after;
  do {
    const listed = await tasks.listLive({ job: null, after: page });
    const seen = listed.kind === 'later' ? listed : await tasks.describe(listed.taskArns);
    if (listed.kind === 'later' || seen.kind === 'later') {
      if (turn < TURNS_MAX)
        await queues.dispatch([{ kind: 'sweepTasks', after: page, turn: turn + 1 }], LATER_DELAY_SEC);
      return;
    }
    const messages = byJob(seen.tasks);
    if (messages.length > 0) await queues.facts(messages, 0);
    page = listed.next;
  } while (page !== null && clock.now() < until);
  if (page !== null) await queues.dispatch([{ kind: 'sweepTasks', after: page }], 0);
}

function byJob(tasks: readonly TaskView[]): readonly FactMessage[] {
  const byJob = new Map<JobUid, Fact[]>();
  for (const view of tasks) {
    const fact = factOf(view);
    if (fact === null) continue;
    const facts = byJob.get(view.job);
    if (facts === undefined) byJob.set(view.job, [fact]);
    else facts.push(fact);
  }
  return [...byJob].map(([uid, facts]) => ({ uid, facts }));
}
