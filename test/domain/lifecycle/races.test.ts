import { describe, expect, test } from 'vitest';
import type { EpochMs } from '../../../shared/domain/base/time.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { decodeStatus, encodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import { type Phase, freshStatus, requestDeletion, tally } from '../../../shared/domain/scoreboard/status.ts';
import {
  type Situation,
  aBoard,
  after,
  arnOf,
  at,
  brief,
  cancelled,
  deleted,
  ended,
  exited,
  launched,
  plan,
  recordOf,
  running,
  stripOf,
} from '../../support/a-board.ts';
import { dice } from '../../support/arbitrary-board.ts';
import { conditionsOf, shown } from '../../support/shown.ts';

// The history of Kubernetes' Job controller, one test for each bug (kubernetes-job.md section 9). Muster must be right
// where its users saw a wrong result. If a bug was about finalizers, caches, or expectations, which Muster does not
// have, the test shows the rule behind them. S succeeded, r running, c claimed, . pending, D its Pod was deleted, 1
// pending after one failure.

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
const edited = (board: Situation, change: Partial<JobSpec>): Situation => ({
  ...board,
  job: { ...board.job, spec: { ...board.job.spec, ...change } },
});
/** Another process continues from what is stored. */
const restarted = (board: Situation): Situation => ({ ...board, status: decodeStatus(encodeStatus(board.status)) });
const isTerminal = (board: Situation): boolean => /Complete|Failed/.test(conditionsOf(board));
const asked = (board: Situation, kind: 'launch' | 'stop', sec = 0): number =>
  plan(board, [], sec).actions.reduce((sum, action) => sum + (action.kind === kind ? action.attempts.length : 0), 0);

describe('counting', () => {
  test.each([
    ['success', 0, { succeeded: 1, failed: undefined }],
    ['failure', 1, { succeeded: undefined, failed: 1 }],
  ] as const)(
    '#105200: a %s that is reported again, in the batch, later or after a restart, is counted once',
    (_, code, expected) => {
      const told = exited(0, code);
      const once = pass(aBoard('r r .'), [told, told]);
      const twice = pass(pass(once, [told], 1), [running(0), told], 2);
      const again = pass(restarted(twice), [told], 3);
      const { succeeded, failed } = shown(again);
      expect({ succeeded, failed }).toEqual(expected);
    },
  );

  test('PR 104666: more than 500 ends at once are counted one by one, and none is lost', () => {
    const board = aBoard('r'.repeat(1_200), { parallelism: 1_200, backoffLimit: 10_000 });
    const facts = Array.from({ length: 1_200 }, (__, index) => exited(index, index % 3 === 0 ? 1 : 0));
    expect(shown(pass(board, facts))).toMatchObject({ succeeded: 800, failed: 400 });
    expect(isTerminal(pass(board, facts))).toBe(false);
  });

  test('#111646: a success after the Job was judged failed is a success, and keeps nothing from ending', () => {
    const failing = pass(aBoard('r r .', { backoffLimit: 0 }), [exited(0, 1)]);
    const over = pass(failing, [exited(1, 0, 1)], 1);
    expect(conditionsOf(over)).toBe('FailureTarget Failed');
    expect(shown(over)).toMatchObject({ succeeded: 1, failed: 1, completedIndexes: '1' });
  });

  test('#125410: a failed attempt does not become a success', () => {
    const failed = pass(aBoard('r', { parallelism: 1 }), [exited(0, 1)]);
    expect(stripOf(pass(failed, [exited(0, 0, 1)], 1))).toBe('1');
    expect(stripOf(pass(aBoard('r', { parallelism: 1 }), [exited(0, 1), exited(0, 0)]))).toBe('1');
  });

  test('#115688: a Pod that succeeds after its deletion has succeeded, and is not retried', () => {
    const board = pass(aBoard('r S', { podReplacementPolicy: 'Failed' }), [deleted(0)]);
    const over = pass(board, [exited(0, 0, 1)], 1);
    expect(conditionsOf(over)).toBe('SuccessCriteriaMet Complete');
    expect(shown(over).failed).toBeUndefined();
  });

  test('#28486: failures are remembered, even without records of the Pods', () => {
    let board = aBoard('r', { parallelism: 1, backoffLimit: 3 });
    for (let attempt = 1; attempt <= 3; attempt++) {
      board = restarted(pass(board, [exited(0, 1, attempt * 1_000, attempt)], attempt * 1_000));
      board = pass(board, [], attempt * 1_000 + 600);
    }
    expect(shown(board)).toMatchObject({ failed: 3, active: 1 });
    expect(shown(pass(board, [exited(0, 1, 5_000, 4)], 5_000)).conditions).toMatchObject([
      { reason: 'BackoffLimitExceeded' },
      { type: 'Failed' },
    ]);
  });

  test('#70251, #54870: passes, messages, and refused launches are not retries; failures are', () => {
    let board = aBoard('r c', { backoffLimit: 0 });
    for (let sec = 1; sec < 400; sec += 40) board = pass(board, [running(0), launched(1)], sec);
    expect(isTerminal(board)).toBe(false);
    expect(shown(board).failed).toBeUndefined();
    expect(conditionsOf(pass(board, [exited(0, 1, 400)], 400))).toBe('FailureTarget');
  });

  test('#109870: restarts are those of existing Pods; the restarts of a deleted Pod go with it', () => {
    const board = aBoard('b r', { restartPolicy: 'OnFailure', backoffLimit: 2, podReplacementPolicy: 'Failed' });
    const gone = pass(board, [deleted(0, 0, 1, 1, false)]);
    expect(gone.status).toMatchObject({ restarts: 0, failed: 1 });
    expect(isTerminal(pass(gone, [exited(1, 1, 1)], 1))).toBe(false);
  });

  test('seen under load: a NonIndexed Job of 3,000 is exact, however often and in whatever order facts come', () => {
    const roll = dice(3);
    let board = aBoard('r'.repeat(3_000), { completionMode: 'NonIndexed', parallelism: 3_000, backoffLimit: 10_000 });
    const told = Array.from({ length: 3_000 }, (__, index) => exited(index, index < 20 ? 1 : 0));
    const mixed = [...told, ...told, ...told].map((fact) => ({ fact, key: roll(1e9) })).sort((a, b) => a.key - b.key);
    for (let from = 0; from < mixed.length; from += 1_500) {
      board = pass(
        board,
        mixed.slice(from, from + 1_500).map(({ fact }) => fact),
        1,
      );
      expect(tally(board.status.chunks).succeeded).toBeLessThanOrEqual(2_980);
    }
    expect(shown(board)).toMatchObject({ succeeded: 2_980, failed: 20 });
    expect(isTerminal(board)).toBe(false);
  });
});

describe('a terminal condition means that nothing runs', () => {
  test.each([
    ['Failed', { backoffLimit: 0 }, 1],
    ['Complete', { successPolicy: [{ indexes: null, count: 1 }] }, 0],
  ] as const)('#123775, #109429, #119833: %s comes with the last end, not before', (type, wish, code) => {
    let board = pass(aBoard('r r l c', { parallelism: 4, ...wish }), [exited(0, code)]);
    for (const [sec, fact] of [ended(1, 'Stopped', 1), ended(2, 'Stopped', 2), cancelled(3)].entries()) {
      expect(isTerminal(board)).toBe(false);
      expect(shown(board)).toMatchObject({ terminating: 3 - sec, ready: 0 });
      expect(shown(board).active).toBeUndefined();
      board = pass(board, [fact], sec + 1);
    }
    expect(conditionsOf(board).split(' ').at(-1)).toBe(type);
    expect(shown(board)).toMatchObject({ terminating: 0 });
  });

  test('#109485: a large Job that fails early is Failed only when every claim it has made is answered', () => {
    const first = plan(aBoard(`r${'.'.repeat(4_999)}`, { parallelism: 5_000, backoffLimit: 0 }));
    const claimed = after(aBoard(`r${'.'.repeat(4_999)}`, { parallelism: 5_000, backoffLimit: 0 }), first);
    expect(claimed.status.inFlight).toHaveLength(500);
    const failing = pass(claimed, [exited(0, 1, 1)], 1);
    expect(conditionsOf(failing)).toBe('FailureTarget');
    expect(asked(failing, 'launch', 2)).toBe(0);
    const [last, ...others] = claimed.status.inFlight.map(({ index }) => index);
    const nearly = pass(
      failing,
      others.map((index) => cancelled(index)),
      2,
    );
    expect(conditionsOf(nearly)).toBe('FailureTarget');
    // the last one was launched anyway: wait for it
    const launchedLate = pass(nearly, [launched(last ?? 0)], 3);
    expect(conditionsOf(launchedLate)).toBe('FailureTarget');
    const over = pass(launchedLate, [ended(last ?? 0, 'Stopped', 4)], 4);
    expect(conditionsOf(over)).toBe('FailureTarget Failed');
    expect(shown(over).failed).toBe(501);
  });

  test.each([
    [aBoard('r R D c .', { parallelism: 3 }), 'while it runs'],
    [aBoard('r R D c .', { suspend: true, phase: { kind: 'suspended', since: at(0) } }), 'suspended'],
    [
      pass(aBoard('r r . .', { podReplacementPolicy: 'TerminatingOrFailed' }), [deleted(0), deleted(1)]),
      'with replaced ones',
    ],
  ])('#122235: terminating and active are never negative, and never exceed the existing Pods (%#)', (board) => {
    const { active = 0, ready = 0, terminating = 0 } = shown(board);
    const { starting, running: runs, waiting } = tally(board.status.chunks);
    expect(active + terminating).toBe(starting + runs + waiting + board.status.replacedTasks.length);
    expect(Math.min(active, ready, terminating)).toBeGreaterThanOrEqual(0);
    expect(ready).toBeLessThanOrEqual(active);
  });

  test('PR 121342: a change of terminating alone is written and published', () => {
    const dying = pass(aBoard('r S', { podReplacementPolicy: 'TerminatingOrFailed', parallelism: 0 }), [deleted(0)]);
    const last = plan(dying, [ended(0, 'Stopped', 9)], 9);
    expect(last).toMatchObject({ publish: true, status: { version: dying.status.version + 1 } });
    const two = aBoard('r r', { podReplacementPolicy: 'TerminatingOrFailed', parallelism: 0 });
    const oneLess = plan(pass(two, [deleted(0), deleted(1)]), [ended(0, 'Stopped', 9)], 9);
    expect(oneLess).toMatchObject({ publish: true, status: { replacedTasks: [{ index: 1 }] } });
    const asking = plan(aBoard('r S', { podReplacementPolicy: 'Failed' }), [deleted(0)]);
    expect(asking).toMatchObject({ publish: true, status: { version: 6 } });
  });

  const finished: Phase = {
    kind: 'finished',
    verdict: { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null },
    since: at(0),
    at: at(0),
  };
  test('#130103: a finished Job starts nothing and changes nothing, whatever facts or edits come', () => {
    const done = aBoard('S S .', { phase: finished, completions: 2 });
    for (const change of [{}, { completions: 3, parallelism: 3 }, { suspend: true }, { activeDeadlineSec: 0 }]) {
      const next = plan(edited(done, change), [exited(0, 1), deleted(1), running(0)], 99);
      expect(next.actions.filter(({ kind }) => kind === 'launch' || kind === 'stop')).toEqual([]);
      expect(next.status?.phase ?? finished).toEqual(finished);
    }
  });
});

describe('Pods', () => {
  test('PR 137210: a pass that lost its race plans the same Pods again, not additional ones', () => {
    const board = aBoard('S 1 . .', { parallelism: 3 });
    const launches = () => plan(board).actions.filter(({ kind }) => kind === 'launch');
    expect(launches()).toEqual(launches());
    // and one that has won knows its requests, before any answer
    expect(asked(pass(board), 'launch')).toBe(0);
  });

  test('#113855, #115844: an index whose Pod is still stopping is not started again (policy Failed)', () => {
    const board = pass(aBoard('r', { podReplacementPolicy: 'Failed' }), [deleted(0)]);
    for (const sec of [1, 30, 3_000]) expect(asked(board, 'launch', sec)).toBe(0);
    expect(asked(pass(board, [ended(0, 'Stopped', 40)], 40), 'launch', 50)).toBe(1);
  });

  test('PR 113856, #116858: the policy checks no exit code of a Pod that is still running or stopping', () => {
    const podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] } as const;
    const board = aBoard('r r', { podFailurePolicy });
    expect(isTerminal(pass(board, [deleted(0), running(1)]))).toBe(false);
    expect(conditionsOf(pass(board, [ended(0, 'Stopped')]))).toBe('FailureTarget'); // it has exited with 1
    expect(conditionsOf(pass(board, [exited(0, 1)]))).toBe('FailureTarget');
  });

  test('#139428: active is what is active, also while the Job is in back-off', () => {
    for (const wish of [{}, { backoffLimitPerIndex: 5, backoffLimit: 99 }]) {
      const board = pass(aBoard('r r r .', { parallelism: 3, ...wish }), [exited(0, 1)]);
      expect(shown(board)).toMatchObject({ active: 2, ready: 2, failed: 1 });
    }
  });

  test('#108645, #141346: a deleted Job asks its tasks to stop until each has, and is gone only then', () => {
    const board = aBoard('r r c');
    let gone: Situation = { ...board, status: requestDeletion(board.status, at(0)) ?? board.status };
    gone = pass(gone, [], 0);
    for (const sec of [30, 60, 90]) {
      expect(asked(gone, 'stop', sec)).toBe(3); // whatever happened to earlier stops
      gone = pass(gone, [], sec);
    }
    gone = pass(gone, [ended(0, 'Stopped', 91), cancelled(2)], 91);
    expect(gone.status.phase.kind).toBe('purging');
    const last = plan(gone, [ended(1, 'Stopped', 92)], 92);
    expect(last).toMatchObject({ expire: true, status: { phase: { kind: 'deleted' } } });
    // a task that appears later is stopped, too
    expect(plan(after(gone, last), [running(2, 1, 9)], 93).actions).toContainEqual({
      kind: 'stopTask',
      taskArn: arnOf(2, 1, 9),
    });
  });
});

describe('the identity of a Job', () => {
  test('#132042: a new Job under the same name inherits no back-off, no failures, and no Pods', () => {
    const old = pass(
      aBoard('r . .', { backoffLimit: 99, status: { backoff: { failures: 5, lastFailureAt: at(0) } } }),
      [exited(0, 1)],
    );
    expect(asked(old, 'launch', 9)).toBe(0);
    const made = { ...old, status: freshStatus(old.job, at(9)), stored: aBoard('. . .').stored };
    expect(asked(made, 'launch', 9)).toBe(2);
    expect(shown(pass(made, [], 9))).toMatchObject({ active: 2, startTime: '2027-01-15T08:00:09Z' });
    expect(shown(pass(made, [], 9)).failed).toBeUndefined();
  });

  test('#134521: a resume sets a new start time, once no earlier Pod is left', () => {
    const suspended = pass(aBoard('r .', { suspend: true }), [], 5);
    const resumed = edited(suspended, { suspend: false });
    expect(pass(resumed, [], 20).status.startTime).toBe(at(0));
    expect(pass(resumed, [ended(0, 'Stopped', 30)], 30).status.startTime).toBe(at(30));
  });

  test.each([
    ['SuccessCriteriaMet Complete', { kind: 'running' }],
    ['Suspended SuccessCriteriaMet Complete', { kind: 'suspended', since: at(0) }],
  ] as const)('#132144: a suspended Job of no completions completes: %s', (expected, phase) =>
    expect(conditionsOf(pass(aBoard('', { completions: 0, suspend: true, phase })))).toBe(expected),
  );

  test('#118085: a huge Job whose indexes fail in random order keeps the row small that every commit writes', () => {
    const roll = dice(7);
    const strip = Array.from({ length: 20_000 }, () => (roll(2) === 0 ? 'F' : 'S')).join('');
    const { status } = aBoard(strip, { backoffLimitPerIndex: 0, backoffLimit: 2 ** 31 - 1 });
    expect(encodeStatus(status).length).toBeLessThan(200);
  });

  test('a wake-up that comes early, late or twice decides nothing by itself', () => {
    const board = aBoard('r w', { status: { now: at(5) as EpochMs } });
    expect(brief(plan(board, [], 0))).toBe(brief(plan(board, [], 5)));
    expect(recordOf(pass(pass(board, [], 10), [], 10), 1)).toMatchObject({ state: 'claimed', attempt: 2 });
  });
});
