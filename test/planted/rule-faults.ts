import { type PlantedFault, one } from './planted-fault.ts';

const BACKOFF = 'shared/domain/scoreboard/backoff.ts';
const DECIDE_PHASE = 'shared/domain/planner/decide-phase.ts';
const LAUNCHES = 'shared/domain/planner/launches.ts';
const LEDGER = 'shared/domain/planner/ledger.ts';
const PLAN_COMMIT = 'shared/domain/planner/plan-commit.ts';
const START_TIMEOUT = 'shared/domain/scoreboard/start-timeout.ts';
const SUCCESS_POLICY = 'shared/domain/planner/success-policy.ts';
const SUCCESS_RULES = 'shared/domain/manifests/success-rules.ts';
const WORKING_BOARD = 'shared/domain/scoreboard/working-board.ts';

/** Mistakes in the rules for which batch/v1 has no field. */
export const RULE_FAULTS: readonly PlantedFault[] = [
  one(
    'a rule is broken: the constant delay is not looked at',
    LEDGER,
    'ignored + 1, at)\n      : retryDelayEndsAt(retryDelaySec, at);',
    'ignored + 1, at)\n      : indexBackoffEndsAt(failures + ignored + 1, at);',
    ['G20'],
    'retryDelay',
  ),
  one(
    'a rule is broken: a long constant delay is taken for a wrong clock’s',
    BACKOFF,
    'const longestMs = Math.max(doubledMs(nth), retryDelaySec * 1000);',
    'const longestMs = doubledMs(nth);',
    ['G10'],
    'retryDelay',
  ),
  one(
    'a rule is broken: the kill time is not looked at',
    DECIDE_PHASE,
    'return ended ?? decideStuck(standing) ?? decideKill(standing.job.spec, now);',
    'return ended ?? decideStuck(standing);',
    ['G20'],
    'killAt',
  ),
  one('a rule is broken: no alarm is set for the kill time', PLAN_COMMIT, '? [spec.killAt, ', '? [null, ', ['G8']),
  one(
    'a rule is broken: a kill time ahead keeps indexes from their retries',
    LAUNCHES,
    'const { ready, inBackoff } = board.pending(places, room, limit, clock, gate.isOpen);\n  const created',
    `const pending = board.pending(places, room, limit, clock, gate.isOpen);
  const { inBackoff } = pending;
  const ready = pending.ready.filter((index) => spec.killAt === null || board.record(index)?.attempt === 0);
  const created`,
    ['G20'],
    'killAt',
  ),
  one(
    'a rule is broken: nobody looks at the start timeout',
    START_TIMEOUT,
    "if (before === null || !managed || phase.kind !== 'running') return [];",
    'if (before !== -1) return [];',
    ['G20', 'G15'],
    'startTimeout',
  ),
  one(
    'a rule is broken: a Pod that waits between two tasks is never overdue',
    WORKING_BOARD,
    "hasPod(state) && state !== 'running' && restarts === 0",
    "hasPod(state) && state !== 'running' && state !== 'waiting' && restarts === 0",
    ['G20', 'G15'],
    'startTimeout',
  ),
  one(
    'a rule is broken: a Pod that starts after its time and ends with 0 is a success',
    'shared/domain/planner/judge.ts',
    "if (ending.cause === 'Completed' && !startedTooLate(given))",
    "if (ending.cause === 'Completed')",
    ['G2', 'G5', 'G20'],
    'startTimeout',
  ),
  one(
    'a rule is broken: a Pod gets a second less to start',
    START_TIMEOUT,
    'startTimeoutSec === null ? null : Math.floor(now / 1000) - startTimeoutSec;',
    'startTimeoutSec === null ? null : Math.floor(now / 1000) - startTimeoutSec + 2;',
    ['G20'],
    'startTimeout',
  ),
  one(
    'a rule is broken: the start time is not looked at',
    'shared/domain/manifests/job.ts',
    'startAfter !== null && now < startAfter ? startAfter : null',
    'startAfter !== null && now < startAfter ? null : null',
    ['G20'],
    'startAfter',
  ),
  one(
    'a rule is broken: failures are looked at first',
    DECIDE_PHASE,
    'const ended = standing.job.spec.successFirst',
    'const ended = standing.failed < 0 && standing.job.spec.successFirst',
    ['G20'],
    'successFirst',
  ),
  one(
    'success is judged wrongly: a share that is enough is rounded down',
    SUCCESS_RULES,
    'Math.ceil((share * base) / WHOLE)',
    'Math.max(1, Math.floor((share * base) / WHOLE))',
    ['G6', 'G20'],
    'successPercent',
  ),
  one(
    'success is judged wrongly: as many may fail as are one too many',
    DECIDE_PHASE,
    'failed > most(maxFailedShare, base)',
    'failed > most(maxFailedShare, base) + 1',
    ['G8'],
    'maxFailedPercent',
  ),
  one('success is judged wrongly: Pods that are to go on are stopped', DECIDE_PHASE, '    : idle;', '    : true;', [
    'G20',
  ]),
  one(
    'success is judged wrongly: a failure turns what has succeeded',
    DECIDE_PHASE,
    'if (achieved !== null) return isPlayedOut',
    'if (achieved !== null && decideFailure(standing, now) === null) return isPlayedOut',
    ['G6'],
    'whenAchieved',
  ),
  one(
    'success is judged wrongly: a Job that goes on without others makes others',
    SUCCESS_POLICY,
    'achieved !== null && whenAchieved === WHEN_ACHIEVED.continue;',
    'achieved !== null && whenAchieved === WHEN_ACHIEVED.terminate;',
    ['G20'],
    'whenAchieved',
  ),
  one(
    'success is judged wrongly: what fails after success is started again',
    'shared/domain/planner/judge.ts',
    'record.late !== null || isLast;',
    'record.late !== null;',
    ['G20'],
    'whenAchieved',
  ),
  one(
    'success is judged wrongly: that it was met is not stored',
    PLAN_COMMIT,
    'achieved: attempts.achieved,',
    'achieved: null,',
    ['G6', 'G8'],
    'whenAchieved',
  ),
];
