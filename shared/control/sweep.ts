import { factOf } from '../domain/ending.ts';
import { type JobUid, plusMs } from '../domain/brand.ts';
import type { Fact } from '../domain/fact.ts';
import type { TaskView } from '../domain/task.ts';
import type { DispatchMessage, FactMessage } from '../ports/queues.ts';
import type { Deps } from './deps.ts';

const PAGE = 100;

/**
 * Wakes every Job whose alarm is due: a lost wake-up, an unpublished change, a pass that died after its commit.
 * `everything`: every Job that has an alarm, and all active attempts are looked up (the embedded runtime at its start).
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

/** No message goes on for longer: what is left of the tasks is another's. */
const TASKS_MAX_MS = 20_000;
/** ECS throttles: the same page is asked for again, this much later, so often; then it is the next hour's. */
const LATER_DELAY_SEC = 10;
const TURNS_MAX = 30;

/**
 * Shows every live task, from a page of ECS's list on, to its Job's board: one that no board knows is stopped by the pass
 * that follows. Hourly. What does not fit into 20 s goes on as a message of its own, so that it ends however many there are.
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
