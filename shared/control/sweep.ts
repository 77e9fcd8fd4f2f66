import { factOf } from '../domain/ending.ts';
import type { JobUid } from '../domain/brand.ts';
import type { Fact } from '../domain/fact.ts';
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

/** Shows every live task to its Job's board: one that no board knows is stopped by the pass that follows. Hourly. */
export async function sweepTasks({ tasks, queues }: Deps): Promise<number> {
  let shown = 0;
  let after: string | null = null;
  do {
    const page = await tasks.listLive({ job: null, after });
    if (page.kind === 'later') return shown; // the next sweep goes on; nothing depends on this one
    const seen = page.taskArns.length === 0 ? null : await tasks.describe(page.taskArns);
    if (seen?.kind === 'later') return shown;
    const byJob = new Map<JobUid, Fact[]>();
    for (const view of seen?.tasks ?? []) {
      const fact = factOf(view);
      if (fact === null) continue;
      const facts = byJob.get(view.job);
      if (facts === undefined) byJob.set(view.job, [fact]);
      else facts.push(fact);
      shown++;
    }
    if (byJob.size > 0)
      await queues.facts(
        [...byJob].map(([uid, facts]) => ({ uid, facts })),
        0,
      );
    after = page.next;
  } while (after !== null);
  return shown;
}
