import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { describe, expect, test } from 'vitest';
import { type Standing, decidePhase } from '../../../shared/domain/planner/decide-phase.ts';
import { parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { SuccessRule } from '../../../shared/domain/manifests/success-rules.ts';
import { type Phase, type Verdict, tally, tallyWithin } from '../../../shared/domain/scoreboard/status.ts';
import { aBoard, at } from '../../support/a-board.ts';

// The phase after a pass, from the phase before it and the board: S succeeded, r running, l launched, c claimed,
// C and R asked to stop, . pending, 3 pending after three failures, w waiting. backoffLimit is 6 unless the row says otherwise.

const complete: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: 'done', decidedBy: null };
const met = { kind: 'complete', reason: 'SuccessPolicy', message: 'enough', decidedBy: 0 } as const;
const failed: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'too often', decidedBy: null };

const PHASES = {
  running: { kind: 'running' },
  suspended: { kind: 'suspended', since: at(1) },
  held: { kind: 'suspended', since: at(1), held: true },
  'draining, complete': { kind: 'draining', verdict: complete, since: at(1) },
  'draining, failed': { kind: 'draining', verdict: failed, since: at(1) },
  'finished, complete': { kind: 'finished', verdict: complete, since: at(1), at: at(2) },
  'finished, failed': { kind: 'finished', verdict: failed, since: at(1), at: at(2) },
  regrouping: { kind: 'regrouping', since: at(1), message: '2 of 3 ran' },
  purging: { kind: 'purging', since: at(1) },
  deleted: { kind: 'deleted', since: at(1), at: at(2) },
} satisfies Record<string, Phase>;
type Before = keyof typeof PHASES;

type Wish = Partial<JobSpec> & {
  readonly rejected?: string;
  readonly failJob?: string;
  readonly replacedTasks?: number;
  readonly startsAt?: EpochMs | null;
  readonly isHeld?: boolean;
  readonly neverMet?: string;
  readonly isStuck?: string;
  /** Its success policy was met at 3 s. */
  readonly isMet?: boolean;
  readonly lateGang?: Standing['lateGang'];
};

const decide = (before: Before, strip: string, wish: Wish): Phase => {
  const { rejected = '', failJob = '', replacedTasks = 0, startsAt = null, ...more } = wish;
  const { isHeld = false, neverMet = null, isStuck = null, isMet = false, lateGang = null, ...spec } = more;
  const { job, status, stored } = aBoard(strip, spec);
  const { completionMode, completions } = job.spec;
  const standing: Standing = {
    job,
    tally: tally(status.chunks),
    within:
      completionMode === 'Indexed'
        ? tallyWithin(status.chunks, completions ?? 0, (no) => stored.get(no))
        : tally(status.chunks),
    failed: status.failed,
    restarts: status.restarts,
    inFlight: status.inFlight.length,
    replacedTasks,
    startTime: at(0),
    startsAt,
    isHeld,
    neverMet,
    isStuck,
    lateGang,
    ruleHits: status.ruleHits,
    failJob: failJob === '' ? null : { message: failJob, index: 1 },
    lastSucceeded: null,
    lastFailed: null,
    achieved: isMet ? { verdict: met, since: at(3) } : null,
    rejected: rejected === '' ? null : rejected,
  };
  return decidePhase(PHASES[before], standing, at(9));
};

const words = (phase: Phase): string =>
  phase.kind === 'draining' || phase.kind === 'finished'
    ? `${phase.kind} ${phase.verdict.reason}`
    : phase.kind === 'suspended' && phase.held === true
      ? 'held'
      : phase.kind;

type Row = readonly [before: Before, strip: string, wish: Wish, expected: string, because: string];

const suspend = { suspend: true };
const recreates = { whenAchieved: 'ContinueWithRecreations' } as const;
const queue = { completionMode: 'NonIndexed', completions: null } as const;
const perIndex = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 0 };
const onFailure = { restartPolicy: 'OnFailure' } as const;
const first: SuccessRule = { indexes: parseStatusIndexes('0', 1), count: null };

const late = (mayRestart: boolean) => ({ message: '2 of 3 indexes ran within 600 s', mayRestart });

const ANY = { successPolicy: [{ indexes: null, count: 1 }] };

const ROWS: Record<string, readonly Row[]> = {
  completion: [
    ['running', 'S S .', {}, 'running', 'one is missing'],
    ['running', 'S S S', {}, 'finished CompletionsReached', 'every index has succeeded'],
    ['running', 'S S w', {}, 'running', 'one that waits is missing, too'],
    ['running', 'S S .', { completions: 2 }, 'finished CompletionsReached', 'a smaller Job is done sooner'],
    [
      'running',
      'S S r',
      { completions: 2 },
      'draining CompletionsReached',
      'what still runs is too much, and is stopped first',
    ],
    ['running', 'S S c', { completions: 2 }, 'draining CompletionsReached', 'so is what may still start'],
    ['running', '', { completions: 0 }, 'finished CompletionsReached', 'no completions are reached at once'],
    ['running', '. .', { parallelism: 0 }, 'running', 'parallelism 0 waits, it is not done'],
  ],
  'a work queue': [
    ['running', '. .', queue, 'running', 'none has succeeded'],
    ['running', '1 2', queue, 'running', 'nor has one here'],
    ['running', 'S r', queue, 'running', 'one has succeeded, another is left'],
    ['running', 'S .', queue, 'finished CompletionsReached', 'one has succeeded and none is left'],
  ],
  failure: [
    ['running', '6 . .', {}, 'running', 'as many failures as backoffLimit are allowed'],
    ['running', '7 . .', {}, 'finished BackoffLimitExceeded', 'one more is not'],
    ['running', '3 2 2', {}, 'finished BackoffLimitExceeded', 'failures of all indexes add up'],
    ['running', '. . .', { backoffLimit: 0 }, 'running', 'backoffLimit 0, no failure'],
    ['running', '1 . .', { backoffLimit: 0 }, 'finished BackoffLimitExceeded', 'backoffLimit 0, the first failure'],
    ['running', '7 r .', {}, 'draining BackoffLimitExceeded', 'a task still runs'],
    ['running', '7 c .', {}, 'draining BackoffLimitExceeded', 'a claim may still start'],
    ['running', 'S S', { backoffLimit: -1 }, 'finished BackoffLimitExceeded', 'failure beats success in one pass'],
    ['suspended', '7 . .', suspend, 'finished BackoffLimitExceeded', 'a suspended Job may fail'],
    ['suspended', '7 r .', suspend, 'draining BackoffLimitExceeded', 'also while its tasks are being stopped'],
  ],
  'a limit for each index': [
    ['running', 'F S .', perIndex, 'running', 'one has failed, another is left'],
    ['running', 'F S r', perIndex, 'running', 'or still runs'],
    ['running', 'F S S', perIndex, 'finished FailedIndexes', 'none is left'],
    ['running', 'F F F', perIndex, 'finished FailedIndexes', 'all have failed'],
    ['running', 'S S S', perIndex, 'finished CompletionsReached', 'none has failed'],
    ['running', 'F . .', { ...perIndex, maxFailedIndexes: 1 }, 'running', 'as many as maxFailedIndexes are allowed'],
    ['running', 'F F .', { ...perIndex, maxFailedIndexes: 1 }, 'finished MaxFailedIndexesExceeded', 'one more is not'],
    ['running', 'F r .', { ...perIndex, maxFailedIndexes: 0 }, 'draining MaxFailedIndexesExceeded', 'a task runs'],
    [
      'running',
      'F F F',
      { ...perIndex, maxFailedIndexes: 1 },
      'finished MaxFailedIndexesExceeded',
      'it is looked at first',
    ],
    [
      'running',
      'F S .',
      { ...perIndex, backoffLimit: 0 },
      'finished BackoffLimitExceeded',
      'the limit of all holds beside it',
    ],
    [
      'running',
      'S S F',
      { ...perIndex, completions: 2 },
      'finished CompletionsReached',
      'what a smaller Job has no more is none of its failures',
    ],
  ],
  'the deadline': [
    ['running', 'r . .', { activeDeadlineSec: 10 }, 'running', 'one second before it'],
    ['running', 'r . .', { activeDeadlineSec: 9 }, 'draining DeadlineExceeded', 'exactly at it'],
    ['running', '. . .', { activeDeadlineSec: 9 }, 'finished DeadlineExceeded', 'nothing is left to stop'],
    ['running', 'r . .', { activeDeadlineSec: 0 }, 'draining DeadlineExceeded', 'no time at all'],
    ['suspended', '. . .', { ...suspend, activeDeadlineSec: 1 }, 'suspended', 'not while it is suspended'],
    ['running', 'S S S', { activeDeadlineSec: 9 }, 'finished DeadlineExceeded', 'failure beats success in one pass'],
    ['draining, complete', 'r . .', { activeDeadlineSec: 1 }, 'draining CompletionsReached', 'it comes too late'],
  ],
  'restarts of the Pods that there are (OnFailure)': [
    [
      'running',
      'b . .',
      { ...onFailure, backoffLimit: 0 },
      'draining BackoffLimitExceeded',
      'limit 0: the first restart',
    ],
    ['running', 'r . .', { ...onFailure, backoffLimit: 0 }, 'running', 'limit 0: no restart'],
    ['running', 'b', { ...onFailure, backoffLimit: 0, barePod: true }, 'running', 'of a bare Pod, none counts'],
    [
      'running',
      'b . .',
      { ...onFailure, backoffLimit: 1 },
      'draining BackoffLimitExceeded',
      'as many as the limit are too many',
    ],
    ['running', 'b . .', { ...onFailure, backoffLimit: 2 }, 'running', 'fewer are not'],
    [
      'running',
      'b b .',
      { ...onFailure, backoffLimit: 2 },
      'draining BackoffLimitExceeded',
      'those of all Pods add up',
    ],
    ['running', '2 . .', { ...onFailure, backoffLimit: 2 }, 'running', 'failures are counted apart'],
    ['running', 'b 2 .', { ...onFailure, backoffLimit: 2 }, 'running', 'and not added to them'],
    ['running', 'b . .', { backoffLimit: 1 }, 'running', 'with restartPolicy Never there are none'],
  ],
  'a rule of podFailurePolicy that fails the Job': [
    ['running', 'S . .', { failJob: 'no' }, 'finished PodFailurePolicy', 'at once'],
    ['running', 'S r .', { failJob: 'no' }, 'draining PodFailurePolicy', 'a task still runs'],
    ['running', '7 . .', { failJob: 'no' }, 'finished PodFailurePolicy', 'before backoffLimit'],
    ['running', 'S . .', { failJob: 'no', activeDeadlineSec: 1 }, 'finished PodFailurePolicy', 'before the deadline'],
    ['running', 'S S S', { failJob: 'no' }, 'finished PodFailurePolicy', 'before success'],
    ['draining, complete', '. r .', { failJob: 'no' }, 'draining CompletionsReached', 'the first verdict stays'],
  ],
  'a success policy': [
    ['running', 'S . .', { successPolicy: [first] }, 'finished SuccessPolicy', 'its rule is met'],
    ['running', '. S .', { successPolicy: [first] }, 'running', 'it is not'],
    ['running', 'S r .', { successPolicy: [first] }, 'draining SuccessPolicy', 'a task still runs'],
    ['running', 'S S S', { successPolicy: [first] }, 'finished SuccessPolicy', 'before completions are'],
    ['running', '. S S', { successPolicy: [first] }, 'running', 'one is missing still'],
    ['running', 'S S r', { successPolicy: [{ indexes: null, count: 2 }] }, 'draining SuccessPolicy', 'a count alone'],
    [
      'running',
      'S 7 .',
      { successPolicy: [first] },
      'finished BackoffLimitExceeded',
      'failure beats success in one pass',
    ],
    ['suspended', 'S . .', { ...suspend, successPolicy: [first] }, 'finished SuccessPolicy', 'also while suspended'],
    [
      'draining, failed',
      'S r .',
      { successPolicy: [first] },
      'draining BackoffLimitExceeded',
      'the first verdict stays',
    ],
  ],
  'what was replaced but still stops': [
    ['running', 'S S S', { replacedTasks: 1 }, 'draining CompletionsReached', 'nothing is over while it may run'],
    ['draining, failed', '. . .', { replacedTasks: 1 }, 'draining BackoffLimitExceeded', 'of no kind'],
    ['purging', '. . .', { replacedTasks: 1 }, 'purging', 'nor deleted'],
    ['suspended', '. . .', { replacedTasks: 1 }, 'suspended', 'nor resumed'],
  ],
  'a Job of another controller': [
    ['running', 'S S S', { managed: false }, 'running', 'is left alone'],
    ['running', '7 . .', { managed: false }, 'running', 'whatever its board says'],
    ['running', 'r . .', { managed: false, ...suspend }, 'running', 'or its user wants'],
  ],
  'a launch that will never be accepted': [
    ['running', '. . .', { rejected: 'no' }, 'finished LaunchRefused', 'nothing else runs'],
    ['running', '. r .', { rejected: 'no' }, 'draining LaunchRefused', 'a task still runs'],
    ['running', '7 . .', { rejected: 'no' }, 'finished LaunchRefused', 'it names the cause, the failures do not'],
    ['running', 'S S S', { rejected: 'no' }, 'finished LaunchRefused', 'failure beats success'],
    ['suspended', '. . .', { ...suspend, rejected: 'no' }, 'finished LaunchRefused', 'suspended or not'],
    ['draining, failed', '. r .', { rejected: 'no' }, 'draining BackoffLimitExceeded', 'the first verdict stays'],
  ],
  'suspend and resume': [
    ['running', '. . .', suspend, 'suspended', 'the user asks for it'],
    ['running', 'r c .', suspend, 'suspended', 'at once, whatever runs'],
    ['running', 'S S S', suspend, 'finished CompletionsReached', 'completion is looked at before suspend'],
    ['suspended', 'S S S', suspend, 'finished CompletionsReached', 'also once it is suspended'],
    ['suspended', 'r . .', suspend, 'suspended', 'it stays so'],
    ['suspended', '. . .', suspend, 'suspended', 'also when nothing is active any more'],
    ['suspended', 'r . .', {}, 'suspended', 'no resume while a task is being stopped'],
    ['suspended', 'c . .', {}, 'suspended', 'nor while a claim is unanswered'],
    ['suspended', '. . .', {}, 'running', 'resumed when nothing is active'],
    ['suspended', 'S S S', {}, 'finished CompletionsReached', 'a resume with nothing left to do'],
  ],
  'draining ends when nothing is active': [
    ['draining, failed', 'r . .', {}, 'draining BackoffLimitExceeded', 'a task still runs'],
    ['draining, failed', 'l . .', {}, 'draining BackoffLimitExceeded', 'one is starting'],
    ['draining, failed', 'c . .', {}, 'draining BackoffLimitExceeded', 'a claim is unanswered'],
    ['draining, failed', '. . .', {}, 'finished BackoffLimitExceeded', 'all have stopped'],
    ['draining, failed', 'S S S', {}, 'finished BackoffLimitExceeded', 'a success that comes too late turns nothing'],
    ['draining, failed', '. . .', suspend, 'finished BackoffLimitExceeded', 'suspend comes too late, too'],
    ['draining, complete', '7 . .', {}, 'finished CompletionsReached', 'success never turns to failure'],
    ['draining, complete', '. r .', {}, 'draining CompletionsReached', 'a task still runs'],
  ],
  'what is over stays so': [
    ['finished, complete', '7 . .', {}, 'finished CompletionsReached', 'whatever the board says'],
    ['finished, failed', 'S S S', {}, 'finished BackoffLimitExceeded', 'whatever the board says'],
    ['finished, failed', '. . .', suspend, 'finished BackoffLimitExceeded', 'there is nothing to suspend'],
    ['deleted', '. . .', {}, 'deleted', 'there is no way back'],
  ],
  'a kill time': [
    ['running', 'r . .', { killAt: at(9) }, 'draining Killed', 'it has come'],
    ['running', 'r . .', { killAt: at(10) }, 'running', 'not yet'],
    ['running', '. . .', { killAt: at(3) }, 'finished Killed', 'long ago'],
    ['suspended', '. . .', { killAt: at(9), ...suspend }, 'finished Killed', 'also while it is suspended'],
    ['suspended', '. . .', { killAt: at(9), startsAt: at(20) }, 'finished Killed', 'or has not started'],
    ['running', 'S S S', { killAt: at(9) }, 'finished CompletionsReached', 'it has succeeded in the same pass'],
    ['running', '7 . .', { killAt: at(9) }, 'finished BackoffLimitExceeded', 'it has failed in the same pass'],
    ['running', '7 . .', { killAt: at(99), ...perIndex }, 'running', 'ahead, it keeps no index from its next try'],
    ['draining, complete', 'r . .', { killAt: at(9) }, 'draining CompletionsReached', 'it is decided'],
    ['purging', 'r . .', { killAt: at(9) }, 'purging', 'it is being deleted'],
    ['running', 'r . .', { killAt: at(9), managed: false }, 'running', 'another controller runs it'],
  ],
  'a start time': [
    ['running', '. . .', { startsAt: at(20) }, 'suspended', 'it has not come'],
    ['suspended', '. . .', { startsAt: at(20) }, 'suspended', 'still not'],
    ['suspended', '. . .', {}, 'running', 'it has'],
    ['suspended', '. . .', suspend, 'suspended', 'it has, but the user has suspended it'],
    ['suspended', '. . .', { startsAt: at(20), activeDeadlineSec: 0 }, 'suspended', 'no deadline runs'],
  ],
  'other Jobs': [
    ['running', '. . .', { isHeld: true }, 'held', 'it waits for one'],
    ['held', '. . .', { isHeld: true }, 'held', 'still'],
    ['held', '. . .', {}, 'running', 'not any more'],
    ['held', '. . .', { isHeld: true, ...suspend }, 'suspended', 'its user has suspended it as well'],
    ['suspended', '. . .', { isHeld: true }, 'held', 'its user has resumed it'],
    ['held', '. . .', { isHeld: true, startsAt: at(20) }, 'suspended', 'its time has not come, either'],
    ['held', '. . .', { isHeld: true, activeDeadlineSec: 0 }, 'held', 'no deadline runs'],
    ['held', '. . .', { isHeld: true, neverMet: 'no' }, 'finished DependencyFailed', 'what it waits for never comes'],
    ['suspended', '. . .', { neverMet: 'no', ...suspend }, 'finished DependencyFailed', 'also while it is suspended'],
    ['held', '. . .', { isHeld: true, killAt: at(9) }, 'finished Killed', 'its kill time comes all the same'],
    ['running', 'S S .', { isStuck: 'no' }, 'finished DependencyFailed', 'its last index never starts'],
    [
      'running',
      'S S .',
      { isStuck: 'no', isMet: true, ...recreates },
      'finished SuccessPolicy',
      'it is a success already',
    ],
    ['running', 'S S .', { isMet: true, ...recreates }, 'running', 'as one, it goes on'],
    ['running', 'S S S', { isStuck: 'no' }, 'finished CompletionsReached', 'all have succeeded'],
    ['running', 'S . .', { isStuck: 'no', ...ANY }, 'finished SuccessPolicy', 'those that have are enough'],
    ['draining, complete', '. . .', { isStuck: 'no', neverMet: 'no' }, 'finished CompletionsReached', 'it is decided'],
    ['held', '. . .', { isHeld: true, completions: 0 }, 'held', 'even with nothing to do'],
    ['running', '. . .', { isHeld: true, managed: false }, 'running', 'another controller runs it'],
  ],
  'a gang': [
    ['running', 'r r c', { lateGang: late(true) }, 'regrouping', 'one did not run in time'],
    ['running', 'r r c', { lateGang: late(false) }, 'draining GangTimeout', 'once too often'],
    ['running', '. . .', { lateGang: late(false) }, 'finished GangTimeout', 'and nothing is left'],
    ['running', 'r r c', { lateGang: late(true), killAt: at(3) }, 'draining Killed', 'an end comes first'],
    ['running', '7 r c', { lateGang: late(true) }, 'draining BackoffLimitExceeded', 'whichever it is'],
    ['regrouping', 'r . .', {}, 'regrouping', 'until nothing runs'],
    ['regrouping', 'c . .', {}, 'regrouping', 'and no claim is unanswered'],
    ['regrouping', '. . .', {}, 'running', 'then all start again'],
    ['regrouping', '. . .', suspend, 'suspended', 'unless the user suspends it'],
    ['regrouping', 'r . .', { activeDeadlineSec: 1 }, 'draining DeadlineExceeded', 'its deadline goes on'],
    ['regrouping', 'S S S', {}, 'finished CompletionsReached', 'all have succeeded meanwhile'],
  ],
  'success looked at first': [
    [
      'running',
      'S F .',
      { ...perIndex, maxFailedIndexes: 0, ...ANY, successFirst: true },
      'finished SuccessPolicy',
      'one is enough',
    ],
    [
      'running',
      'S F .',
      { ...perIndex, maxFailedIndexes: 0, ...ANY },
      'finished MaxFailedIndexesExceeded',
      'failure comes first otherwise',
    ],
    [
      'running',
      'S F F',
      { ...perIndex, ...ANY, successFirst: true },
      'finished SuccessPolicy',
      'the others have failed',
    ],
    ['running', 'F F .', { ...perIndex, ...ANY, successFirst: true }, 'running', 'one is left'],
    ['running', 'F F F', { ...perIndex, ...ANY, successFirst: true }, 'finished FailedIndexes', 'all have failed'],
    [
      'running',
      'S S S',
      { ...perIndex, successFirst: true, failJob: 'no' },
      'finished CompletionsReached',
      'whatever a policy says',
    ],
  ],
  delete: [
    ['purging', 'r . .', {}, 'purging', 'a task still runs'],
    ['purging', 'c . .', {}, 'purging', 'a claim is unanswered'],
    ['purging', '. . .', {}, 'deleted', 'all have stopped'],
    ['purging', 'S S S', {}, 'deleted', 'no verdict any more'],
    ['purging', '7 . .', { rejected: 'no' }, 'deleted', 'of no kind'],
  ],
};

const all = Object.entries(ROWS).flatMap(([topic, rows]) => rows.map((row) => [topic, ...row] as const));
test.each(all)('%s: %s, %s %o → %s: %s', (_, before, strip, wish, expected) => {
  expect(words(decide(before, strip, wish))).toBe(expected);
});

test('every reason of a verdict has a row', () => {
  const reasons: Record<Verdict['reason'], true> = {
    CompletionsReached: true,
    BackoffLimitExceeded: true,
    DeadlineExceeded: true,
    PodFailurePolicy: true,
    MaxFailedIndexesExceeded: true,
    FailedIndexes: true,
    SuccessPolicy: true,
    LaunchRefused: true,
    Killed: true,
    DependencyFailed: true,
    GangTimeout: true,
  };
  const told = Object.values(ROWS).flatMap((rows) =>
    rows.flatMap(([before, , , after]) => (after.startsWith(before.slice(0, 8)) ? [] : after.split(' ').slice(1))),
  );
  expect([...new Set(told)].sort()).toEqual(Object.keys(reasons).sort());
});

describe('when a phase began', () => {
  const over = { since: at(9), at: at(9) };
  test.each<readonly [Before, string, Wish, object, string]>([
    ['running', 'S S S', {}, over, 'decided and over in one pass'],
    ['running', '7 r .', {}, { since: at(9) }, 'decided now'],
    ['running', '. . .', suspend, { since: at(9) }, 'suspended now'],
    ['suspended', '. . .', suspend, { since: at(1) }, 'suspended before'],
    ['draining, failed', '. . .', {}, { since: at(1), at: at(9), verdict: failed }, 'decided before, over now'],
    ['finished, failed', '. . .', {}, { since: at(1), at: at(2) }, 'over before'],
    ['purging', '. . .', {}, { since: at(1), at: at(9) }, 'asked for before, done now'],
    ['deleted', '. . .', {}, { since: at(1), at: at(2) }, 'done before'],
  ])('%s, %s %o: %o', (before, strip, wish, expected) => {
    expect(decide(before, strip, wish)).toMatchObject(expected);
  });
});

test('the verdict on a refused launch names what refused it', () => {
  expect(decide('running', '. .', { rejected: 'AccessDenied' })).toMatchObject({
    verdict: { message: 'AccessDenied' },
  });
});
