import { type PlantedFault, one } from './planted-fault.ts';

const PLAN_JOB = 'shared/domain/plan-job.ts';
const FOLD_FACTS = 'shared/domain/fold-facts.ts';
const DECIDE_PHASE = 'shared/domain/decide-phase.ts';
const LAUNCHES = 'shared/domain/launches.ts';
const STOPS = 'shared/domain/stops.ts';
const JUDGE = 'shared/domain/judge.ts';
const DRAFT = 'shared/domain/draft.ts';
const TRANSITION = 'shared/domain/transition.ts';
const RECONCILE = 'shared/control/reconcile.ts';

/** Mistakes in what Kubernetes promises of a Job: back-off, limits, policies, deadlines, restarts, replacements. */
export const CONTRACT_FAULTS: readonly PlantedFault[] = [
  // what Kubernetes says of failures
  one(
    'what podFailurePolicy ignores counts',
    JUDGE,
    "if (match.action === 'Ignore') return { as: 'ignored', because, match };",
    '',
    ['G5'],
  ),
  one(
    'an index that podFailurePolicy fails is tried again',
    JUDGE,
    "if (match.action === 'FailIndex') return { as: 'failedForGood', because, match };",
    "if (match.action === 'FailIndex') return { as: 'ignored', because, match };",
    ['G2', 'G5'],
  ),
  one(
    'an index is tried beyond its own limit when its Pod is deleted',
    FOLD_FACTS,
    'if (hasSpentLimit(this.#context.job.spec, record)) this.#failForGood(fact, record);\n    else this.fail',
    'this.fail',
    ['G5'],
  ),
  one(
    'a failed index forgets its back-off',
    FOLD_FACTS,
    'return perIndex ? indexBackoffEndsAt(failures + ignored + 1, at) : null;',
    'return perIndex && failures < 0 ? indexBackoffEndsAt(failures + ignored + 1, at) : null;',
    ['G10'],
  ),
  one(
    'ignored failures do not lengthen the back-off of their index',
    FOLD_FACTS,
    'indexBackoffEndsAt(failures + ignored + 1, at)',
    'indexBackoffEndsAt(failures + 1, at)',
    ['G10'],
  ),
  one(
    'an index starts though its back-off is not over',
    DRAFT,
    'until === null || isDue(extras, now)) ready.push(index);',
    'until === null || until > 0) ready.push(index);',
    ['G10'],
  ),
  one(
    'a Job in back-off starts Pods',
    LAUNCHES,
    'const isHeld = jobHeldUntil !== null && jobHeldUntil > now;',
    'const isHeld = jobHeldUntil !== null && jobHeldUntil < 0;',
    ['G10'],
  ),
  one(
    'a Pod that cannot start waits for ever',
    JUDGE,
    'const timedOut = unstartedSince !== null && at >=',
    'const timedOut = unstartedSince !== null && at < 0 && at >=',
    ['G5', 'G8', 'G15'],
  ),

  // one Pod, several tasks
  one(
    'a restarted Pod keeps its nonce',
    TRANSITION,
    "state: 'waiting', nonce: r.nonce + 1, restarts: r.restarts + 1",
    "state: 'waiting', restarts: r.restarts + 1",
    ['G2', 'G5', 'G8', 'G15', 'G10'],
  ),
  one(
    'a Pod that restarts at once waits for no moment, and is not found',
    FOLD_FACTS,
    'restartDelayEndsAt(record.restarts, at) ?? at',
    'restartDelayEndsAt(record.restarts, at)',
    ['G8', 'G15', 'G10'],
  ),
  one(
    'restarts of Pods that are gone still add up',
    DRAFT,
    'this.restarts += after.restarts - before.restarts;',
    'this.restarts += Math.max(0, after.restarts - before.restarts);',
    ['G2'],
  ),
  one(
    'a look-up starts Pods that wait',
    'shared/control/inspect.ts',
    "state === 'launched' || state === 'running';",
    "state !== 'claimed';",
    ['G14', 'G15'],
  ),
  one(
    'a Pod between two tasks is never ended',
    STOPS,
    '(r) => ending || isStopped(r)',
    "(r) => r.state !== 'waiting' && (ending || isStopped(r))",
    ['G8', 'G15'],
  ),
  one(
    'a Job is over though a Pod waits for its next task',
    DECIDE_PHASE,
    'podCount(tally) === 0 && inFlight === 0 && lingering === 0;',
    'tally.starting + tally.running === 0 && inFlight === 0 && lingering === 0;',
    ['G6'],
  ),

  // Pods that are replaced
  one(
    'a replaced attempt is forgotten while it stops',
    FOLD_FACTS,
    'lingering = [...lingering, { index, attempt, nonce: record.nonce, taskArn: fact.taskArn, since: fact.at }];',
    '',
    ['G4', 'G5', 'G6', 'G10'],
  ),
  one(
    'a Job is over while a replaced task stops',
    DECIDE_PHASE,
    'podCount(tally) === 0 && inFlight === 0 && lingering === 0;',
    'podCount(tally) === 0 && inFlight === 0 && lingering >= 0;',
    ['G6'],
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
    'shared/domain/success-policy.ts',
    'has(indexes, index) ? 1 : 0',
    'has(indexes, index) ? 2 : 0',
    ['G2'],
  ),
  one(
    'a deadline is looked at only when an attempt fails',
    DECIDE_PHASE,
    'if (isPastDeadline(job.spec, standing.startTime, now))',
    'if (lastFailed !== null && isPastDeadline(job.spec, standing.startTime, now))',
    ['G8', 'G15'],
  ),
  one(
    'a deadline goes by the start before the Job was suspended',
    PLAN_JOB,
    "startTime: status.phase.kind === 'suspended' ? null : status.startTime,",
    'startTime: status.startTime,',
    ['G6'],
  ),
  one(
    'successes beyond the completions of a smaller Job count',
    PLAN_JOB,
    'completions !== null && isShrunk(spec, draft.size)',
    'completions === -1 && isShrunk(spec, draft.size)',
    ['G3', 'G6', 'G8', 'G15'],
  ),
  one(
    'the time to live begins before the Job is over',
    PLAN_JOB,
    'plusMs(phase.at, ttlSecAfterFinished * 1000)',
    'plusMs(phase.since, ttlSecAfterFinished * 1000)',
    ['G7'],
  ),
  one('what has outlived its time to live stays', RECONCILE, 'if (plan.outlived) await deleteJob(uid, deps);', '', [
    'G8',
  ]),

  // what no fact will tell of
  one(
    'nobody wakes a Job at its deadline',
    PLAN_JOB,
    'manages ? deadlineOf(job.spec, startTime) : null,',
    'manages && startTime === null ? deadlineOf(job.spec, startTime) : null,',
    ['G8', 'G15'],
  ),
  one('nobody wakes a Job whose Pod waits for its next task', LAUNCHES, 'waiting.nextAt].reduce(', '].reduce(', [
    'G8',
    'G15',
  ]),
];
