import { type PlantedFault, one } from './planted-fault.ts';

const APPLY_FACTS = 'shared/domain/planner/apply-facts.ts';
const FOLD_FACTS = 'shared/domain/planner/fold-facts.ts';
const LEDGER = 'shared/domain/planner/ledger.ts';
const ADVANCE_PHASE = 'shared/domain/planner/advance-phase.ts';
const PLAN_COMMIT = 'shared/domain/planner/plan-commit.ts';
const DECIDE_PHASE = 'shared/domain/planner/decide-phase.ts';
const LAUNCHES = 'shared/domain/planner/launches.ts';
const STOPS = 'shared/domain/planner/stops.ts';
const JUDGE = 'shared/domain/planner/judge.ts';
const DRAFT = 'shared/domain/scoreboard/working-board.ts';
const TRANSITION = 'shared/domain/scoreboard/transition.ts';
const RECONCILE = 'shared/control/reconcile/reconcile.ts';

/** Mistakes in what Kubernetes promises of a Job: back-off, limits, policies, deadlines, restarts, replacements. */
export const CONTRACT_FAULTS: readonly PlantedFault[] = [
  // what Kubernetes says of failures
  one('what podFailurePolicy ignores counts', JUDGE, "return { as: 'ignored', why };", 'return counts(given, why);', [
    'G5',
  ]),
  one(
    'an index that podFailurePolicy fails is tried again',
    JUDGE,
    "return { as: 'failedForGood', why };",
    "return { as: 'ignored', why };",
    ['G2', 'G5'],
  ),
  one(
    'an index is tried beyond its own limit when its Pod is deleted',
    LEDGER,
    'if (hasSpentLimit(this.#context.job.spec, record)) this.#failForGood(fact, record);\n    else this.fail',
    'this.fail',
    ['G5'],
  ),
  one(
    'a failed index forgets its back-off',
    LEDGER,
    '? indexBackoffEndsAt(failures + ignored + 1, at)\n      : retryDelay',
    '? null\n      : retryDelay',
    ['G10'],
  ),
  one(
    'ignored failures do not lengthen the back-off of their index',
    LEDGER,
    'indexBackoffEndsAt(failures + ignored + 1, at)',
    'indexBackoffEndsAt(failures + 1, at)',
    ['G10'],
  ),
  one(
    'an index starts though its back-off is not over',
    DRAFT,
    'until === null || isDue(extras, now, retryDelaySec)) ready.push(index);',
    'until === null || until > 0) ready.push(index);',
    ['G10'],
  ),
  one(
    'a Job in back-off starts Pods',
    LAUNCHES,
    'const isJobInBackoff = jobBackoffEndsAt !== null && jobBackoffEndsAt > now;',
    'const isJobInBackoff = jobBackoffEndsAt !== null && jobBackoffEndsAt < 0;',
    ['G10'],
  ),
  one(
    'a Pod that cannot start waits for ever',
    JUDGE,
    'const timedOut = unstartedSince !== null && at >=',
    'const timedOut = unstartedSince !== null && at < 0 && at >=',
    ['G5', 'G8', 'G15'],
    'pendingTimeout',
  ),

  // one Pod, several tasks
  one(
    'a restarted Pod keeps its nonce',
    TRANSITION,
    '({ ...goesOn(r, step), restarts: r.restarts + 1 })',
    '({ ...goesOn(r, step), nonce: r.nonce, restarts: r.restarts + 1 })',
    ['G2', 'G5', 'G8', 'G15', 'G10'],
    'onFailure',
  ),
  one(
    'a Pod that restarts at once waits for no moment, and is not found',
    LEDGER,
    'restartDelayEndsAt(record.restarts, at) ?? at',
    'restartDelayEndsAt(record.restarts, at)',
    ['G8', 'G15', 'G10'],
    'onFailure',
  ),
  one(
    'a Pod that goes on in another task is made anew',
    LEDGER,
    '...(podCreatedSec === null ? {} : { podCreatedSec }),',
    '',
    ['G14'],
    'onFailure',
  ),
  one(
    'a new Pod forgets how often those before it were restarted',
    TRANSITION,
    'earlierRestarts: r.earlierRestarts + r.restarts,',
    'earlierRestarts: r.earlierRestarts,',
    ['G5'],
    'onFailure',
  ),
  one(
    'restarts of Pods that are gone still add up',
    DRAFT,
    'this.restarts += after.restarts - before.restarts;',
    'this.restarts += Math.max(0, after.restarts - before.restarts);',
    ['G2'],
    'onFailure',
  ),
  one(
    'a look-up starts Pods that wait',
    'shared/control/dispatch/inspect.ts',
    "state === 'launched' || state === 'running';",
    "state !== 'claimed';",
    ['G14', 'G15'],
    'onFailure',
  ),
  one(
    'a Pod between two tasks is never ended',
    STOPS,
    '(r) => ending || isStopped(r)',
    "(r) => r.state !== 'waiting' && (ending || isStopped(r))",
    ['G8', 'G15'],
    'onFailure',
  ),

  // Pods that are replaced
  one(
    'a replaced attempt is forgotten while it stops',
    FOLD_FACTS,
    'this.#replacedTasks = [...this.#replacedTasks, { index, attempt, nonce, taskArn: deletion.taskArn, since }];',
    '',
    ['G4', 'G5', 'G6', 'G10'],
    'replacesAtOnce',
  ),
  one(
    'a Job is over while a replaced task stops',
    DECIDE_PHASE,
    'podCount(tally) === 0 && inFlight === 0 && replacedTasks === 0;',
    'podCount(tally) === 0 && inFlight === 0 && replacedTasks >= 0;',
    ['G6'],
    'replacesAtOnce',
  ),
  one(
    'the stop of a deleted Pod is not repeated',
    STOPS,
    '(r) => ending || isStopped(r)',
    '(r) => ending || r.stopping',
    ['G8', 'G15'],
  ),

  // how Kubernetes ends a Job
  one(
    'a success is a hit of its rule twice',
    'shared/domain/planner/success-policy.ts',
    'has(indexes, index) ? 1 : 0',
    'has(indexes, index) ? 2 : 0',
    ['G2'],
    'successPolicy',
  ),
  one(
    'a deadline is looked at only when an attempt fails',
    DECIDE_PHASE,
    "if (isTimeUp(standing, now)) return failure('DeadlineExceeded', null);",
    "if (lastFailed !== null && isTimeUp(standing, now)) return failure('DeadlineExceeded', null);",
    ['G8', 'G15'],
    'deadline',
  ),
  one(
    'a deadline goes by the start before the Job was suspended',
    ADVANCE_PHASE,
    "startTime: status.phase.kind === 'suspended' ? null : status.startTime,",
    'startTime: status.startTime,',
    ['G6'],
    'deadline',
  ),
  one(
    'successes beyond the completions of a smaller Job count',
    APPLY_FACTS,
    'completions !== null && isShrunk(spec, board.size)',
    'completions === -1 && isShrunk(spec, board.size)',
    ['G3', 'G6', 'G8', 'G15'],
  ),
  one(
    'the time to live begins before the Job is over',
    PLAN_COMMIT,
    'plusMs(phase.at, ttlSecAfterFinished * 1000)',
    'plusMs(phase.since, ttlSecAfterFinished * 1000)',
    ['G7'],
  ),
  one('what has outlived its time to live stays', RECONCILE, 'if (plan.outlived) await deleteJob(uid, deps);', '', [
    'G8',
  ]),

  // what no fact will report
  one(
    'nobody wakes a Job at its deadline',
    PLAN_COMMIT,
    "managesAttempts || phase.kind === 'regrouping' ? deadlineOf(job.spec, startTime) : null,",
    'managesAttempts && startTime === null ? deadlineOf(job.spec, startTime) : null,',
    ['G8', 'G15'],
    'deadline',
  ),
  one(
    'nobody wakes a Job whose Pod waits for its next task',
    LAUNCHES,
    'relaunched.nextAt].reduce(',
    '].reduce(',
    ['G8', 'G15'],
    'onFailure',
  ),
];
