import { type PlantedFault, one } from './planted-fault.ts';

const GANG = 'shared/domain/scoreboard/gang.ts';
const JUDGE = 'shared/domain/planner/judge.ts';
const PLAN_COMMIT = 'shared/domain/planner/plan-commit.ts';

/** Mistakes with Jobs whose indexes belong together. */
export const GANG_FAULTS: readonly PlantedFault[] = [
  one(
    'a gang is said to run before its last index does',
    GANG,
    'within.stopping === 0 && within.running > 0 && within.running === membersOf(spec, within);',
    'within.stopping === 0 && within.running > 0 && within.running >= membersOf(spec, within) - 1;',
    ['G23'],
    'gang',
  ),
  one(
    'a gang is said to run while one of it is to end',
    GANG,
    'within.stopping === 0 && within.running > 0 && within.running === membersOf(spec, within);',
    'within.stopping >= 0 && within.running > 0 && within.running === membersOf(spec, within);',
    ['G23'],
    'gang',
  ),
  one(
    'a gang that starts again costs those an attempt that fail when it is stopped',
    JUDGE,
    "if (phase.kind === 'regrouping') return { as:",
    "if (phase.kind === 'regrouping' && !byItself) return { as:",
    ['G23', 'G5'],
    'gang',
  ),
  one(
    'a gang starts again without an end',
    GANG,
    'return { restarts: restarts + (begins ? 1 : 0), since: null, isReady: false };',
    'return { restarts: begins ? 0 : restarts, since: null, isReady: false };',
    ['G23', 'G8'],
    'gang',
  ),
  one(
    'no alarm is set for a gang that waits',
    PLAN_COMMIT,
    'managesAttempts ? gangDueAt(job.spec, attempts.gang) : null,',
    'managesAttempts && job.spec.gang === null ? gangDueAt(job.spec, attempts.gang) : null,',
    ['G8', 'G23'],
    'gang',
  ),
  one(
    'a gang’s time begins anew with each claim',
    GANG,
    '(was?.since ?? (hasClaimed ? now : null))',
    '(hasClaimed ? now : (was?.since ?? null))',
    ['G23'],
    'gang',
  ),
];
