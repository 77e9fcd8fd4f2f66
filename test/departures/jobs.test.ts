import { expect, test } from 'vitest';
import { decodeChunk, encodeChunk } from '../../shared/domain/codecs/board-codec.ts';
import { type JobSpec, planningSpec } from '../../shared/domain/manifests/job.ts';
import { decodeStatus, encodeStatus } from '../../shared/domain/codecs/status-codec.ts';
import { chunkLength } from '../../shared/domain/scoreboard/status.ts';
import {
  type Situation,
  aBoard,
  after,
  at,
  brief,
  cancelled,
  deleted,
  ended,
  exited,
  plan,
  rejected,
} from '../support/a-board.ts';
import { admitted, jobDocument } from '../support/job-document.ts';

// What becomes of a Job, where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

test('the default podReplacementPolicy is Failed', () => {
  const spec = (given: object): JobSpec =>
    planningSpec(admitted(jobDocument({ completionMode: 'Indexed', completions: 1, ...given })));
  const ours = aBoard('r', spec({}));
  const deletion = plan(ours, [deleted(0)]);
  expect(brief(deletion)).toBe('running, stop 0');
  const stops = after(ours, deletion);
  expect(brief(plan(stops, [], 10))).not.toContain('launch'); // however long the old one takes
  const stopped = after(stops, plan(stops, [ended(0, 'Stopped', 10)], 10));
  expect(brief(plan(stopped, [], 20))).toBe('running, launch 0#2');

  const letter = aBoard('r', spec({ podReplacementPolicy: 'TerminatingOrFailed' }));
  const replaced = plan(letter, [deleted(0)]);
  expect(brief(replaced)).toBe('running, stop task 0#1.0');
  expect(replaced.status?.failed).toBe(1);
  expect(brief(plan(after(letter, replaced), [], 10))).toBe('running, launch 0#2'); // after the back-off of any failure
});

test('a Job resumes when what it stopped has ended', () => {
  const resumed = aBoard('r r .', { phase: { kind: 'suspended', since: at(0) }, suspend: false });
  const waits = plan(resumed, [ended(0, 'Stopped')]);
  expect(brief(waits)).toBe('suspended, stop 1');
  const oneLeft = after(resumed, waits);
  expect(brief(plan(oneLeft, [ended(1, 'Stopped')]))).toBe('running, launch 0#2 1#2');
});

test('a resumed Job has its whole time again', () => {
  const suspended = aBoard('. .', {
    phase: { kind: 'suspended', since: at(5) },
    suspend: false,
    activeDeadlineSec: 60,
    status: { startTime: at(0) },
  });
  const resumed = plan(suspended, [], 900);
  expect(brief(resumed)).toBe('running, launch 0 1');
  expect(resumed.status?.startTime).toBe(at(900));
});

test('only a Pod that a user deletes is replaced at once', () => {
  const policy = { podReplacementPolicy: 'TerminatingOrFailed', parallelism: 2 } as const;
  // parallelism was lowered, and raised again before index 1 had stopped: its place is taken until then
  const scaled = aBoard('r R .', policy);
  expect(brief(plan(scaled, [], 20))).toBe('running, stop 1');
  expect(brief(plan(scaled, [ended(1, 'Stopped', 20)], 20))).toBe('running, launch 1#2');

  const byUser = aBoard('r r', policy);
  const replaced = after(byUser, plan(byUser, [deleted(1)]));
  expect(brief(plan(replaced, [], 10))).toBe('running, launch 1#2');
});

test('a failing Job counts what runs when it has stopped', () => {
  let situation = aBoard('r r r', { backoffLimit: 0, parallelism: 3 });
  const failedAfter = [exited(0, 1), ended(1, 'Stopped'), ended(2, 'Stopped')].map((fact) => {
    const passed = plan(situation, [fact]);
    situation = after(situation, passed);
    return `${brief(passed).split(',')[0]}: ${situation.status.failed}`;
  });
  expect(failedAfter).toEqual([
    'draining BackoffLimitExceeded: 1', // Kubernetes says 3 here
    'draining BackoffLimitExceeded: 2',
    'finished BackoffLimitExceeded: 3',
  ]);
});

test('a failure within the limit of its index counts at once', () => {
  const failed = plan(aBoard('r r', { backoffLimitPerIndex: 3 }), [exited(0, 1)]);
  expect(failed.status?.failed).toBe(1); // Kubernetes says 0 until index 0 has a new Pod
  expect(brief(failed)).not.toContain('launch');
});

test('a Job that grows again remembers its successes', () => {
  const small = aBoard('r S S S', { completions: 2, parallelism: 2 });
  expect(brief(plan(small))).toBe('nothing changes'); // 2 and 3 are beyond it
  const { spec } = small.job;
  const grown = { ...small, job: { ...small.job, spec: { ...spec, completions: 4, parallelism: 4 } } };
  expect(brief(plan(grown))).not.toContain('launch');
  expect(brief(plan(grown, [ended(0, 'Completed')]))).toBe('finished CompletionsReached');
});

test('annotations say more of success than Kubernetes has fields for', () => {
  const annotations = {
    'muster.run/success-percent': '50',
    'muster.run/success-reason': 'EnoughSamples',
    'muster.run/when-criteria-achieved': 'Continue',
  };
  const spec = (given: object, own: Readonly<Record<string, string>> = annotations): JobSpec =>
    planningSpec(admitted(jobDocument({ completions: 4, ...given }, { annotations: own })));
  const ours = aBoard('S r r .', spec({}));
  const met = after(ours, plan(ours, [exited(1, 0)]));
  expect(met.status).toMatchObject({
    phase: { kind: 'running' },
    achieved: { verdict: { ownReason: 'EnoughSamples' } },
  });
  expect(after(met, plan(met, [exited(2, 1)])).status.phase).toMatchObject({
    kind: 'finished',
    verdict: { kind: 'complete' },
  });

  const policy = { completionMode: 'Indexed', successPolicy: { rules: [{ succeededCount: 2 }] } };
  const letter = aBoard('S r r .', spec(policy, {}));
  expect(brief(plan(letter, [exited(1, 0)]))).toContain('stop 2');
});

test('a launch that is refused for good fails the Job', () => {
  const passed = plan(aBoard('c r .'), [rejected(0)]);
  expect(brief(passed)).toBe('draining LaunchRefused, stop 1');
  expect(passed.status?.phase).toMatchObject({ verdict: { kind: 'failed', message: 'AccessDenied' } });
  expect(passed.status?.failed).toBe(0); // no attempt of the user's is spent
});

test('back-off outlives every process', () => {
  const launchesAt = (spec: Partial<JobSpec>): readonly string[] => {
    const before = aBoard('r', spec);
    const stored = asStored(after(before, plan(before, [exited(0, 1)])));
    return [9, 10].map((sec) => brief(plan(stored, [], sec)));
  };
  expect(launchesAt({})).toEqual(['nothing changes', 'running, launch 0#2']);
  expect(launchesAt({ backoffLimitPerIndex: 3 })).toEqual(['nothing changes', 'running, launch 0#2']);
});

/** What a process that has just started finds in the table. */
const asStored = ({ job, status, stored }: Situation): Situation => ({
  job,
  status: decodeStatus(encodeStatus(status)),
  stored: new Map(
    [...stored].map(([no, chunk]) => [no, decodeChunk(encodeChunk(chunk, chunkLength(status.size, no)))]),
  ),
});

test('a gang that does not run in time starts again, and spends no attempt', () => {
  const board = aBoard('r c', {
    gang: { timeoutSec: 60, restartsMax: 1 },
    status: { gang: { restarts: 0, since: at(0), isReady: false } },
  });
  const late = plan(board, [], 60);
  expect(late.status).toMatchObject({ phase: { kind: 'regrouping' }, gang: { restarts: 1 } });
  const stopped = plan(after(board, late), [exited(0, 1, 61), cancelled(1)], 61);
  expect(stopped.ended.map(({ judgement }) => judgement.as)).toEqual(['released']);
  expect(stopped.status).toMatchObject({ failed: 0 });
  const often = { ...board, status: { ...board.status, gang: { restarts: 1, since: at(0), isReady: false } } };
  expect(plan(often, [], 60).status?.phase).toMatchObject({ kind: 'draining', verdict: { reason: 'GangTimeout' } });
});
