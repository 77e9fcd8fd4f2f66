import { describe, expect, test } from 'vitest';
import { type Standing, decidePhase } from '../../shared/domain/decide-phase.ts';
import type { JobSpec } from '../../shared/domain/job.ts';
import { type Phase, type Verdict, tally } from '../../shared/domain/status.ts';
import { aBoard, at } from '../support/a-board.ts';

// The phase after a pass, from the phase before it and the board: S succeeded, r running, l launched, c claimed,
// C and R asked to stop, . pending, 3 pending after three failures, w waiting. backoffLimit is 6 unless the row says otherwise.

const complete: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: 'done' };
const failed: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: 'too often' };

const PHASES = {
  running: { kind: 'running' },
  suspended: { kind: 'suspended', since: at(1) },
  'draining, complete': { kind: 'draining', verdict: complete, since: at(1) },
  'draining, failed': { kind: 'draining', verdict: failed, since: at(1) },
  'finished, complete': { kind: 'finished', verdict: complete, since: at(1), at: at(2) },
  'finished, failed': { kind: 'finished', verdict: failed, since: at(1), at: at(2) },
  deleting: { kind: 'deleting', since: at(1) },
  deleted: { kind: 'deleted', since: at(1), at: at(2) },
} satisfies Record<string, Phase>;
type Before = keyof typeof PHASES;

type Wish = Partial<JobSpec> & { readonly rejected?: string };

const decide = (before: Before, strip: string, { rejected = '', ...spec }: Wish): Phase => {
  const { job, status } = aBoard(strip, spec);
  const standing: Standing = {
    job,
    tally: tally(status.chunks),
    failed: status.failed,
    inFlight: status.inFlight.length,
    rejected: rejected === '' ? null : rejected,
  };
  return decidePhase(PHASES[before], standing, at(9));
};

const words = (phase: Phase): string =>
  phase.kind === 'draining' || phase.kind === 'finished' ? `${phase.kind} ${phase.verdict.reason}` : phase.kind;

type Row = readonly [before: Before, strip: string, wish: Wish, expected: string, because: string];

const suspend = { suspend: true };
const queue = { completionMode: 'NonIndexed', completions: null } as const;

const ROWS: Record<string, readonly Row[]> = {
  completion: [
    ['running', 'S S .', {}, 'running', 'one is missing'],
    ['running', 'S S S', {}, 'finished CompletionsReached', 'every index has succeeded'],
    ['running', 'S S w', {}, 'running', 'one that waits is missing, too'],
    ['running', 'S S .', { completions: 2 }, 'finished CompletionsReached', 'a smaller Job is done sooner'],
    ['running', 'S S r', { completions: 2 }, 'running', 'not while a task still runs'],
    ['running', 'S S c', { completions: 2 }, 'running', 'nor while one may still start'],
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
  delete: [
    ['deleting', 'r . .', {}, 'deleting', 'a task still runs'],
    ['deleting', 'c . .', {}, 'deleting', 'a claim is unanswered'],
    ['deleting', '. . .', {}, 'deleted', 'all have stopped'],
    ['deleting', 'S S S', {}, 'deleted', 'no verdict any more'],
    ['deleting', '7 . .', { rejected: 'no' }, 'deleted', 'of no kind'],
  ],
};

const all = Object.entries(ROWS).flatMap(([topic, rows]) => rows.map((row) => [topic, ...row] as const));
test.each(all)('%s: %s, %s %o → %s: %s', (_, before, strip, wish, expected) => {
  expect(words(decide(before, strip, wish))).toBe(expected);
});

test('each reason that a verdict may have has a row', () => {
  const reasons: Record<Verdict['reason'], true> = {
    CompletionsReached: true,
    BackoffLimitExceeded: true,
    LaunchRefused: true,
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
    ['deleting', '. . .', {}, { since: at(1), at: at(9) }, 'asked for before, done now'],
    ['deleted', '. . .', {}, { since: at(1), at: at(2) }, 'done before'],
  ])('%s, %s %o: %o', (before, strip, wish, expected) => {
    expect(decide(before, strip, wish)).toMatchObject(expected);
  });
});

test('the verdict on a refused launch says what refused it', () => {
  expect(decide('running', '. .', { rejected: 'AccessDenied' })).toMatchObject({
    verdict: { message: 'AccessDenied' },
  });
});
