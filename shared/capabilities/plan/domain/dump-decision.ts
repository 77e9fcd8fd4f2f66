import type { EpochMs } from '../../../domain/base/time.ts';
import type { ClusterDump, DumpPlan, DumpedPod } from './cluster-dump.ts';
import { type DumpStanding, PODS_PER_SYNC_MAX } from './dump-board.ts';
import { countsAsFailed, hasFailed, inRange, lastFailed } from './dumped-pods.ts';
import { type IndexSet, has, indexSetOf, size, union } from '../../../domain/base/index-set.ts';
import { isOutOfRange } from '../../../domain/manifests/job.ts';
import type { Plan } from '../../../domain/planner/plan.ts';
import { podName } from '../../../domain/task/pod-name.ts';
import { type Phase, type Status, isEnding } from '../../../domain/scoreboard/status.ts';

export type DumpDecision = {
  readonly dump: ClusterDump;
  readonly now: EpochMs;
  readonly before: Status;
  readonly standing: DumpStanding;
  readonly plan: Plan;
  readonly phase: Phase;
  readonly caps: boolean;
};

/** If the Job ends or is suspended, everything that runs; otherwise the surplus, in the order in which it is deleted. */
export function deletions({ dump: { job }, phase, standing, plan }: DumpDecision): readonly DumpedPod[] {
  if (job.deleting && phase.kind !== 'draining') return [];
  if (isEnding(phase)) return standing.ranked;
  const stopped = plan.actions.flatMap((action) => (action.kind === 'stop' ? action.attempts : []));
  const surplus = new Set(stopped.map(({ index }) => standing.podOfSlot.get(index)));
  const strays = [...standing.podOfSlot].filter(([slot]) => isOutOfRange(job.spec, slot)).map(([, pod]) => pod);
  return [...new Set([...strays, ...standing.ranked])].filter((pod) => surplus.has(pod));
}

export function creations({ dump: { job }, now, plan }: DumpDecision): DumpPlan['create'] {
  const claimed = plan.actions.flatMap((action) => (action.kind === 'launch' ? action.attempts : []));
  const indexed = job.spec.completionMode === 'Indexed';
  return [
    ...claimed.map(({ index }) => ({ index, afterSec: 0 })),
    ...plan.inBackoff.map(({ index, until }) => ({ index, afterSec: secondsTo(until, now) })),
  ]
    .sort((a, b) => a.index - b.index)
    .map(({ index, afterSec }) => ({ index: indexed ? index : null, afterSec }));
}

export function createdNames({ dump: { job }, plan }: DumpDecision): readonly string[] {
  const owner = { uid: job.uid, name: job.name, completionMode: job.spec.completionMode };
  return plan.actions.flatMap((action) =>
    action.kind === 'launch' ? action.attempts.map(({ index, attempt }) => podName(owner, index, attempt)) : [],
  );
}

export type Accounts = {
  /** Pods that have ended, or count as failed: they lose their finalizer. */
  readonly pods: readonly DumpedPod[];
  /** All other Pods that lose their finalizer: they never count. */
  readonly released: readonly DumpedPod[];
  readonly completed: IndexSet;
  readonly succeeded: number;
  readonly failed: number;
  /** UIDs that are still counted in two steps: their Pods keep the finalizer. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly ignored: readonly DumpedPod[];
  readonly delayed: readonly DumpedPod[];
  /** The limit of one sync was reached: the Job cannot end before the next one. */
  readonly capped: boolean;
};

/** Walks the Pods that have the finalizer, as upstream's accounting does (kubernetes-job.md 7). */
export function account(decision: DumpDecision): Accounts {
  const { dump, standing, phase, caps } = decision;
  const delayed = isFinishing(phase) || dump.job.deleting ? new Set<DumpedPod>() : delayedPods(decision);
  const walk = dump.pods.filter(({ hasFinalizer }) => hasFinalizer);
  if (dump.job.spec.completionMode === 'Indexed') walk.sort((a, b) => (a.index ?? -1) - (b.index ?? -1));
  const ledger = new DumpLedger(dump, walk, standing.succeeded);
  const pods: DumpedPod[] = [];
  const released = new Set(isFinishing(phase) ? [] : deletions(decision).filter(({ hasFinalizer }) => hasFinalizer));
  let capped = false;
  for (const pod of walk) {
    const as = accountedAs(pod, decision, delayed);
    if (as === null) continue;
    if (as === 'released') released.add(pod);
    else pods.push(pod);
    ledger.take(pod, as === 'failed');
    capped = caps && ledger.listed >= PODS_PER_SYNC_MAX;
    if (capped) break;
  }
  return { ...ledger.result(), pods, released: [...released], delayed: [...delayed], capped };
}

const isFinishing = (phase: Phase): phase is Extract<Phase, { kind: 'draining' | 'finished' }> =>
  phase.kind === 'draining' || phase.kind === 'finished';

/**
 * What the Pod counts as when it loses its finalizer; null: it keeps it. A Pod that still runs when the Job fails counts as
 * failed.
 */
function accountedAs(
  pod: DumpedPod,
  { dump: { job }, phase }: DumpDecision,
  delayed: ReadonlySet<DumpedPod>,
): 'succeeded' | 'failed' | 'released' | null {
  if (pod.phase === 'Succeeded') return 'succeeded';
  if (hasFailed(job.spec, pod)) return delayed.has(pod) ? null : 'failed';
  if (isFinishing(phase)) return phase.verdict.kind === 'failed' ? 'failed' : 'released';
  return job.deleting ? 'released' : null;
}

/** What the walk adds to the status. */
class DumpLedger {
  /** UIDs in the status's lists, and new indexes: upstream stops at 500 of them. */
  listed: number;
  readonly #dump: ClusterDump;
  readonly #before: IndexSet;
  readonly #completed = new Set<number>();
  readonly #ignored: DumpedPod[] = [];
  readonly #uncounted: { readonly succeeded: Set<string>; readonly failed: Set<string> };
  readonly #noted: ReadonlySet<string>;
  readonly #notedFailed: ReadonlySet<string>;
  #succeeded: number;
  #failed: number;

  /** A UID whose Pod has lost the finalizer, or is gone, is finally counted at once. */
  constructor(dump: ClusterDump, walk: readonly DumpedPod[], before: IndexSet) {
    const { uncounted, succeeded, failed } = dump.job.status;
    const held = new Set(walk.map(({ uid }) => uid));
    const heldOf = (uids: readonly string[]) => new Set(uids.filter((uid) => held.has(uid)));
    this.#dump = dump;
    this.#before = before;
    this.#noted = new Set([...uncounted.succeeded, ...uncounted.failed]);
    this.#notedFailed = new Set(uncounted.failed);
    this.#uncounted = { succeeded: heldOf(uncounted.succeeded), failed: heldOf(uncounted.failed) };
    this.#succeeded = succeeded + uncounted.succeeded.length - this.#uncounted.succeeded.size;
    this.#failed = failed + uncounted.failed.length - this.#uncounted.failed.size;
    this.listed = this.#uncounted.succeeded.size + this.#uncounted.failed.size;
  }

  /** Removes the Pod's finalizer. */
  take(pod: DumpedPod, isCounted: boolean): void {
    const { spec } = this.#dump.job;
    if (this.#uncounted.succeeded.delete(pod.uid)) this.#succeeded++;
    if (this.#uncounted.failed.delete(pod.uid)) this.#failed++;
    if (!inRange(spec, pod)) return;
    if (pod.phase === 'Succeeded' && !this.#notedFailed.has(pod.uid)) {
      if (spec.completionMode === 'NonIndexed') {
        if (this.#noted.has(pod.uid)) return;
        this.#succeeded++;
      } else if (has(this.#before, pod.index ?? 0) || this.#completed.has(pod.index ?? 0)) return;
      else this.#completed.add(pod.index ?? 0);
      this.listed++;
    } else if (isCounted && !this.#noted.has(pod.uid)) {
      if (!countsAsFailed(spec, pod)) this.#ignored.push(pod);
      else {
        this.#failed++;
        this.listed++;
      }
    }
  }

  result() {
    const completed = union(this.#before, indexSetOf([...this.#completed].sort((a, b) => a - b)));
    return {
      completed,
      succeeded: this.#dump.job.spec.completionMode === 'Indexed' ? size(completed) : this.#succeeded,
      failed: this.#failed,
      ignored: this.#ignored,
      uncounted: { succeeded: [...this.#uncounted.succeeded], failed: [...this.#uncounted.failed] },
    };
  }
}

/** With a limit per index, the failed Pod that carries an index's counts stays until a replacement carries them (6.2). */
function delayedPods(decision: DumpDecision): ReadonlySet<DumpedPod> {
  const { dump, standing } = decision;
  const { spec } = dump.job;
  if (spec.backoffLimitPerIndex === null) return new Set();
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
    if (active.has(index) || succeeded.has(index) || has(standing.succeeded, index) || has(standing.failed, index))
      continue;
    const last = lastFailed(pods);
    if (last !== undefined) delayed.add(last);
  }
  return delayed;
}

/** As it appears in JSON. */
export const secondsTo = (at: number, now: EpochMs): number => (at - now) / 1000;
