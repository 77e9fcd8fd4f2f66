import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import {
  type JobMetric,
  creationMetrics,
  failedSyncMetrics,
  passMetrics,
  syncMetrics,
} from '../../../shared/domain/planner/job-metrics.ts';
import type { PodFailurePolicy } from '../../../shared/domain/manifests/manifest.ts';
import { type Verdict, requestDeletion } from '../../../shared/domain/scoreboard/status.ts';
import {
  type Wish,
  aBoard,
  after,
  at,
  cancelled,
  deleted,
  ended,
  exited,
  launched,
  plan,
  refused,
  rejected,
} from '../../support/a-board.ts';

// Strips and facts as in plan-job.test.ts; samples as Prometheus writes them.

const POLICY: PodFailurePolicy = {
  rules: [
    { action: 'FailJob', onExitCodes: { operator: 'In', values: [41] } },
    { action: 'FailIndex', onExitCodes: { operator: 'In', values: [42] } },
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    { action: 'Count', onExitCodes: { operator: 'In', values: [43] } },
  ],
};
const FAILED: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null };
const COMPLETE: Verdict = { kind: 'complete', reason: 'SuccessPolicy', message: '', decidedBy: null };
const draining = (verdict: Verdict) => ({ kind: 'draining', verdict, since: at(0) }) as const;
const finished = (verdict: Verdict) => ({ ...draining(verdict), kind: 'finished', at: at(0) }) as const;

const written = ({ name, dimensions, value }: JobMetric): string =>
  `${name}{${Object.entries(dimensions)
    .map(([label, text]) => `${label}=${text}`)
    .join(',')}} ${value}`;

/** The samples of one pass for metrics with this prefix. */
function counted(strip: string, wish: Wish, facts: readonly Fact[], name: string): readonly string[] {
  const situation = aBoard(strip, wish);
  const pass = { job: situation.job, before: situation.status, plan: plan(situation, facts), facts };
  return [...passMetrics(pass), ...syncMetrics(pass, 250)]
    .map(written)
    .filter((sample) => sample.startsWith(name))
    .map((sample) => sample.slice(name.length));
}

type Row = readonly [strip: string, wish: Wish, facts: readonly Fact[], expected: readonly string[], because: string];

function table(name: string, rows: readonly Row[]): void {
  describe(`${name}`, () => {
    for (const [strip, wish, facts, expected, because] of rows) {
      test(`${strip}: ${because}`, () => {
        expect(counted(strip, wish, facts, name)).toEqual(expected);
      });
    }
  });
}

const sync = (action: string, mode = 'Indexed') => [`{completion_mode=${mode},result=success,action=${action}} 1`];
table('job_syncs_total', [
  ['. . .', {}, [], sync('pods_created'), 'Pods were made'],
  ['. .', { completionMode: 'NonIndexed' }, [], sync('pods_created', 'NonIndexed'), 'of a work queue'],
  ['r r', { parallelism: 1 }, [], sync('pods_deleted'), 'parallelism was lowered'],
  ['r r', { suspend: true }, [], sync('pods_deleted'), 'the Job was suspended'],
  ['c c', {}, [], sync('reconciling'), 'claims are unanswered'],
  [
    'R r',
    { parallelism: 1, status: { stopRound: { cursor: 2, startedAt: at(0) } } },
    [],
    sync('reconciling'),
    'a stop is',
  ],
  ['r r', {}, [], sync('tracking'), 'what shall run runs'],
  ['r r', {}, [ended(0, 'Completed')], sync('tracking'), 'it only counts'],
  ['S S', { phase: finished(COMPLETE) }, [], [], 'a finished Job is not synced'],
  ['. .', { managed: false }, [], [], "nor is another controller's"],
]);

table('job_sync_duration_seconds', [
  ['r r', {}, [], ['{completion_mode=Indexed,result=success,action=tracking} 0.25'], 'in seconds'],
]);

const finish = (result: string, reason: string, mode = 'Indexed') => [
  `{completion_mode=${mode},result=${result},reason=${reason}} 1`,
];
table('jobs_finished_total', [
  ['S r', {}, [ended(1, 'Completed')], finish('succeeded', 'CompletionsReached'), 'the last index succeeded'],
  [
    'r',
    { completionMode: 'NonIndexed', completions: null, parallelism: 1 },
    [ended(0, 'Completed')],
    finish('succeeded', 'CompletionsReached', 'NonIndexed'),
    'a work queue is done',
  ],
  ['S .', { phase: draining(COMPLETE) }, [], finish('succeeded', 'SuccessPolicy'), 'at the terminal commit'],
  ['r r', { backoffLimit: 0 }, [exited(0, 1)], [], 'not at the interim condition'],
  [
    'r .',
    { backoffLimit: 0, parallelism: 1 },
    [exited(0, 1)],
    finish('failed', 'BackoffLimitExceeded'),
    'nothing stops',
  ],
  ['r', { podFailurePolicy: POLICY }, [exited(0, 41)], finish('failed', 'PodFailurePolicy'), 'a rule says so'],
  ['c', {}, [rejected(0)], finish('failed', 'LaunchRefused'), 'a reason of ours'],
  ['S S', { phase: finished(COMPLETE) }, [], [], 'once'],
]);

test('a Job that was deleted before its end does not count as finished', () => {
  const before = aBoard('r');
  const status = requestDeletion(before.status, at(0)) ?? before.status;
  const gone = plan({ ...before, status }, [ended(0, 'Stopped')]);
  expect(gone.status?.phase.kind).toBe('deleted');
  expect(passMetrics({ job: before.job, before: status, plan: gone, facts: [] })).toEqual([]);
});

const pods = (result: string, value: number, mode = 'Indexed') => [
  `{completion_mode=${mode},result=${result}} ${value}`,
];
table('job_pods_finished_total', [
  [
    'r r',
    {},
    [ended(0, 'Completed'), exited(1, 1)],
    [...pods('succeeded', 1), ...pods('failed', 1)],
    'each as it ended',
  ],
  ['r r', { completionMode: 'NonIndexed' }, [exited(0, 1), exited(1, 2)], pods('failed', 2, 'NonIndexed'), 'by mode'],
  ['r', { podFailurePolicy: POLICY }, [ended(0, 'Spot')], [], 'what is ignored is not counted'],
  ['r', {}, [ended(0, 'Infrastructure')], [], 'nor is what infrastructure took'],
  ['r R', { parallelism: 1 }, [ended(1, 'Stopped')], [], 'nor is what we stopped'],
  ['r b', { phase: draining(FAILED) }, [], pods('failed', 1), 'a Pod between two tasks fails with its Job'],
  ['c', { phase: draining(FAILED) }, [cancelled(0)], pods('failed', 1), 'so does one that never started'],
  ['r r', { completions: 1 }, [ended(1, 'Completed')], [], 'an index that the Job has no more counts for nothing'],
]);

table('pod_failures_handled_by_failure_policy_total', [
  [
    'r r r',
    { parallelism: 3, podFailurePolicy: POLICY, backoffLimitPerIndex: 3 },
    [exited(0, 42), ended(1, 'Spot'), exited(2, 43)],
    ['{action=Count} 1', '{action=FailIndex} 1', '{action=Ignore} 1'],
    'by the action of the rule that matched',
  ],
  ['r r', { podFailurePolicy: POLICY }, [exited(0, 41)], ['{action=FailJob} 1'], 'the rule that fails the Job, too'],
  ['r r', { podFailurePolicy: POLICY }, [exited(0, 7)], [], 'no rule matched'],
  ['r r', {}, [exited(0, 41)], [], 'there is no policy'],
]);

const tracked = (value: number) => [`{event=add} ${value}`, `{event=delete} ${value}`];
table('terminated_pods_tracking_finalizer_total', [
  ['r r', {}, [ended(0, 'Completed'), exited(1, 1)], tracked(2), 'seen and gone in one write'],
  ['r', { podFailurePolicy: POLICY }, [ended(0, 'Spot')], tracked(1), 'also where the failure is ignored'],
  ['r', {}, [ended(0, 'Spot')], tracked(1), 'or was nobody’s fault'],
  ['r', { backoffLimitPerIndex: 0 }, [exited(0, 1)], tracked(1), 'or was the index’s last'],
  ['r R', { parallelism: 1 }, [ended(1, 'Stopped')], [], 'not of a Pod that was deleted before it ended'],
  ['r', { restartPolicy: 'OnFailure' }, [exited(0, 1)], [], 'nor of one that is restarted'],
]);

table('job_finished_indexes_total', [
  ['r r', {}, [ended(0, 'Completed')], ['{status=succeeded,backoffLimit=global} 1'], 'an index succeeded'],
  [
    'r r',
    { backoffLimitPerIndex: 0 },
    [ended(0, 'Completed'), exited(1, 1)],
    ['{status=succeeded,backoffLimit=perIndex} 1', '{status=failed,backoffLimit=perIndex} 1'],
    'and one failed for good',
  ],
  ['r r', { backoffLimitPerIndex: 1 }, [exited(1, 1)], [], 'one that is tried again is not finished'],
  ['r r', { completionMode: 'NonIndexed' }, [ended(0, 'Completed')], [], 'a Job without indexes'],
  ['r r', { completions: 1 }, [ended(1, 'Completed')], [], 'an index that the Job has no more'],
]);

const made = (reason: string, value = 1) => [`{reason=${reason},status=succeeded} ${value}`];
const NOW_OR_LATER = { podReplacementPolicy: 'TerminatingOrFailed' } as const;
table('job_pods_creation_total', [
  ['. . .', {}, [], made('new', 2), 'the first Pods'],
  ['1 . .', {}, [], made('recreate_failed', 2), 'upstream looks at the Job: some Pod of it has failed'],
  ['1 . .', NOW_OR_LATER, [], made('recreate_terminating_or_failed', 2), 'the other policy'],
  ['D .', { parallelism: 2 }, [], made('recreate_terminating_or_failed'), 'a Pod is terminating, none has failed'],
  [
    'r r .',
    { ...NOW_OR_LATER, parallelism: 3, backoffLimitPerIndex: 3 },
    [deleted(0)],
    made('recreate_terminating_or_failed'),
    'one was deleted',
  ],
  ['c c', {}, [refused(0, 10)], ['{reason=new,status=failed} 1'], 'RunTask said no for now'],
  ['c c', {}, [rejected(0), rejected(1)], ['{reason=new,status=failed} 2'], 'RunTask will never say yes'],
  ['c', {}, [launched(0)], [], 'a Pod is made once'],
]);

test('a Pod whose containers restart in a new task is not created again', () => {
  const before = aBoard('b', { restartPolicy: 'OnFailure' });
  const relaunched = plan(before, [], 10);
  expect(relaunched.actions).toContainEqual(expect.objectContaining({ kind: 'launch' }));
  expect(passMetrics({ job: before.job, before: before.status, plan: relaunched, facts: [] })).toEqual([]);
});

describe('each event counts once', () => {
  test('repeated facts do not count', () => {
    const facts = [ended(0, 'Completed'), exited(1, 1)];
    const before = aBoard('r r .');
    const committed = after(before, plan(before, facts));
    const again = plan(committed, facts);
    expect(passMetrics({ job: before.job, before: committed.status, plan: again, facts })).toEqual([]);
  });

  test('a pass without a commit counts only itself', () => {
    const quiet = aBoard('r r');
    const pass = { job: quiet.job, before: quiet.status, plan: plan(quiet), facts: [] };
    expect(pass.plan.status).toBeNull();
    expect(passMetrics(pass)).toEqual([]);
    expect(syncMetrics(pass, 0)).toHaveLength(2);
  });
});

test('job_syncs_total, job_sync_duration_seconds: a pass that threw, and a clock that was set back', () => {
  const dimensions = { completion_mode: 'Indexed', result: 'error', action: 'reconciling' };
  expect(failedSyncMetrics('Indexed', -5)).toEqual([
    { name: 'job_syncs_total', dimensions, value: 1 },
    { name: 'job_sync_duration_seconds', dimensions, value: 0 },
  ]);
});

test('jobs_by_external_controller_total: all foreign names count as one', () => {
  const foreign = ['jobs_by_external_controller_total{controller_name=other} 1'];
  expect(creationMetrics('acme.example/a').map(written)).toEqual(foreign);
  expect(creationMetrics('acme.example/b').map(written)).toEqual(foreign);
  expect(creationMetrics('kubernetes.io/job-controller')).toEqual([]);
  expect(creationMetrics(undefined)).toEqual([]);
});
