import type { EpochMs } from './brand.ts';
import type { ClusterDump, DumpPlan, DumpedPod } from './cluster-dump.ts';
import { type DumpStanding, PODS_PER_SYNC_MAX } from './dump-board.ts';
import { countsAsFailed, hasFailed, inRange, lastFailed } from './dumped-pods.ts';
import { type IndexSet, has, indexSetOf, size, union } from './index-set.ts';
import { isOutOfRange } from './job.ts';
import type { Plan } from './plan.ts';
import { podName } from './pod-name.ts';
import { type Phase, type Status, isEnding } from './status.ts';

export type Decision = {
  readonly dump: ClusterDump;
  readonly now: EpochMs;
  readonly before: Status;
  readonly standing: DumpStanding;
  readonly plan: Plan;
  readonly phase: Phase;
  readonly caps: boolean;
};

/** All that runs, of a Job that ends or is suspended; else those that are too many, in the order in which they are given up. */
export function deletions({ dump: { job }, phase, standing, plan }: Decision): readonly DumpedPod[] {
  if (job.deleting && phase.kind !== 'draining') return [];
  if (isEnding(phase)) return standing.ranked;
  const stopped = plan.actions.flatMap((action) => (action.kind === 'stop' ? action.attempts : []));
  const surplus = new Set(stopped.map(({ index }) => standing.podOfSlot.get(index)));
  const strays = [...standing.podOfSlot].filter(([slot]) => isOutOfRange(job.spec, slot)).map(([, pod]) => pod);
  return [...new Set([...strays, ...standing.ranked])].filter((pod) => surplus.has(pod));
}

export function creations({ dump: { job }, now, plan }: Decision): DumpPlan['create'] {
  const claimed = plan.actions.flatMap((action) => (action.kind === 'launch' ? action.attempts : []));
  const indexed = job.spec.completionMode === 'Indexed';
  return [
    ...claimed.map(({ index }) => ({ index, afterSec: 0 })),
    ...plan.held.map(({ index, until }) => ({ index, afterSec: secondsTo(until, now) })),
  ]
    .sort((a, b) => a.index - b.index)
    .map(({ index, afterSec }) => ({ index: indexed ? index : null, afterSec }));
}

export function createdNames({ dump: { job }, plan }: Decision): readonly string[] {
  const owner = { uid: job.uid, name: job.name, completionMode: job.spec.completionMode };
  return plan.actions.flatMap((action) =>
    action.kind === 'launch' ? action.attempts.map(({ index, attempt }) => podName(owner, index, attempt)) : [],
  );
}

export type Accounts = {
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
export function account(decision: Decision): Accounts {
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
export function failedAfter({ standing, plan }: Decision): IndexSet {
  const now = (plan.status?.journal.entries ?? []).flatMap(({ transition: { op, index } }) =>
    op === 'failedForGood' ? [index] : [],
  );
  return union(standing.failed, indexSetOf(now.sort((a, b) => a - b)));
}

/** As JSON tells it. */
export const secondsTo = (at: number, now: EpochMs): number => (at - now) / 1000;
