import { describe, expect, test } from 'vitest';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import type { EndingCause, Fact } from '../../../shared/domain/base/fact.ts';
import { type Folded, foldFacts } from '../../../shared/domain/planner/fold-facts.ts';
import { OWN_RULES } from '../../../shared/domain/planner/plan-rules.ts';
import { extendJournal } from '../../../shared/domain/scoreboard/journal.ts';
import type { Phase, Status, Verdict } from '../../../shared/domain/scoreboard/status.ts';
import {
  type Situation,
  aBoard,
  at,
  cancelled,
  ended,
  launched,
  recordOf,
  refused,
  rejected,
  running,
  stripOf,
} from '../../support/a-board.ts';

// The effect of facts on a board: S succeeded, r running, l launched, c claimed, C and R asked to stop, . pending, 1
// pending after one failure, w waiting. A fact is about the index's first attempt and nonce 0 unless it says otherwise.

type Outcome = Folded & { readonly board: Situation };

function fold(situation: Situation, facts: readonly Fact[]): Outcome {
  const { status, stored } = situation;
  const board = new WorkingBoard(status, stored);
  const folded = foldFacts(board, { job: situation.job, status, rules: OWN_RULES, now: status.now }, facts);
  const journal = extendJournal(status.journal, board.transitions);
  return { ...folded, board: { ...situation, status: { ...status, chunks: board.summaries(), journal } } };
}

/** The results other than the board, as text. */
function told({ counted, orphans, inFlight, rejected: no, deferred, ended: over }: Outcome): string {
  const { succeeded, failed, lost, refused: later } = counted;
  const counts = Object.entries({ succeeded, failed, lost, refused: later, deferred: deferred.length });
  return [
    ...counts.filter(([, n]) => n > 0).map(([word, n]) => `${n} ${word}`),
    ...over.map(({ index, attempt }) => `ended ${index}#${attempt}`),
    ...orphans.map((arn) => `orphan ${arn}`),
    ...inFlight.map(({ index, attempt, nonce }) => `unanswered ${index}#${attempt}.${nonce}`),
    ...(no === null ? [] : [`rejected: ${no}`]),
  ].join(', ');
}

type Row = readonly [before: string, facts: readonly Fact[], after: string, told: string, because: string];

/** A fact as text, for the test's name. */
const say = (facts: readonly Fact[]): string =>
  facts
    .map((fact) => {
      const what = fact.kind === 'stopped' ? fact.ending.cause : fact.kind;
      return `${what} ${fact.index}#${fact.attempt}.${fact.nonce}`;
    })
    .join(' + ');

type Table = Readonly<Record<string, readonly Row[]>>;
const rowsOf = (tables: Table) =>
  Object.entries(tables).flatMap(([topic, rows]) =>
    rows.map(([before, facts, after, words, because]) => {
      return [topic, before, say(facts), after, because, facts, words] as const;
    }),
  );

const TABLES: Table = {
  'an attempt moves forward': [
    ['c .', [launched(0)], 'l .', '', 'RunTask has answered'],
    ['c .', [running(0)], 'r .', '', 'RUNNING came before the answer did, and answers the claim'],
    ['l .', [running(0)], 'r .', '', 'it runs'],
    ['r .', [ended(0, 'Completed')], 'S .', '1 succeeded, ended 0#1', 'exit 0'],
    ['r .', [ended(0, 'Error')], '1 .', '1 failed, ended 0#1', 'another exit code'],
    ['c .', [ended(0, 'Completed')], 'S .', '1 succeeded, ended 0#1', 'STOPPED alone tells all'],
    ['l .', [ended(0, 'Completed')], 'S .', '1 succeeded, ended 0#1', 'so it does here'],
    ['R .', [ended(0, 'Completed')], 'S .', '1 succeeded, ended 0#1', 'a success counts, also of one asked to stop'],
    ['c c', [launched(1)], 'c l', 'unanswered 0#1.0', 'each claim waits for its own answer'],
  ],
  'one batch, in any order': [
    [
      'c',
      [ended(0, 'Completed'), running(0), launched(0)],
      'S',
      '1 succeeded, ended 0#1',
      'order in the batch does not matter',
    ],
    ['r', [ended(0, 'Error'), ended(0, 'Error')], '1', '1 failed, ended 0#1', 'told twice, counted once'],
    ['r', [ended(0, 'Error'), ended(0, 'Completed')], '1', '1 failed, ended 0#1', 'an attempt ends once'],
    [
      'r r r',
      [ended(2, 'Error'), ended(0, 'Completed'), ended(1, 'Spot')],
      'S . 1',
      '1 succeeded, 1 failed, 1 lost, ended 0#1, ended 1#1, ended 2#1',
      'each is counted for what it is',
    ],
  ],
  'what the board knows already is worth nothing': [
    ['l', [launched(0)], 'l', '', 'launched twice'],
    ['r', [launched(0)], 'r', '', 'launched after it runs'],
    ['r', [running(0)], 'r', '', 'running twice'],
    ['S', [launched(0)], 'S', '', 'launched after it has succeeded'],
    ['S', [ended(0, 'Error')], 'S', '', 'a succeeded index stays so'],
    ['1', [ended(0, 'Error')], '1', '', 'a failure that was counted'],
    ['r', [ended(0, 'Error', 0, 2)], 'r', '', 'an attempt that is not the current one'],
    ['r', [ended(0, 'Error', 0, 1, 1)], 'r', '', 'a nonce that is not the current one'],
    ['l', [refused(0, 9)], 'l', '', 'refused after it was launched'],
    ['r', [rejected(0)], 'r', '', 'rejected after it was launched'],
  ],
  'a live task that should not be is an orphan': [
    ['r', [running(0, 1, 1)], 'r', 'orphan task 0#1.1', 'another nonce'],
    ['r', [running(0, 2)], 'r', 'orphan task 0#2.0', 'another attempt'],
    ['2', [running(0, 1)], '2', 'orphan task 0#1.0', 'an attempt before the last one'],
    ['.', [running(0)], '.', 'orphan task 0#1.0', 'an index that was never started'],
    ['r', [running(7)], 'r', 'orphan task 7#1.0', 'an index beyond the board'],
    ['r', [running(1)], 'r', 'orphan task 1#1.0', 'the first index beyond the board'],
    ['S', [running(0, 2)], 'S', 'orphan task 0#2.0', 'a second task of an index that has succeeded'],
    ['S', [running(0)], 'S', '', 'a late RUNNING of the attempt that has succeeded is none'],
    ['1', [running(0)], '1', '', 'nor is one of the attempt that has failed'],
    ['r', [launched(0, 1, 1)], 'r', '', 'only what runs: a launched one tells so itself, when it does'],
    ['r', [ended(0, 'Error', 0, 1, 1)], 'r', '', 'what has stopped needs no stop'],
  ],
  'answers that launch nothing': [
    ['c', [refused(0, 20)], 'c', '1 refused, unanswered 0#1.1', 'refused for now: the same attempt, a new nonce'],
    ['c', [refused(0, 20), refused(0, 30)], 'c', '1 refused, unanswered 0#1.1', 'refused twice by the same RunTask'],
    ['c r', [rejected(0)], '. r', 'rejected: AccessDenied', 'refused for good: nothing is active under it'],
    ['c r', [cancelled(0)], '. r', '', 'withdrawn before it was launched'],
    ['C r', [cancelled(0)], '. r', '', 'as it was asked to be'],
    [
      'l',
      [cancelled(0)],
      '.',
      '1 lost, ended 0#1',
      'the task of a launch was looked for and found nowhere, and that fact was lost',
    ],
    ['r', [cancelled(0)], '.', '1 lost, ended 0#1', 'though its RUNNING came, late'],
    ['R', [cancelled(0)], '.', 'ended 0#1', 'or though it was to be stopped anyway'],
    ['r', [cancelled(0), ended(0, 'Completed')], 'S', '1 succeeded, ended 0#1', 'unless its end is reported after all'],
    [
      'c r',
      [cancelled(0), running(0)],
      '. r',
      'orphan task 0#1.0',
      'should its task run all the same, it is an orphan',
    ],
  ],
};

test.each(rowsOf(TABLES))('%s: %s, %s → %s: %s', (_, before, __, after, ___, facts, words) => {
  const outcome = fold(aBoard(before), facts);
  expect(stripOf(outcome.board)).toBe(after);
  expect(told(outcome)).toBe(words);
});

test.each<readonly [Phase, string, string]>([
  [{ kind: 'running' }, 'c', 'unanswered 0#1.1'],
  [{ kind: 'terminating', since: at(0), ended: null }, '.', ''],
])('a cancelled launch of a bare Pod that is %j', (phase, after, words) => {
  const { job, status, ...board } = aBoard('c');
  const bare = { ...board, job: { ...job, spec: { ...job.spec, barePod: true } }, status: { ...status, phase } };
  const outcome = fold(bare, [cancelled(0)]);
  expect([stripOf(outcome.board), told(outcome)]).toEqual([after, words]);
});

const complete: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null };
const failed: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null };
const since = at(0);
const WANTS: Record<string, readonly [strip: string, phase: Phase]> = {
  running: ['r', { kind: 'running' }],
  'asked to stop': ['R', { kind: 'running' }],
  suspended: ['r', { kind: 'suspended', since }],
  'draining, complete': ['r', { kind: 'draining', verdict: complete, since }],
  'draining, failed': ['r', { kind: 'draining', verdict: failed, since }],
  purging: ['r', { kind: 'purging', since }],
};

describe('what an end counts as', () => {
  const s = 'succeeded';
  const f = 'failed';
  const rows: readonly (readonly [EndingCause, ...string[]])[] = [
    // cause        running  asked to stop  suspended  draining, complete  draining, failed  deleting
    ['Completed', s, s, s, s, s, s],
    ['Error', f, f, f, f, f, f],
    ['OOMKilled', f, f, f, f, f, f],
    ['Stopped', f, '-', '-', '-', f, '-'],
    ['Spot', 'spot', '-', '-', '-', f, '-'],
    ['Infrastructure', 'infra', '-', '-', '-', f, '-'],
    ['Unplaced', 'waits', '-', '-', '-', f, '-'],
    ['StartFailed', 'waits', '-', '-', '-', f, '-'],
  ];
  const cells = rows.flatMap(([cause, ...expected]) =>
    Object.entries(WANTS).map(([name, [strip, phase]], i) => [cause, name, expected[i]!, strip, phase] as const),
  );
  test.each(cells)('%s while %s: %s', (cause, _, expected, strip, phase) => {
    const outcome = fold(aBoard(strip, { phase }), [ended(0, cause)]);
    const { state, failures, infra, spot } = recordOf(outcome.board, 0);
    expect({ state, failures, infra, spot }).toEqual({
      state: expected === s ? 'succeeded' : expected === 'waits' ? 'waiting' : 'pending',
      failures: Number(expected === f),
      infra: Number(expected === 'infra'),
      spot: Number(expected === 'spot'),
    });
    expect(outcome.counted).toMatchObject({
      facts: 1,
      succeeded: Number(expected === s),
      failed: Number(expected === f),
      lost: Number(expected === 'infra' || expected === 'spot'),
      refused: 0,
    });
    expect(outcome.failed).toBe(Number(expected === f));
  });
});

describe('repeated losses to infrastructure wait longer and longer', () => {
  test.each([
    [0, null],
    [1, 15],
    [2, 25],
    [9, 605],
  ])('after %i losses it may start at %s s', (losses, dueSec) => {
    const board = aBoard('r');
    const before = recordOf(board, 0);
    const twice = { ...board, stored: new Map(board.stored) };
    const chunk = twice.stored.get(0)!;
    chunk.extras.set(0, { ...before, spot: Math.floor(losses / 2), infra: Math.ceil(losses / 2) });
    const { notBefore } = recordOf(fold(twice, [ended(0, 'Spot', 5)]).board, 0);
    expect(notBefore).toBe(dueSec === null ? null : at(dueSec));
  });
});

describe('why launches wait', () => {
  const capacity = 'Capacity is unavailable at this time';
  test.each<readonly [string, Partial<Status>, readonly Fact[], string | null, string]>([
    ['c', {}, [refused(0, 9)], capacity, 'a refusal says why'],
    ['c', { waitReason: 'before' }, [], 'before', 'it holds until it is known to be over'],
    ['c', { waitReason: 'before' }, [launched(0)], null, 'a launch ends it'],
    ['c', { waitReason: 'before' }, [refused(0, 9)], capacity, 'the newest reason is shown'],
    ['c c', { waitReason: 'before' }, [launched(0), refused(1, 9)], capacity, 'one launched, another refused'],
  ])('%s %o, %o → %s: %s', (strip, status, facts, expected) => {
    expect(fold(aBoard(strip, { status }), facts).waitReason).toBe(expected);
  });
});

test('a refused launch is sent again at the time in its answer', () => {
  expect(fold(aBoard('c'), [refused(0, 20)]).inFlight).toEqual([{ index: 0, attempt: 1, nonce: 1, dueAt: at(20) }]);
});

test('a canceled claim leaves a nonce that no task has', () => {
  expect(recordOf(fold(aBoard('c'), [cancelled(0)]).board, 0)).toMatchObject({
    state: 'pending',
    attempt: 1,
    nonce: 1,
  });
});

test('so does an unseen end, because the task may still appear', () => {
  const seen = ended(0, 'Infrastructure');
  const unseen: Fact = {
    ...seen,
    kind: 'stopped',
    taskArn: null,
    ending: { cause: 'Infrastructure', exitCode: null, container: null, reason: '' },
    times: { createdAt: null, startedAt: null, stoppedAt: null },
  };
  expect(recordOf(fold(aBoard('r'), [seen]).board, 0).nonce).toBe(0);
  const { board } = fold(aBoard('r'), [unseen]);
  expect(recordOf(board, 0)).toMatchObject({ state: 'pending', nonce: 1, infra: 1 });
  expect(told(fold(board, [running(0)]))).toBe('orphan task 0#1.0');
});

test('facts about chunks that are not loaded are deferred, and the others count', () => {
  const { job, status, stored } = aBoard('r', { before: 4096 });
  const facts = [ended(4096, 'Completed'), running(3), running(5000)];
  const part = new WorkingBoard(status, new Map([[0, stored.get(0)!]]));
  expect(foldFacts(part, { job, status, rules: OWN_RULES, now: status.now }, facts)).toMatchObject({
    deferred: [facts[0]],
    orphans: ['task 5000#1.0'],
  });
  expect(told(fold({ job, status, stored }, facts))).toBe('1 succeeded, ended 4096#1, orphan task 5000#1.0');
});

test('the given board does not change', () => {
  const board = aBoard('r r');
  fold(board, [ended(0, 'Completed'), ended(1, 'Error')]);
  expect(stripOf(board)).toBe('r r');
});
