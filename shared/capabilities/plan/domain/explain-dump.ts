import { type EpochMs, asTime } from '../../../domain/base/time.ts';
import type {
  ClusterDump,
  DumpPlan,
  DumpedCondition,
  DumpedPod,
  JobConditionObject,
  JobStatusObject,
} from './cluster-dump.ts';
import { COMPLETED, deadlineOf } from '../../../domain/planner/decide-phase.ts';
import { type DumpStanding, PODS_PER_SYNC_MAX, boardOf } from './dump-board.ts';
import { type DumpedEnd, conditionsAfter, outcomeOf } from './dump-conditions.ts';
import {
  type Accounts,
  type DumpDecision,
  account,
  createdNames,
  creations,
  deletions,
  secondsTo,
} from './dump-decision.ts';
import { conditionIs, isTerminal } from './dumped-pods.ts';
import { formatIndexSet } from '../../../domain/base/index-set.ts';
import { isOutOfRange } from '../../../domain/manifests/job.ts';
import { normal, warning } from '../../../domain/events/job-events.ts';
import { planJob } from '../../../domain/planner/plan-job.ts';
import type { FailureReason, Phase } from '../../../domain/scoreboard/status.ts';
import { AWS_TIMING } from '../../../domain/base/timing.ts';

/**
 * What Kubernetes' own Job controller would do next with a Job and its Pods, exactly. The planner decides over a board that is
 * built from the dump (dump-board.ts); this file reports its decision as Pods, finalizers, and a JobStatus. `caps`: upstream's
 * limits of 500 Pods per sync.
 */
export function explainDump(dump: ClusterDump, now: EpochMs, { caps }: { readonly caps: boolean }): DumpPlan {
  const { job } = dump;
  if (!job.spec.managed) return leftAlone(dump, 'managedBy names another controller: the Job is none of ours.');
  if (conditionIs(dump, 'Complete') || conditionIs(dump, 'Failed')) return leftAlone(dump, 'The Job is finished.');
  if (!job.completionModeKnown) {
    const message = 'Skipped Job sync because completion mode is unknown';
    const events = [warning('UnknownCompletionMode', message)];
    return { ...leftAlone(dump, 'Its completionMode is none that is known.'), events };
  }
  const { status, stored, facts, rules, standing } = boardOf(dump, now, caps);
  const plan = planJob(job, status, stored, facts, now, AWS_TIMING, rules);
  const decided = plan.status?.phase ?? status.phase;
  const phase = isCutShort(dump, standing, decided) ? status.phase : decided;
  const decision = { dump, now, before: status, standing, plan, phase, caps };
  return tell(
    completesBySuspend(decision)
      ? { ...decision, phase: { kind: 'draining', verdict: COMPLETED, since: now } }
      : decision,
  );
}

/** If a Job is being deleted, its surplus is not deleted, so it cannot complete over its active Pods. */
const isCutShort = ({ job }: ClusterDump, { active }: DumpStanding, phase: Phase): boolean =>
  job.deleting && active.length > 0 && phase.kind === 'draining' && phase.verdict.reason === 'CompletionsReached';

/**
 * A work queue in which a Pod has succeeded is complete when no Pod is active, and upstream checks that after a suspend has
 * deleted the active ones (kubernetes-job.md 3, steps 12 and 13).
 */
const completesBySuspend = ({ dump: { job }, phase, standing }: DumpDecision): boolean =>
  phase.kind === 'suspended' &&
  !job.deleting &&
  job.spec.completions === null &&
  job.status.succeeded + job.status.uncounted.succeeded.length + successes(standing) > 0;

const successes = ({ fresh }: DumpStanding): number => [...fresh].filter(({ phase }) => phase === 'Succeeded').length;

/** One decision, and what it was made from. */
function tell(decision: DumpDecision): DumpPlan {
  const { dump, now, standing } = decision;
  const { job } = dump;
  const gone = deletions(decision);
  const accounts = account(decision);
  const create = creations(decision);
  const created = create.filter(({ afterSec }) => afterSec === 0);
  const outcome = outcomeOf(decision, accounts.capped);
  const { conditions, events } = conditionsAfter(decision, outcome);
  const startTime = startTimeAfter(decision, outcome);
  const isOver = outcome?.terminal === true;
  const isPerIndex = job.spec.backoffLimitPerIndex !== null;
  const tooMany = isOver && outcome.kind === 'complete' && accounts.succeeded > (job.spec.completions ?? Infinity);
  return {
    status: statusObject({
      conditions,
      startTime,
      completionTime: isOver && outcome.kind === 'complete' ? now : job.status.completionTime,
      active: isOver ? 0 : standing.active.length - gone.length + created.length,
      ready: isOver ? 0 : readyCount(standing.active) - readyCount(gone),
      terminating: isOver ? 0 : standing.terminating + gone.length,
      succeeded: accounts.succeeded,
      failed: accounts.failed,
      completedIndexes: job.spec.completionMode === 'Indexed' ? formatIndexSet(accounts.completed) : '',
      failedIndexes: isPerIndex ? formatIndexSet(standing.failed) : null,
      uncounted: accounts.uncounted,
    }),
    create,
    delete: gone.map(({ name }) => name),
    account: accounts.pods.map(({ name }) => name),
    release: accounts.released.map(({ name }) => name),
    requeueAfterSec: requeueAfterSec(decision, outcome, created.length > 0),
    events: [
      ...gone.map(({ name }) => normal('SuccessfulDelete', `Deleted pod: ${name}`)),
      ...createdNames(decision).map((name) => normal('SuccessfulCreate', `Created pod: ${name}`)),
      ...(tooMany
        ? [warning('TooManySucceededPods', 'Too many succeeded pods running after completion count reached')]
        : []),
      ...events,
    ],
    because: reasons(decision, outcome, accounts),
  };
}

/** A resumed Job gets a new one; a Job that ends is not resumed any more. */
function startTimeAfter({ dump, now }: DumpDecision, outcome: DumpedEnd | null): EpochMs | null {
  const { spec, status, deleting } = dump.job;
  if (outcome === null && !spec.suspend && !deleting && conditionIs(dump, 'Suspended')) return now;
  return status.startTime ?? (spec.suspend ? null : now);
}

// When the controller runs again, and why it does what it does.

function requeueAfterSec(
  { dump, now, phase, plan }: DumpDecision,
  outcome: DumpedEnd | null,
  creates: boolean,
): number | null {
  const { spec, status, deleting } = dump.job;
  // The deadline is checked before a resumed Job gets its new start, and before the reasons that only indexes give.
  const failsFirst =
    'verdict' in phase && phase.verdict.kind === 'failed' && FAILS_BEFORE_DEADLINE[phase.verdict.reason];
  const isEnded = outcome !== null && (isInterim(dump) || failsFirst);
  const deadline = isEnded ? null : deadlineOf(spec, status.startTime ?? now);
  // If some are created, their events trigger the controller for the others.
  const held = creates || phase.kind !== 'running' || deleting ? [] : plan.inBackoff.map(({ until }) => until);
  const times = [...held, ...(deadline === null ? [] : [deadline])];
  return times.length === 0 ? null : secondsTo(Math.min(...times), now);
}

/** Whether upstream looks at a reason before it asks for a sync at the deadline. */
const FAILS_BEFORE_DEADLINE: Readonly<Record<FailureReason, boolean>> = {
  PodFailurePolicy: true,
  BackoffLimitExceeded: true,
  DeadlineExceeded: true,
  MaxFailedIndexesExceeded: false,
  FailedIndexes: false,
  LaunchRefused: false,
  Killed: false,
  DependencyFailed: false,
  GangTimeout: false,
};

const isInterim = (dump: ClusterDump): boolean =>
  conditionIs(dump, 'SuccessCriteriaMet') || conditionIs(dump, 'FailureTarget');

function reasons(
  { dump: { job, pods }, now, phase, plan, standing, before }: DumpDecision,
  outcome: DumpedEnd | null,
  { ignored, delayed, capped }: Accounts,
): readonly string[] {
  const said: string[] = [];
  if (job.ownAnnotations.length > 0)
    said.push(`Only Muster knows ${job.ownAnnotations.join(', ')}: in a cluster, that changes nothing.`);
  if (outcome !== null) {
    const ends = outcome.kind === 'complete' ? 'succeeds' : 'fails';
    said.push(`The Job ${ends}: ${outcome.reason}, ${outcome.message}.`);
    if (!outcome.terminal && !capped)
      said.push('The terminal condition waits until no Pod of it runs or terminates any more.');
  }
  if (phase.kind === 'suspended') said.push('It is suspended: no Pod runs, and none is created.');
  if (job.deleting) said.push('It is being deleted: finalizers go, and nothing is created.');
  if (capped) said.push(`One sync counts ${PODS_PER_SYNC_MAX} Pods at most; the others are the next one's.`);
  for (const { name } of ignored) said.push(`podFailurePolicy ignores the failure of ${name}.`);
  for (const { name } of delayed) {
    said.push(`${name} is not counted yet: it stands for the failures of its index until a replacement does.`);
  }
  const strays = [...standing.podOfSlot.keys()].filter((slot) => isOutOfRange(job.spec, slot)).length;
  if (strays > 0 && phase.kind === 'running') {
    said.push('Pods that share an index, or whose index the Job does not have, are deleted before any is created.');
  }
  if (plan.inBackoff.length > 0) {
    const until = Math.min(...plan.inBackoff.map((held) => held.until));
    const some = plan.inBackoff.length === 1 ? 'One of its indexes is' : `${plan.inBackoff.length} of its indexes are`;
    const whose = job.spec.backoffLimitPerIndex === null ? 'The Job is' : some;
    said.push(`${whose} in back-off for ${secondsTo(until, now)} s more.`);
  }
  const holding = pods.filter((pod) => !isTerminal(pod) && pod.deletedAt !== null).length;
  if (holding > 0 && before.replacedTasks.length === 0 && phase.kind === 'running') {
    said.push('Pods that are being deleted are replaced when they have ended (podReplacementPolicy Failed).');
  }
  return said;
}

// A JobStatus as JSON has it.

/** Nothing about the Job changes. */
function leftAlone({ job: { status } }: ClusterDump, why: string): DumpPlan {
  return {
    status: statusObject(status),
    create: [],
    delete: [],
    account: [],
    release: [],
    requeueAfterSec: null,
    events: [],
    because: [why],
  };
}

/** Empty counts and times are omitted, as upstream omits them; `ready` and `terminating` never are. */
function statusObject(status: ClusterDump['job']['status']): JobStatusObject {
  const { conditions, startTime, completionTime, active, ready, terminating, succeeded, failed } = status;
  const { completedIndexes, failedIndexes, uncounted } = status;
  return {
    ...(conditions.length === 0 ? {} : { conditions: conditions.map(conditionObject) }),
    ...(startTime === null ? {} : { startTime: asTime(startTime) }),
    ...(completionTime === null ? {} : { completionTime: asTime(completionTime) }),
    ...(active === 0 ? {} : { active }),
    ready,
    terminating,
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    ...(completedIndexes === '' ? {} : { completedIndexes }),
    ...(failedIndexes === null ? {} : { failedIndexes }),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length === 0 ? {} : { succeeded: uncounted.succeeded }),
      ...(uncounted.failed.length === 0 ? {} : { failed: uncounted.failed }),
    },
  };
}

const conditionObject = ({
  type,
  status,
  reason,
  message,
  lastProbeTime,
  lastTransitionTime,
}: DumpedCondition): JobConditionObject => ({
  type,
  status,
  ...(lastProbeTime === null ? {} : { lastProbeTime: asTime(lastProbeTime) }),
  ...(lastTransitionTime === null ? {} : { lastTransitionTime: asTime(lastTransitionTime) }),
  ...(reason === '' ? {} : { reason }),
  ...(message === '' ? {} : { message }),
});

const readyCount = (pods: readonly DumpedPod[]): number => pods.filter(({ ready }) => ready).length;
