import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { endingOf } from '../../shared/domain/planner/ending.ts';
import { asTime } from '../../shared/domain/base/time.ts';
import type { Ending, EndingCause, Fact } from '../../shared/domain/base/fact.ts';
import { type JobSpec, planningSpec } from '../../shared/domain/manifests/job.ts';
import type { LaunchSlot } from '../../shared/domain/scoreboard/launch-row.ts';
import type { Plan } from '../../shared/domain/planner/plan.ts';
import type { Phase, Verdict } from '../../shared/domain/scoreboard/status.ts';
import { podStateOf } from '../../shared/domain/scoreboard/index-record.ts';
import { renderPod } from '../../shared/kube/pods/render-pod.ts';
import {
  type Situation,
  aBoard,
  after,
  arnOf,
  at,
  brief,
  ended,
  exited,
  plan,
  recordOf,
  running,
  stripOf,
} from '../support/a-board.ts';
import { aJob } from '../support/a-job.ts';
import { admitted, jobDocument } from '../support/job-document.ts';

// How an attempt ends, where Muster departs from Kubernetes' letter; docs/departures.md has a row for each test here.

/** What planning goes by, of an Indexed Job with one completion and these annotations. */
const annotated = (annotations: object, spec: object = {}): JobSpec =>
  planningSpec(admitted(jobDocument({ completionMode: 'Indexed', completions: 1, ...spec }, { annotations })));

/** Lets attempt after attempt of index 0 end so until one counts, at most 20; what each launch asked for. */
function loseUntilItCounts(cause: EndingCause, spec: JobSpec) {
  let situation = aBoard('r', spec);
  const onDemand: boolean[] = [];
  let sec = 0;
  for (let lost = 1; lost <= 20; lost++) {
    const before = plan(situation, [ended(0, cause, sec, lost)], sec);
    situation = after(situation, before);
    if (situation.status.failed > 0) return { lost, onDemand };
    sec += 600; // longer than any delay
    const later = plan(situation, [], sec);
    situation = after(situation, later);
    const launch = [before, later].flatMap(({ actions }) => actions.filter(({ kind }) => kind === 'launch'));
    onDemand.push(
      launch.some(
        (action) => action.kind === 'launch' && [...action.traits.values()].some((traits) => traits.onDemand),
      ),
    );
  }
  return { lost: null, onDemand };
}

test('lost infrastructure spends a budget of its own', () => {
  const rules = (action: string) => ({
    podFailurePolicy: { rules: [{ action, onPodConditions: [{ type: 'DisruptionTarget' }] }] },
  });
  const letter = { [ANNOTATIONS.disruptions]: 'count' };
  const ours = loseUntilItCounts('Spot', annotated({}));
  expect(ours.lost).toBe(11); // ten are free
  expect(ours.onDemand).toEqual([false, false, true, true, true, true, true, true, true, true]);
  expect(loseUntilItCounts('Infrastructure', annotated({}))).toEqual({ lost: 11, onDemand: Array(10).fill(false) });

  expect(loseUntilItCounts('Spot', annotated(letter)).lost).toBe(1);
  const numbers = annotated({ [ANNOTATIONS.disruptions]: 'losses=2,spot-interruptions=1' });
  expect(loseUntilItCounts('Spot', numbers)).toEqual({ lost: 3, onDemand: [true, true] });
  // A rule wins, whichever way it goes.
  expect(loseUntilItCounts('Spot', annotated({}, rules('Count'))).lost).toBe(1);
  expect(loseUntilItCounts('Spot', annotated(letter, rules('Ignore'))).lost).toBeNull();
});

/** Seconds after which a Pod that never starts counts as failed, and how often it was tried until then. */
function waitsToStart(spec: JobSpec): { readonly sec: number; readonly tries: number } {
  let situation = aBoard('l', spec);
  let sec = 0;
  for (let nonce = 0; nonce < 50; nonce++) {
    situation = after(situation, plan(situation, [ended(0, 'StartFailed', sec, 1, nonce)], sec));
    if (situation.status.failed > 0) return { sec, tries: nonce + 1 };
    expect(stripOf(situation)).toBe('b');
    sec = ((recordOf(situation, 0).notBefore ?? at(0)) - at(0)) / 1000;
    const again = plan(situation, [], sec);
    expect(brief(again)).toBe(`running, launch 0.${nonce + 1}`); // the same attempt: Kubernetes' Pod
    situation = after(situation, again);
  }
  throw new Error('it waits for ever');
}

test('what cannot start waits, then fails', () => {
  // 10 s, doubled up to 10 min: tries come at 0, 10, 30, 70, 150, 310, 630 and 1,230 s.
  expect(waitsToStart(annotated({}))).toEqual({ sec: 1230, tries: 8 });
  expect(waitsToStart(annotated({ [ANNOTATIONS.pendingTimeout]: '60' }))).toEqual({ sec: 70, tries: 4 });
  expect(waitsToStart(annotated({ [ANNOTATIONS.pendingTimeout]: '10000' })).sec).toBeGreaterThanOrEqual(10_000);
  // What AWS is short of comes back: that is never the Pod's failure.
  const situation = aBoard('l', annotated({ [ANNOTATIONS.pendingTimeout]: '1' }));
  expect(plan(situation, [ended(0, 'Unplaced', 5000)], 5000).status?.failed).toBe(0);
});

test('OnFailure goes on in a new task of the same Pod', () => {
  const restarted = plan(aBoard('r', { restartPolicy: 'OnFailure' }), [exited(0, 3)]);
  expect(brief(restarted)).toBe('running, launch 0.1'); // of attempt 1 still, which is the Pod
  const restartedJob = after(aBoard('r', { restartPolicy: 'OnFailure' }), restarted);
  const goesOn = after(restartedJob, plan(restartedJob, [running(0, 1, 1)], 1));
  expect(goesOn.status.failed).toBe(0);
  const { metadata, status } = podOf(goesOn, 1);
  expect(status.containerStatuses?.[0]).toMatchObject({ restartCount: 1 });
  expect(metadata.name).toBe(podOf(aBoard('r'), 1).metadata.name);

  const failed = after(aBoard('r'), plan(aBoard('r'), [exited(0, 3)]));
  expect(failed.status.failed).toBe(1);
  const anew = plan(failed, [], 10);
  expect(brief(anew)).toBe('running, launch 0#2');
  expect(podOf(after(failed, anew), 2).metadata.name).not.toBe(metadata.name);
});

test('a Pod is as old as the first of its tasks', () => {
  const spec = { restartPolicy: 'OnFailure' } as const;
  const id = { index: 0, attempt: 1, nonce: 0 };
  const madeAt = (situation: Situation, launch?: LaunchSlot): string =>
    podOf(situation, 1, launch).metadata.creationTimestamp;
  const claimed = aBoard('c', spec);
  expect(madeAt(claimed)).toBe(asTime(claimed.status.startTime ?? at(99)));
  expect(madeAt(claimed, { ...id, state: 'launching', since: at(3) })).toBe(asTime(at(3)));
  const task = { ...id, state: 'launched', taskArn: arnOf(0), since: at(4) } as const;
  const runs = aBoard('r', spec);
  expect(madeAt(runs, task)).toBe(asTime(at(4)));
  const times = { createdAt: at(4), startedAt: at(5), stoppedAt: at(6) };
  const crashed = after(runs, plan(runs, [{ ...exited(0, 3, 6), times } as Fact], 6));
  expect(madeAt(crashed, { ...task, nonce: 1, since: at(60) })).toBe(asTime(at(4)));
});

/** The Pod of index 0 that a user sees. */
function podOf(situation: Situation, attempt: number, launch: LaunchSlot | null = null) {
  const { status } = situation;
  const current = recordOf(situation, 0);
  const spec = aJob({ completions: 1 });
  const state = podStateOf(current.state) ?? 'ended';
  const pod = renderPod({
    index: 0,
    attempt,
    state,
    spec,
    status,
    version: 1,
    record: null,
    before: null,
    launch,
    ip: null,
    current,
    madeAfter: current,
    item: null,
    wait: null,
  });
  return { metadata: pod.metadata, status: { containerStatuses: [], ...pod.status } };
}

test('exit 0 of a stopped task is no success', () => {
  const marks = { stoppedReason: null, exitCode: 0, container: 'main', containerReason: null, started: true };
  const stopped = endingOf({ ...marks, stopCode: 'UserInitiated' });
  const byItself = endingOf({ ...marks, stopCode: 'EssentialContainerExited' });
  const boardAfter = (strip: string, ending: Ending): string => {
    const times = { createdAt: at(0), startedAt: at(0), stoppedAt: at(0) };
    const stop = {
      index: 0,
      attempt: 1,
      nonce: 0,
      kind: 'stopped',
      taskArn: arnOf(0),
      ending,
      times,
      at: at(0),
    } as const;
    const situation = aBoard(strip, { parallelism: strip.startsWith('R') ? 1 : 2 });
    return stripOf(after(situation, plan(situation, [stop])));
  };
  expect(boardAfter('r r', stopped)).toBe('1 r'); // somebody stopped it: it has failed
  expect(boardAfter('R r', stopped)).toBe('. r'); // we did: it counts for nothing
  expect(boardAfter('r r', byItself)).toBe('S r');
  expect(boardAfter('R r', byItself)).toBe('S r'); // it was asked to stop, but has ended by itself
});

const verdict = { message: '', decidedBy: null };
const COMPLETE: Verdict = { ...verdict, kind: 'complete', reason: 'SuccessPolicy' };
const FAILED: Verdict = { ...verdict, kind: 'failed', reason: 'BackoffLimitExceeded' };
const ENDING: readonly Phase[] = [
  { kind: 'draining', verdict: COMPLETE, since: at(0) },
  { kind: 'draining', verdict: FAILED, since: at(0) },
  { kind: 'suspended', since: at(0) },
];

test('what ends by itself while its Job ends counts by its exit code', () => {
  const counts = (phase: Phase, exitCode: number, restartPolicy: JobSpec['restartPolicy']): string => {
    const situation = aBoard('r r', { phase, restartPolicy, suspend: phase.kind === 'suspended' });
    return words(plan(situation, [exited(0, exitCode)]));
  };
  expect(ENDING.map((phase) => counts(phase, 0, 'Never'))).toEqual(['1 succeeded', '1 succeeded', '1 succeeded']);
  expect(ENDING.map((phase) => counts(phase, 3, 'Never'))).toEqual(['1 failed', '1 failed', '1 failed']);
  // A container that would have been restarted is not: only a failing Job counts its Pod.
  expect(ENDING.map((phase) => counts(phase, 3, 'OnFailure'))).toEqual(['nothing', '1 failed', 'nothing']);
  // What we have stopped counts only in a failing Job.
  const stopped = ENDING.map((phase) =>
    words(plan(aBoard('r r', { phase, suspend: phase.kind === 'suspended' }), [ended(0, 'Stopped')])),
  );
  expect(stopped).toEqual(['nothing', '1 failed', 'nothing']);
});

const words = ({ counted: { succeeded, failed } }: Plan): string =>
  [succeeded > 0 ? `${succeeded} succeeded` : '', failed > 0 ? `${failed} failed` : ''].join('') || 'nothing';

test('the deadline of a Pod counts from the start of its first task', () => {
  const claimed = after(aBoard('. .', { podDeadlineSec: 30 }), plan(aBoard('. .', { podDeadlineSec: 30 })));
  // It waits for its task for longer than it may run, and then gets all of its time.
  const runs = after(claimed, plan(claimed, [{ ...running(0), at: at(100) }], 100));
  expect(brief(plan(runs, [], 130))).not.toContain('stop');
  expect(brief(plan(runs, [], 131))).toContain('stop 0');
});
