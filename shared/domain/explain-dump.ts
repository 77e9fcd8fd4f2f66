import type { EpochMs } from './brand.ts';
import type {
  ClusterDump,
  DumpPlan,
  DumpedCondition,
  DumpedPod,
  JobConditionObject,
  JobStatusObject,
  PlannedEvent,
} from './cluster-dump.ts';
import { deadlineOf } from './decide-phase.ts';
import {
  type DumpStanding,
  PODS_PER_SYNC_MAX,
  boardOf,
  conditionIs,
  countsAsFailed,
  hasFailed,
  inRange,
  isTerminal,
  lastFailed,
} from './dump-board.ts';
import { type IndexSet, formatIndexSet, has, indexSetOf, size, union } from './index-set.ts';
import type { Plan } from './plan.ts';
import { planJob } from './plan-job.ts';
import { podName } from './pod-name.ts';
import { type Phase, type Status, isEnding } from './status.ts';
import { AWS_TIMING } from './timing.ts';

/**
 * What Kubernetes' own Job controller would do next with a Job and its Pods, to the letter: the planner decides, over a
 * board that is made from the dump (dump-board.ts); here its decision is told in Pods, finalizers and a JobStatus.
 * `caps`: upstream's limits of 500 Pods a sync.
 */
export function explainDump(dump: ClusterDump, now: EpochMs, { caps }: { readonly caps: boolean }): DumpPlan {
  const { job } = dump;
  if (!job.spec.managed) return leftAlone(dump, 'managedBy names another controller: the Job is none of ours.');
  if (conditionIs(dump, 'Complete') || conditionIs(dump, 'Failed')) return leftAlone(dump, 'The Job is finished.');
  if (!job.completionModeKnown) {
    const message = 'Skipped Job sync because completion mode is unknown';
    const events: readonly PlannedEvent[] = [{ type: 'Warning', reason: 'UnknownCompletionMode', message }];
    return { ...leftAlone(dump, 'Its completionMode is none that is known.'), events };
  }
  const { status, stored, facts, dumped, standing } = boardOf(dump, now, caps);
  const plan = planJob(job, status, stored, facts, now, AWS_TIMING, dumped);
  const decided = plan.status?.phase ?? status.phase;
  const phase = isCutShort(dump, standing, decided) ? status.phase : decided;
  const decision = { dump, now, before: status, standing, plan, phase, caps };
  return tell(completesBySuspend(decision) ? { ...decision, phase: { ...COMPLETES, since: now } } : decision);
}

const COMPLETES = {
  kind: 'draining',
  verdict: {
    kind: 'complete',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
    decidedBy: null,
  },
} as const;

/** Of a Job that is being deleted nothing is deleted that is too much, so that it cannot complete over what is active. */
const isCutShort = ({ job }: ClusterDump, { active }: DumpStanding, phase: Phase): boolean =>
  job.deleting && active.length > 0 && phase.kind === 'draining' && phase.verdict.reason === 'CompletionsReached';

/**
 * A work queue of which something has succeeded is done when nothing is active any more, and upstream looks at that after
 * a suspend has deleted what was (kubernetes-job.md 3, steps 12 and 13).
 */
const completesBySuspend = ({ dump: { job }, phase, standing }: Decision): boolean =>
  phase.kind === 'suspended' &&
  !job.deleting &&
  job.spec.completions === null &&
  job.status.succeeded + job.status.uncounted.succeeded.length + successes(standing) > 0;

const successes = ({ fresh }: DumpStanding): number => [...fresh].filter(({ phase }) => phase === 'Succeeded').length;

/** One decision, and what it was made from. */
type Decision = {
  readonly dump: ClusterDump;
  readonly now: EpochMs;
  readonly before: Status;
  readonly standing: DumpStanding;
  readonly plan: Plan;
  readonly phase: Phase;
  readonly caps: boolean;
};

function tell(decision: Decision): DumpPlan {
  const { dump, now, before, standing } = decision;
  const { job } = dump;
  const gone = deletions(decision);
  const accounts = account(decision);
  const create = creations(decision);
  const created = create.filter(({ afterSec }) => afterSec === 0);
  const outcome = outcomeOf(decision, accounts.capped);
  const { conditions, events } = conditionsAfter(decision, outcome);
  // A Job that ends is not resumed any more, so that its startTime stays what it was.
  const started = outcome === null ? before.startTime : job.status.startTime;
  const startTime = started ?? (job.spec.suspend ? null : now);
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
      failedIndexes: isPerIndex ? formatIndexSet(failedAfter(decision)) : null,
      uncounted: NONE_UNCOUNTED,
    }),
    create,
    delete: gone.map(({ name }) => name),
    account: accounts.pods.map(({ name }) => name),
    requeueAfterSec: requeueAfterSec(decision, startTime, created.length > 0),
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

// Pods that go, come, and are counted.

/** All that runs, of a Job that ends or is suspended; else those that are too many, in the order in which they are given up. */
function deletions({ dump: { job }, phase, standing, plan }: Decision): readonly DumpedPod[] {
  if (job.deleting && phase.kind !== 'draining') return [];
  if (isEnding(phase)) return standing.ranked;
  const stopped = plan.actions.flatMap((action) => (action.kind === 'stop' ? action.attempts : []));
  const surplus = new Set(stopped.map(({ index }) => standing.podOfSlot.get(index)));
  const strays = [...standing.podOfSlot].filter(([slot]) => isStraySlot(job.spec, slot)).map(([, pod]) => pod);
  return [...new Set([...strays, ...standing.ranked])].filter((pod) => surplus.has(pod));
}

const isStraySlot = ({ completionMode, completions }: ClusterDump['job']['spec'], slot: number): boolean =>
  completionMode === 'Indexed' && slot >= (completions ?? 0);

function creations({ dump: { job }, now, plan }: Decision): DumpPlan['create'] {
  const claimed = plan.actions.flatMap((action) => (action.kind === 'launch' ? action.attempts : []));
  const indexed = job.spec.completionMode === 'Indexed';
  return [
    ...claimed.map(({ index }) => ({ index, afterSec: 0 })),
    ...plan.held.map(({ index, until }) => ({ index, afterSec: secondsTo(until, now) })),
  ]
    .sort((a, b) => a.index - b.index)
    .map(({ index, afterSec }) => ({ index: indexed ? index : null, afterSec }));
}

function createdNames({ dump: { job }, plan }: Decision): readonly string[] {
  const owner = { uid: job.uid, name: job.name, completionMode: job.spec.completionMode };
  return plan.actions.flatMap((action) =>
    action.kind === 'launch' ? action.attempts.map(({ index, attempt }) => podName(owner, index, attempt)) : [],
  );
}

type Accounts = {
  readonly pods: readonly DumpedPod[];
  readonly completed: IndexSet;
  readonly succeeded: number;
  readonly failed: number;
  readonly ignored: readonly DumpedPod[];
  readonly delayed: readonly DumpedPod[];
  /** The limit of one sync was reached: the Job is not over before the next. */
  readonly capped: boolean;
};

/** Walks the Pods that carry the finalizer, as the third step of upstream's accounting does (kubernetes-job.md 7). */
function account(decision: Decision): Accounts {
  const { dump, standing, phase, caps } = decision;
  const { job } = dump;
  const { spec } = job;
  const indexed = spec.completionMode === 'Indexed';
  const isFinishing = phase.kind === 'draining' || phase.kind === 'finished';
  const isFailing = isFinishing && phase.verdict.kind === 'failed';
  const delayed = isFinishing || job.deleting ? new Set<DumpedPod>() : delayedPods(decision);
  const pods: DumpedPod[] = [];
  const ignored: DumpedPod[] = [];
  const completed = new Set<number>();
  const notedFailed = new Set(job.status.uncounted.failed);
  let { succeeded: succeededCount, failed } = job.status;
  let counted = job.status.uncounted.succeeded.length + job.status.uncounted.failed.length;
  succeededCount += job.status.uncounted.succeeded.length;
  failed += job.status.uncounted.failed.length;
  let capped = false;

  const walk = dump.pods.filter(({ hasFinalizer }) => hasFinalizer);
  if (indexed) walk.sort((a, b) => (a.index ?? -1) - (b.index ?? -1));
  for (const pod of walk) {
    const isFailed = hasFailed(spec, pod);
    const isDone = pod.phase === 'Succeeded' || (isFailed && !delayed.has(pod));
    if (!isDone && !isFinishing && !job.deleting) continue;
    const isCounted = isFailed || (isFailing && pod.phase !== 'Succeeded');
    if (pod.phase === 'Succeeded' || isCounted) pods.push(pod);
    if (standing.noted.has(pod) || !inRange(spec, pod)) continue;
    if (pod.phase === 'Succeeded' && !notedFailed.has(pod.uid)) {
      const index = indexed ? (pod.index ?? 0) : null;
      if (index === null) succeededCount++;
      else if (has(standing.succeeded, index) || completed.has(index)) continue;
      else completed.add(index);
      counted++;
    } else if (isCounted) {
      if (countsAsFailed(spec, pod)) {
        failed++;
        counted++;
      } else ignored.push(pod);
    }
    capped = caps && counted >= PODS_PER_SYNC_MAX;
    if (capped) break;
  }
  const all = union(standing.succeeded, indexSetOf([...completed].sort((a, b) => a - b)));
  return {
    pods,
    completed: all,
    succeeded: indexed ? size(all) : succeededCount,
    failed,
    ignored,
    delayed: [...delayed],
    capped,
  };
}

/** With a limit per index, the failed Pod that carries an index's counts stays until a replacement carries them (6.2). */
function delayedPods(decision: Decision): ReadonlySet<DumpedPod> {
  const { dump, standing } = decision;
  const { spec } = dump.job;
  if (spec.backoffLimitPerIndex === null) return new Set();
  const failedForGood = failedAfter(decision);
  const active = new Set(standing.active.map(({ index }) => index));
  const byIndex = new Map<number, DumpedPod[]>();
  const succeeded = new Set<number>();
  for (const pod of dump.pods) {
    if (!pod.hasFinalizer || pod.index === null || !inRange(spec, pod)) continue;
    if (pod.phase === 'Succeeded') succeeded.add(pod.index);
    else if (hasFailed(spec, pod)) byIndex.set(pod.index, [...(byIndex.get(pod.index) ?? []), pod]);
  }
  const delayed = new Set<DumpedPod>();
  for (const [index, pods] of byIndex) {
    if (active.has(index) || succeeded.has(index) || has(standing.succeeded, index) || has(failedForGood, index))
      continue;
    const last = lastFailed(pods);
    if (last !== undefined) delayed.add(last);
  }
  return delayed;
}

/** Indexes that have failed for good, those of this pass included. */
function failedAfter({ standing, plan }: Decision): IndexSet {
  const now = (plan.status?.journal.entries ?? []).flatMap(({ transition: { op, index } }) =>
    op === 'failedForGood' ? [index] : [],
  );
  return union(standing.failed, indexSetOf(now.sort((a, b) => a - b)));
}

// The Job's conditions.

type Outcome = {
  readonly kind: 'complete' | 'failed';
  readonly reason: string;
  readonly message: string;
  readonly terminal: boolean;
};

/** How the Job ends, if it does; an interim condition that is there already keeps its reason and its message. */
function outcomeOf({ dump, phase }: Decision, capped: boolean): Outcome | null {
  if (phase.kind !== 'draining' && phase.kind !== 'finished') return null;
  const { kind, reason, message } = phase.verdict;
  const type = kind === 'complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const interim = dump.job.status.conditions.find((c) => c.type === type && c.status === 'True');
  const words = interim === undefined ? { reason, message } : { reason: interim.reason, message: interim.message };
  return { kind, ...words, terminal: phase.kind === 'finished' && !capped };
}

function conditionsAfter(
  { dump, now, phase }: Decision,
  outcome: Outcome | null,
): { readonly conditions: readonly DumpedCondition[]; readonly events: readonly PlannedEvent[] } {
  const { deleting, status } = dump.job;
  const { conditions } = status;
  if (outcome !== null) {
    const { kind, reason, message, terminal } = outcome;
    const [interim, end] =
      kind === 'complete' ? (['SuccessCriteriaMet', 'Complete'] as const) : (['FailureTarget', 'Failed'] as const);
    const decided = ensure(conditions, interim, 'True', reason, message, now);
    if (!terminal) return { conditions: decided, events: [] };
    return {
      conditions: ensure(decided, end, 'True', reason, message, now),
      events: [kind === 'complete' ? normal('Completed', 'Job completed') : warning(reason, message)],
    };
  }
  if (deleting) return { conditions, events: [] };
  const was = conditionIs(dump, 'Suspended');
  if (phase.kind === 'suspended') {
    return {
      conditions: ensure(conditions, 'Suspended', 'True', 'JobSuspended', 'Job suspended', now),
      events: was ? [] : [normal('Suspended', 'Job suspended')],
    };
  }
  if (!was) return { conditions, events: [] };
  return {
    conditions: ensure(conditions, 'Suspended', 'False', 'JobResumed', 'Job resumed', now),
    events: [normal('Resumed', 'Job resumed')],
  };
}

/** Sets a condition where it stands, or at the end; nothing changes where all of it is so already (kubernetes-job.md 3.1). */
function ensure(
  conditions: readonly DumpedCondition[],
  type: string,
  status: string,
  reason: string,
  message: string,
  now: EpochMs,
): readonly DumpedCondition[] {
  const set = { type, status, reason, message, lastProbeTime: now, lastTransitionTime: now };
  const at = conditions.findIndex((condition) => condition.type === type);
  const old = conditions[at];
  if (old === undefined) return status === 'False' ? conditions : [...conditions, set];
  if (old.status === status && old.reason === reason && old.message === message) return conditions;
  return conditions.with(at, set);
}

// When the controller looks again, and why it does what it does.

function requeueAfterSec(
  { dump: { job }, now, phase, plan }: Decision,
  startTime: EpochMs | null,
  creates: boolean,
): number | null {
  if (phase.kind !== 'running' || job.deleting) return null;
  const deadline = deadlineOf(job.spec, startTime);
  // Where some are created, their events wake the controller for the others.
  const held = creates ? [] : plan.held.map(({ until }) => until);
  const times = [...held, ...(deadline === null ? [] : [deadline])];
  return times.length === 0 ? null : secondsTo(Math.min(...times), now);
}

function reasons(
  { dump: { job, pods }, now, phase, plan, standing, before }: Decision,
  outcome: Outcome | null,
  { ignored, delayed, capped }: Accounts,
): readonly string[] {
  const said: string[] = [];
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
  const strays = [...standing.podOfSlot.keys()].filter((slot) => isStraySlot(job.spec, slot)).length;
  if (strays > 0 && phase.kind === 'running') {
    said.push('Pods that share an index, or whose index the Job does not have, are deleted before any is created.');
  }
  if (plan.held.length > 0) {
    const until = Math.min(...plan.held.map((held) => held.until));
    const some = plan.held.length === 1 ? 'One of its indexes is' : `${plan.held.length} of its indexes are`;
    const whose = job.spec.backoffLimitPerIndex === null ? 'The Job is' : some;
    said.push(`${whose} in back-off for ${secondsTo(until, now)} s more.`);
  }
  const holding = pods.filter((pod) => !isTerminal(pod) && pod.deletedAt !== null).length;
  if (holding > 0 && before.lingering.length === 0 && phase.kind === 'running') {
    said.push('Pods that are being deleted are replaced when they have ended (podReplacementPolicy Failed).');
  }
  return said;
}

// A JobStatus as JSON has it.

const NONE_UNCOUNTED = { succeeded: [], failed: [] };

/** Nothing of the Job changes. */
function leftAlone({ job: { status } }: ClusterDump, why: string): DumpPlan {
  return {
    status: statusObject(status),
    create: [],
    delete: [],
    account: [],
    requeueAfterSec: null,
    events: [],
    because: [why],
  };
}

/** Empty counts and times are left out, as upstream leaves them out; `ready` and `terminating` never are. */
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

/** RFC 3339 in whole seconds. */
const asTime = (at: EpochMs): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

const secondsTo = (at: number, now: EpochMs): number => (at - now) / 1000;
const readyCount = (pods: readonly DumpedPod[]): number => pods.filter(({ ready }) => ready).length;
const normal = (reason: string, message: string): PlannedEvent => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): PlannedEvent => ({ type: 'Warning', reason, message });
