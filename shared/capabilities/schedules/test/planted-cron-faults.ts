import { type PlantedFault, one } from '../../../../test/planted/planted-fault.ts';

const PLAN_CRON = 'shared/capabilities/schedules/domain/plan-cron.ts';
const OWNED_JOBS = 'shared/capabilities/schedules/domain/owned-jobs.ts';
const RECONCILE_CRON = 'shared/capabilities/schedules/control/reconcile-cron.ts';

/** Mistakes with schedules. */
export const CRON_FAULTS: readonly PlantedFault[] = [
  one(
    'Forbid lets one Job run beside another',
    PLAN_CRON,
    "concurrencyPolicy === 'Forbid' && active.length > 0",
    "concurrencyPolicy === 'Forbid' && active.length > 1",
    ['G17'],
  ),
  one(
    'Replace replaces nothing',
    PLAN_CRON,
    "concurrencyPolicy === 'Replace' ? active : []",
    "concurrencyPolicy === 'Replace' ? active.slice(1) : []",
    ['G17'],
  ),
  one(
    'a Job that has ended stays in the list of active ones',
    OWNED_JOBS,
    'if (end !== null || seen.end === null) return state;',
    'if (end === null) return state;',
    ['G17'],
  ),
  one(
    'what is history is not deleted',
    RECONCILE_CRON,
    'for (const old of plan.prune) await deleteJob(old, deps);',
    'for (const old of plan.prune.slice(1)) await deleteJob(old, deps);',
    ['G17'],
  ),
  one(
    'history is forgotten before it is deleted',
    RECONCILE_CRON,
    `  for (const old of plan.prune) await deleteJob(old, deps);
  if (isNew && (await deps.crons.write({ ...row, ...plannedRow(plan) })).kind === 'lost') return 'conflict';
`,
    `  if (isNew && (await deps.crons.write({ ...row, ...plannedRow(plan) })).kind === 'lost') return 'conflict';
  for (const old of plan.prune) await deleteJob(old, deps);
`,
    ['G17'],
  ),
  one(
    'the sweep does not look ahead',
    'shared/control/schedulers/sweep-crons.ts',
    'until: plusMs(now, AHEAD_MS),',
    'until: plusMs(now, -AHEAD_MS),',
    ['G17'],
  ),
  one(
    'a status that was not published stays unpublished',
    RECONCILE_CRON,
    'if (isSame(before, status)) return true;',
    'if (isSame(before, status) || state.jobs.length === row.state.jobs.length) return true;',
    ['G17'],
  ),
  one(
    'a claim waits for the sweep',
    RECONCILE_CRON,
    "if (plan.state.claim !== null) return 'again';",
    "if (plan.state.claim !== null) return row.state.claim === null ? 'done' : 'again';",
    ['G17'],
  ),
];
