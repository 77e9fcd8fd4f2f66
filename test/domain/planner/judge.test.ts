import { describe, expect, test } from 'vitest';
import { FRESH, type IndexRecord } from '../../../shared/domain/scoreboard/index-record.ts';
import type { Ending, EndingCause } from '../../../shared/domain/base/fact.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { type Judged, judge, podOf } from '../../../shared/domain/planner/judge.ts';
import type { PodFailureRule } from '../../../shared/domain/manifests/manifest.ts';
import type { Phase, Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { whyText } from '../../../shared/domain/scoreboard/why.ts';
import { aBoard, at } from '../../support/a-board.ts';

// What the end of an attempt counts as. Columns are causes. A dash: it is released and does not count.

const CAUSES = [
  'Completed',
  'Error',
  'OOMKilled',
  'Stopped',
  'Spot',
  'Infrastructure',
  'Unplaced',
  'StartFailed',
] as const;

const complete: Verdict = { kind: 'complete', reason: 'SuccessPolicy', message: '', decidedBy: null };
const failed: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'too often', decidedBy: 7 };
const since = at(0);
const PHASES = {
  running: { kind: 'running' },
  suspended: { kind: 'suspended', since },
  succeeding: { kind: 'draining', verdict: complete, since },
  failing: { kind: 'draining', verdict: failed, since },
  purging: { kind: 'purging', since },
} satisfies Record<string, Phase>;

type Given = Partial<JobSpec> & {
  readonly in?: keyof typeof PHASES;
  readonly record?: Partial<IndexRecord>;
  readonly ending?: Partial<Ending>;
  readonly outOfRange?: boolean;
  readonly isLast?: boolean;
  readonly sec?: number;
  readonly startedSec?: number;
};

const EXIT_CODES: Partial<Record<EndingCause, number>> = { Completed: 0, Error: 1, OOMKilled: 137 };

function judged(cause: EndingCause, given: Given): Judged {
  const { in: phase = 'running', record, ending: also, sec = 0, startedSec, ...rest } = given;
  const { outOfRange = false, isLast = false, ...spec } = rest;
  const exitCode = EXIT_CODES[cause] ?? null;
  const ending: Ending = { cause, exitCode, container: exitCode === null ? null : 'main', reason: cause, ...also };
  return judge({
    spec: aBoard('r', spec).job.spec,
    phase: PHASES[phase],
    record: { ...FRESH, state: 'running', attempt: 1, ...record },
    ending,
    pod: podOf(ending, record),
    at: at(sec),
    startedAt: startedSec === undefined ? null : at(startedSec),
    outOfRange,
    isLast,
  });
}

const WORDS: Partial<Record<Judged['as'], string>> = { failedForGood: 'forGood', released: '-', lostToSpot: 'spot' };
const word = ({ as }: Judged): string => WORDS[as] ?? as;

type Eight = readonly [string, string, string, string, string, string, string, string];
type Row = readonly [given: Given, ...outcomes: Eight, because: string];

const [ok, no, rs, un] = ['succeeded', 'failed', 'restarted', 'unstarted'];
const fg = 'forGood';
const onFailure = { restartPolicy: 'OnFailure' } as const;
const letter = { disruptions: { kind: 'count' } } as const;
const once = { disruptions: { kind: 'budget', losses: 1, spotInterruptions: 3 } } as const;
const perIndex = { backoffLimitPerIndex: 1 };
const spent = { ...perIndex, record: { failures: 1 } };
const lostOnce = { record: { infra: 1 } };
const deletedPod = { record: { podDeleted: true } };
const overdue = { startTimeoutSec: 30, record: { podDeleted: true, overdue: true, podCreatedSec: at(0) / 1000 } };
const tooLate = { ...overdue, startedSec: 31 };
const late = { podDeadlineSec: 30, record: { late: 'attempt' } } as const;
const stopping = { record: { stopping: true } };

describe.each<Row>([
  //          given                           Completed Error OOM  Stopped Spot  Infra  Unplaced StartFailed
  [{}, ok, no, no, no, 'spot', 'lost', un, un, 'restartPolicy Never'],
  [onFailure, ok, rs, rs, no, 'spot', 'lost', un, un, 'OnFailure: the same Pod goes on'],
  [letter, ok, no, no, no, no, no, un, un, 'by the letter, what infrastructure takes counts'],
  [{ ...letter, ...onFailure }, ok, rs, rs, no, no, no, un, un, 'with OnFailure, too'],
  [{ ...once }, ok, no, no, no, 'spot', 'lost', un, un, 'one loss is free'],
  [{ ...once, ...lostOnce }, ok, no, no, no, no, no, un, un, 'the second is not'],
  [perIndex, ok, no, no, no, 'spot', 'lost', un, un, 'a limit of its own: the first failure'],
  [spent, ok, fg, fg, fg, 'spot', 'lost', un, un, 'and one more than the limit'],
  [{ ...spent, ...letter }, ok, fg, fg, fg, fg, fg, un, un, 'of whatever kind'],
  [{ ...spent, ...onFailure }, ok, rs, rs, fg, 'spot', 'lost', un, un, 'restarts in place spend none of it'],
  [deletedPod, ok, no, no, no, 'spot', 'lost', no, no, 'its Pod was deleted: its end counts'],
  [{ ...deletedPod, ...onFailure }, ok, no, no, no, 'spot', 'lost', no, no, 'and it is not restarted'],
  [overdue, ok, no, no, no, no, no, no, no, 'its Pod has not started in time: its end counts, lost or not'],
  [{ ...overdue, startedSec: 30.9 }, ok, no, no, no, no, no, no, no, 'it ran in time, and that came late'],
  [tooLate, no, no, no, no, no, no, no, no, 'it ran when its Pod was gone'],
  [
    { in: 'suspended', ...tooLate },
    '-',
    no,
    no,
    '-',
    '-',
    '-',
    '-',
    '-',
    'it ran when its Pod was gone, in a Job that is suspended by then',
  ],
  [{ in: 'suspended', ...overdue }, ok, no, no, '-', '-', '-', '-', '-', 'not that of a Job that is suspended by then'],
  [late, ok, no, no, no, no, no, no, no, 'its Pod ran too long: its end counts, lost or not'],
  [{ ...late, ...onFailure }, ok, no, no, no, no, no, no, no, 'and it is not restarted'],
  [
    { in: 'suspended', ...late, ...onFailure },
    ok,
    no,
    no,
    '-',
    '-',
    '-',
    '-',
    '-',
    'nor in a Job that is suspended by then',
  ],
  [stopping, ok, no, no, '-', '-', '-', '-', '-', 'parallelism was lowered: only what ends by itself counts'],
  [{ ...stopping, ...onFailure }, ok, '-', '-', '-', '-', '-', '-', '-', 'and what would be restarted is not'],
  [{ in: 'suspended' }, ok, no, no, '-', '-', '-', '-', '-', 'suspended: the same'],
  [{ in: 'suspended', ...onFailure }, ok, '-', '-', '-', '-', '-', '-', '-', 'and the same'],
  [{ in: 'suspended', ...spent }, ok, fg, fg, '-', '-', '-', '-', '-', 'with its limit'],
  [{ in: 'succeeding' }, ok, no, no, '-', '-', '-', '-', '-', 'the Job succeeds: what it stops counts for nothing'],
  [{ in: 'purging' }, ok, no, no, '-', '-', '-', '-', '-', 'it is deleted: the same'],
  [{ in: 'failing' }, ok, no, no, no, no, no, no, no, 'it fails: all that still ran counts as failed'],
  [{ in: 'failing', ...onFailure }, ok, no, no, no, no, no, no, no, 'nothing is restarted then'],
  [{ in: 'failing', ...stopping }, ok, no, no, no, no, no, no, no, 'whatever the board wanted before'],
  [{ outOfRange: true }, ok, '-', '-', '-', '-', '-', '-', '-', 'an index that a smaller Job has no more'],
  [{ outOfRange: true, ...onFailure }, ok, '-', '-', '-', '-', '-', '-', '-', 'is not restarted'],
  [{ outOfRange: true, in: 'failing' }, ok, '-', '-', '-', '-', '-', '-', '-', 'nor counted when the Job fails'],
])('%o', (given, ...rest) => {
  const because = rest[CAUSES.length] ?? '';
  test.each(CAUSES.map((cause, i) => [cause, rest[i]] as const))(`%s → %s (${because})`, (cause, expected) => {
    expect(word(judged(cause, given))).toBe(expected);
  });
});

describe('podFailurePolicy decides after stops by the board, and before the exit code', () => {
  const rules = (action: PodFailureRule['action']): Given => ({
    backoffLimitPerIndex: 3,
    podFailurePolicy: {
      rules: [
        { action, onExitCodes: { operator: 'In', values: [1, 137] } },
        { action, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      ],
    },
  });
  const [ignore, count, failIndex, failJob] = [rules('Ignore'), rules('Count'), rules('FailIndex'), rules('FailJob')];
  type Five = readonly [string, string, string, string, string];
  test.each<readonly [Given, ...Five, string]>([
    //                                  Error OOM   Stopped Spot StartFailed
    [ignore, 'ignored', 'ignored', no, 'ignored', un, 'Ignore: the failure does not count'],
    [count, no, no, no, no, un, 'Count: it does, a disruption too'],
    [{ ...count, record: { failures: 3 } }, fg, fg, fg, fg, un, 'up to the limit of the index'],
    [failIndex, fg, fg, no, fg, un, 'FailIndex: for good, whatever is left of the limit'],
    [failJob, no, no, no, no, un, 'FailJob: it counts, and the Job fails'],
    [{ ...ignore, in: 'suspended' }, 'ignored', 'ignored', '-', '-', '-', 'what was stopped is not looked at'],
    [{ ...failIndex, ...stopping }, fg, fg, '-', '-', '-', 'nor where parallelism was lowered'],
    [
      { ...ignore, in: 'failing' },
      'ignored',
      'ignored',
      no,
      'ignored',
      no,
      'in a failing Job only Ignore changes anything',
    ],
    [{ ...failIndex, in: 'failing' }, no, no, no, no, no, 'for its indexes do not fail by that'],
    [{ ...failIndex, outOfRange: true }, '-', '-', '-', '-', '-', 'nor an index that is gone'],
  ])('%o → %s %s %s %s %s: %s', (given, ...expected) => {
    const causes = ['Error', 'OOMKilled', 'Stopped', 'Spot', 'StartFailed'] as const;
    expect(causes.map((cause) => word(judged(cause, given)))).toEqual(expected.slice(0, causes.length));
  });

  test('a Pod that is being stopped, or never started, has not failed yet: no rule is checked', () => {
    for (const cause of ['Stopped', 'Unplaced', 'StartFailed'] as const) {
      expect(judged(cause, failJob).match).toBeNull();
    }
  });

  test('an evicted Pod is disrupted, however its task ends, and even without a task', () => {
    const evicted = { record: { podDeleted: true, evicted: true } };
    for (const cause of ['Stopped', 'Unplaced', 'StartFailed', 'Infrastructure'] as const) {
      expect(word(judged(cause, { ...ignore, ...evicted }))).toBe('ignored');
      expect(judged(cause, { ...failJob, ...evicted }).match).toMatchObject({ action: 'FailJob' });
    }
    expect(judged('Completed', { ...ignore, ...evicted }).as).toBe('succeeded');
    expect(judged('Stopped', evicted)).toMatchObject({ as: 'failed', why: { kind: 'podEvicted' } });
  });

  test('a Pod that has not started in time has failed for that, by no rule', () => {
    const why = { kind: 'notStartedInTime', sec: 30 };
    for (const cause of ['Stopped', 'Unplaced', 'StartFailed'] as const)
      expect(judged(cause, { ...failJob, ...overdue })).toMatchObject({ as: 'failed', why, match: null });
    expect(judged('Infrastructure', overdue).why).toEqual(why);
    expect(judged('Completed', { ...failJob, ...tooLate })).toMatchObject({ as: 'failed', why, match: null });
    expect(judged('Error', overdue).why).toEqual({ kind: 'exited', exitCode: 1 });
  });

  test('the judgement names the rule that decided', () => {
    expect(whyText(judged('Error', ignore).why)).toBe('podFailurePolicy rule 0 (Ignore): exit code 1');
    expect(whyText(judged('Spot', ignore).why)).toBe('podFailurePolicy rule 1 (Ignore): condition DisruptionTarget');
  });
});

describe('how long a Pod may try to start', () => {
  test.each<readonly [sinceSec: number | null, sec: number, timeoutSec: number, expected: string, because: string]>([
    [null, 0, 60, un, 'its first try'],
    [0, 59, 60, un, 'one second before its time is up'],
    [0, 60, 60, no, 'exactly then'],
    [10, 69, 60, un, 'counted from its first failure'],
    [0, 0, 0, no, 'no time at all, after the first try'],
  ])('since %s, at %i s of %i → %s: %s', (sinceSec, sec, pendingTimeoutSec, expected) => {
    const unstartedSince = sinceSec === null ? null : at(sinceSec);
    expect(word(judged('StartFailed', { pendingTimeoutSec, sec, record: { unstartedSince } }))).toBe(expected);
  });

  test('a shortage passes by itself: it never times out', () => {
    expect(word(judged('Unplaced', { pendingTimeoutSec: 60, sec: 9_999, record: { unstartedSince: at(0) } }))).toBe(un);
  });

  test('with its limit used up, the index has failed permanently', () => {
    const given = { ...perIndex, pendingTimeoutSec: 60, sec: 60, record: { failures: 1, unstartedSince: at(0) } };
    expect(word(judged('StartFailed', given))).toBe(fg);
  });
});

describe('the reason in words', () => {
  test.each<readonly [EndingCause, Given, string]>([
    ['Completed', {}, 'exit code 0'],
    ['Error', {}, 'exit code 1'],
    ['Error', { ending: { exitCode: null } }, 'exit code unknown'],
    ['OOMKilled', {}, 'out of memory'],
    ['Stopped', {}, 'its task was stopped'],
    ['Stopped', deletedPod, 'its Pod was deleted'],
    ['Stopped', { ending: { podDeleted: true } }, 'its Pod was deleted'],
    ['Stopped', stopping, 'parallelism was lowered'],
    ['Stopped', { in: 'suspended' }, 'the Job was suspended'],
    ['Stopped', { in: 'purging' }, 'the Job was deleted'],
    ['Stopped', { in: 'succeeding' }, 'the Job succeeded: SuccessPolicy ()'],
    ['Stopped', { in: 'failing' }, 'the Job failed: BackoffLimitExceeded (too often; decided by index 7)'],
    ['Stopped', { outOfRange: true }, 'completions were lowered'],
    ['Infrastructure', { ...once, ...lostOnce }, 'lost 2 times: Infrastructure'],
  ])('%s %o: %s', (cause, given, because) => {
    expect(whyText(judged(cause, given).why)).toBe(because);
  });
});
