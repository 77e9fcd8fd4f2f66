import type { Fact } from '../base/fact.ts';
import { type CompletionMode, type Job, OWN_MANAGER, isOutOfRange } from '../manifests/job.ts';
import { POLICY_ACTIONS, type PolicyAction } from '../manifests/manifest.ts';
import type { Plan } from './plan.ts';
import { type Status, type Verdict, isOver, tally } from '../scoreboard/status.ts';
import type { Transition, TransitionOp } from '../scoreboard/transition.ts';

type Result = 'succeeded' | 'failed';
type SyncLabels = {
  readonly completion_mode: CompletionMode;
  readonly result: 'success' | 'error';
  readonly action: 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';
};
type CreationReason = 'new' | 'recreate_terminating_or_failed' | 'recreate_failed';

/**
 * One sample of a metric of Kubernetes' Job controller, with upstream's names and labels (kubernetes-job.md 3.3). Every label
 * has a bounded set of values: each combination is billed as a separate metric.
 */
export type JobMetric =
  | Sample<'job_syncs_total', SyncLabels>
  /** seconds; all others are counts */
  | Sample<'job_sync_duration_seconds', SyncLabels>
  | Sample<
      'jobs_finished_total',
      { readonly completion_mode: CompletionMode; readonly result: Result; readonly reason: Verdict['reason'] }
    >
  | Sample<'job_pods_finished_total', { readonly completion_mode: CompletionMode; readonly result: Result }>
  | Sample<'pod_failures_handled_by_failure_policy_total', { readonly action: PolicyAction }>
  | Sample<'terminated_pods_tracking_finalizer_total', { readonly event: 'add' | 'delete' }>
  | Sample<'job_finished_indexes_total', { readonly status: Result; readonly backoffLimit: 'perIndex' | 'global' }>
  | Sample<'job_pods_creation_total', { readonly reason: CreationReason; readonly status: Result }>
  | Sample<'jobs_by_external_controller_total', { readonly controller_name: 'other' }>;

type Sample<Name extends string, Labels> = {
  readonly name: Name;
  readonly dimensions: Labels;
  readonly value: number;
};

/** One committed pass. */
export type CommittedPass = {
  readonly job: Job;
  /** STATUS before the pass. */
  readonly before: Status;
  readonly plan: Plan;
  /** The facts that the pass was given. */
  readonly facts: readonly Fact[];
};

/** What one committed pass counts, apart from itself; samples of value 0 are omitted. */
export function passMetrics({ job, before, plan, facts }: CommittedPass): readonly JobMetric[] {
  const after = plan.status;
  if (after === null) return [];
  const { spec } = job;
  const { completionMode: completion_mode } = spec;
  const steps = stepsOf(before, after);
  const succeeded = steps.filter(({ op, index }) => op === 'succeeded' && !isOutOfRange(spec, index)).length;
  const backoffLimit = spec.backoffLimitPerIndex === null ? 'global' : 'perIndex';
  const indexes = (op: TransitionOp): number =>
    completion_mode === 'Indexed'
      ? steps.filter((step) => step.op === op && !isOutOfRange(spec, step.index)).length
      : 0;
  const terminated = steps.filter(({ op }) => TERMINATES.has(op)).length;
  const { policyActions } = plan.counted;

  const samples: readonly JobMetric[] = [
    ...creations(job, after, steps, plan.counted.refused + rejections(facts, steps)),
    podsFinished(completion_mode, 'succeeded', succeeded),
    podsFinished(completion_mode, 'failed', after.failed - before.failed),
    ...POLICY_ACTIONS.map(
      (action): JobMetric => ({
        name: 'pod_failures_handled_by_failure_policy_total',
        dimensions: { action },
        value: policyActions[action],
      }),
    ),
    // The board's bit is the finalizer: it exists until the write that counts the Pod.
    ...(['add', 'delete'] as const).map(
      (event): JobMetric => ({
        name: 'terminated_pods_tracking_finalizer_total',
        dimensions: { event },
        value: terminated,
      }),
    ),
    indexesFinished('succeeded', backoffLimit, indexes('succeeded')),
    indexesFinished('failed', backoffLimit, indexes('failedForGood')),
    ...finish(job, before, after),
  ];
  return samples.filter(({ value }) => value > 0);
}

/**
 * The pass itself, and how long it took. As in upstream, Jobs that are over or that another controller manages are not synced,
 * so a pass over them counts nothing.
 */
export function syncMetrics({ job, before, plan }: CommittedPass, durationMs: number): readonly JobMetric[] {
  if (isOver(before.phase) || !job.spec.managed) return [];
  return syncSamples(
    { completion_mode: job.spec.completionMode, result: 'success', action: actionOf(before, plan) },
    durationMs,
  );
}

/** A pass that threw, or that lost every race for the commit; upstream's action is then its initial one. */
export const failedSyncMetrics = (completion_mode: CompletionMode, durationMs: number): readonly JobMetric[] =>
  syncSamples({ completion_mode, result: 'error', action: 'reconciling' }, durationMs);

/** A new Job that names another controller. Its name may be any text, so the metric only says that it is not us. */
export const creationMetrics = (managedBy: string | undefined): readonly JobMetric[] =>
  managedBy === undefined || managedBy === OWN_MANAGER
    ? []
    : [{ name: 'jobs_by_external_controller_total', dimensions: { controller_name: 'other' }, value: 1 }];

const syncSamples = (dimensions: SyncLabels, durationMs: number): readonly JobMetric[] => [
  { name: 'job_syncs_total', dimensions, value: 1 },
  { name: 'job_sync_duration_seconds', dimensions, value: Math.max(0, durationMs) / 1000 },
];

/**
 * Upstream's words: Pods were created or deleted in this pass, it waits for those that it requested before, or it only counts.
 */
function actionOf(before: Status, { status, actions }: Plan): SyncLabels['action'] {
  if (status !== null && stepsOf(before, status).some(({ op }) => op === 'claim')) return 'pods_created';
  if (actions.some(({ kind }) => kind === 'stop')) return 'pods_deleted';
  const { inFlight, stopRound } = status ?? before;
  return inFlight.length > 0 || stopRound !== null ? 'reconciling' : 'tracking';
}

/** The transitions that this pass has committed: no fold drops an unpublished one. */
const stepsOf = ({ journal: { nextSeq } }: Status, after: Status): readonly Transition[] =>
  after.journal.entries.flatMap(({ seq, transition }) => (seq >= nextSeq ? [transition] : []));

/**
 * Steps that end a Pod and account for it. A release is none: upstream removes the finalizer of Pods that it deletes before
 * they end.
 */
const TERMINATES: ReadonlySet<TransitionOp> = new Set<TransitionOp>([
  'succeeded',
  'failed',
  'failedForGood',
  'ignored',
  'lost',
  'lostToSpot',
]);

/**
 * The commit that claims an index creates its Pod: from then on it is listed. A Pod whose RunTask is refused was not created,
 * and is retried. The reason is upstream's, which depends on the Job as a whole, not on the Pod.
 */
function creations({ spec }: Job, after: Status, steps: readonly Transition[], refused: number): readonly JobMetric[] {
  const terminating = after.replacedTasks.length + tally(after.chunks).stopping;
  const again = spec.podReplacementPolicy === 'Failed' && after.failed > 0;
  const rest = after.failed > 0 || terminating > 0 ? 'recreate_terminating_or_failed' : 'new';
  const reason: CreationReason = again ? 'recreate_failed' : rest;
  const made = steps.filter(({ op }) => op === 'claim').length;
  return [
    { name: 'job_pods_creation_total', dimensions: { reason, status: 'succeeded' }, value: made },
    { name: 'job_pods_creation_total', dimensions: { reason, status: 'failed' }, value: refused },
  ];
}

/** Attempts that this pass has given up because RunTask will always refuse. */
function rejections(facts: readonly Fact[], steps: readonly Transition[]): number {
  const rejected = new Set(facts.flatMap(({ kind, index }) => (kind === 'rejected' ? [index] : [])));
  return steps.filter(({ op, index }) => op === 'released' && rejected.has(index)).length;
}

/** The write that sets the terminal condition; a Job that was deleted before has none. */
function finish({ spec }: Job, before: Status, { phase }: Status): readonly JobMetric[] {
  if (phase.kind !== 'finished' || before.phase.kind === 'finished') return [];
  const { kind, reason } = phase.verdict;
  const result = kind === 'complete' ? 'succeeded' : 'failed';
  const dimensions = { completion_mode: spec.completionMode, result, reason } as const;
  return [{ name: 'jobs_finished_total', dimensions, value: 1 }];
}

const podsFinished = (completion_mode: CompletionMode, result: Result, value: number): JobMetric => ({
  name: 'job_pods_finished_total',
  dimensions: { completion_mode, result },
  value,
});

const indexesFinished = (status: Result, backoffLimit: 'perIndex' | 'global', value: number): JobMetric => ({
  name: 'job_finished_indexes_total',
  dimensions: { status, backoffLimit },
  value,
});
