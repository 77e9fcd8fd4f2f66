import { type PlantedFault, one } from './planted-fault.ts';

const DEADLINES = 'shared/domain/scoreboard/deadlines.ts';
const FOLD_FACTS = 'shared/domain/planner/fold-facts.ts';
const INDEX_CHANGES = 'shared/domain/scoreboard/index-changes.ts';
const JUDGE = 'shared/domain/planner/judge.ts';
const PLAN_COMMIT = 'shared/domain/planner/plan-commit.ts';
const TRANSITION = 'shared/domain/scoreboard/transition.ts';
const WORKING_BOARD = 'shared/domain/scoreboard/working-board.ts';

/** Mistakes in what users do to single indexes, and in deadlines. */
export const INDEX_FAULTS: readonly PlantedFault[] = [
  one(
    'an index is wronged: one that is held is claimed',
    WORKING_BOARD,
    'if (extras?.held === true) continue;',
    'if (extras?.held === true && extras.failures > 1_000) continue;',
    ['G24', 'G2'],
  ),
  one(
    'an index is wronged: one that was given up is pending again',
    TRANSITION,
    "r.wish === 'cancel' ? settled(r, 'excluded') :",
    "r.wish === 'cancel' && r.attempt > 1_000 ? settled(r, 'excluded') :",
    ['G24', 'G2', 'G1'],
  ),
  one(
    'an index is wronged: to be put back spends a try',
    TRANSITION,
    "({ ...r, wish: 'requeue', stopping: true })",
    "({ ...r, wish: 'requeue', podDeleted: true })",
    ['G24', 'G5', 'G2', 'G10'],
  ),
  one(
    'an index is wronged: one that has succeeded is given up',
    INDEX_CHANGES,
    "if (state === 'succeeded' || state === 'failed') return 'settled';",
    "if (state === 'failed') return 'settled';",
    ['G24', 'G1', 'G2', 'bug'],
  ),
  one(
    'an index is wronged: a cancelled one counts as failed',
    JUDGE,
    'if (!byItself && record.stopping) return',
    "if (!byItself && record.stopping && record.wish !== 'cancel') return",
    ['G5', 'G2'],
  ),
  one(
    'a deadline is broken: nobody looks at it',
    FOLD_FACTS,
    "if (job.spec.managed && status.phase.kind === 'running') batch.endLate();",
    "if (!job.spec.managed && status.phase.kind === 'running') batch.endLate();",
    ['G24', 'G15'],
  ),
  one(
    'a deadline is broken: a Pod gets two seconds less',
    DEADLINES,
    'ran: podDeadlineSec === null ? null : nowSec - podDeadlineSec,',
    'ran: podDeadlineSec === null ? null : nowSec - podDeadlineSec + 2,',
    ['G24'],
  ),
  one(
    'a deadline is broken: no alarm is set for it',
    PLAN_COMMIT,
    'managesAttempts ? lateAt(folding.chunks, job.spec) : null,',
    'managesAttempts && now < 0 ? lateAt(folding.chunks, job.spec) : null,',
    ['G8', 'G24', 'G15'],
  ),
  one(
    'a deadline is broken: an index in back-off outlives its own',
    WORKING_BOARD,
    "record.state === 'pending' || isAgainstPodDeadline(record);",
    'isAgainstPodDeadline(record);',
    ['G24', 'G8', 'G15'],
  ),
];
