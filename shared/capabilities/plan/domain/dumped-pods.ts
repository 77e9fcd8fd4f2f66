import { type EpochMs, asEpochMs, plusMs } from '../../../domain/base/time.ts';
import type { ClusterDump, DumpedPod } from './cluster-dump.ts';
import type { JobSpec } from '../../../domain/manifests/job.ts';
import { type FailedPod, matchPodFailurePolicy } from '../../../domain/manifests/pod-failure-policy.ts';

// What upstream's controller checks about a Pod.

export const isTerminal = ({ phase }: DumpedPod): boolean => phase === 'Succeeded' || phase === 'Failed';
export const isPodActive = (pod: DumpedPod): boolean => !isTerminal(pod) && pod.deletedAt === null;
export const isTerminating = (pod: DumpedPod): boolean => !isTerminal(pod) && pod.deletedAt !== null;

/** A Pod that is being deleted counts as failed, unless a replacement must wait for its end (kubernetes-job.md 3, step 8). */
export const hasFailed = (spec: JobSpec, pod: DumpedPod): boolean =>
  pod.phase === 'Failed' || (pod.phase !== 'Succeeded' && pod.deletedAt !== null && !waitsForEnd(spec));

export const waitsForEnd = ({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean =>
  podReplacementPolicy === 'Failed' || podFailurePolicy !== null;

/** The index belongs to the Job. */
export const inRange = ({ completionMode, completions }: JobSpec, { index }: DumpedPod): boolean =>
  completionMode === 'NonIndexed' || (index !== null && index < (completions ?? 0));

/** No rule of podFailurePolicy ignores it. */
export function countsAsFailed({ podFailurePolicy }: JobSpec, pod: DumpedPod): boolean {
  const match = podFailurePolicy === null ? null : matchPodFailurePolicy(podFailurePolicy, asFailedPod(pod));
  return match?.action !== 'Ignore';
}

/**
 * With a limit per index: a failed Pod after which its index is not retried, because a rule says so, or because it counts and
 * its index has failed that often before (kubernetes-job.md 4).
 */
export function endsIndex(spec: JobSpec, pod: DumpedPod): boolean {
  const { podFailurePolicy, backoffLimitPerIndex: limit } = spec;
  if (limit === null || !hasFailed(spec, pod)) return false;
  const match = podFailurePolicy === null ? null : matchPodFailurePolicy(podFailurePolicy, asFailedPod(pod));
  return match?.action === 'FailIndex' || (match?.action !== 'Ignore' && pod.failureCount >= limit);
}

/** Containers that exited with a code other than 0, app containers first. */
export const asFailedPod = ({ containers, conditions }: DumpedPod): FailedPod => ({
  exitCodes: containers.flatMap(({ name, terminated }) =>
    terminated === null || terminated.exitCode === 0 ? [] : [{ container: name, exitCode: terminated.exitCode }],
  ),
  conditions,
});

/**
 * When a Pod ended: when the last of its containers (and sidecars) did; otherwise when it stopped being ready; otherwise when
 * its deletion was requested; otherwise when it was created (kubernetes-job.md 6.1).
 */
export function finishedAt({ containers, ready, readyChangedAt, deletedAt, graceSec, createdAt }: DumpedPod): EpochMs {
  const ends = containers
    .filter(({ init, sidecar }) => !init || sidecar)
    .map(({ terminated }) => terminated?.finishedAt ?? null);
  const known = ends.filter((at) => at !== null);
  if (known.length > 0 && known.length === ends.length) return asEpochMs(Math.max(...known));
  if (!ready && readyChangedAt !== null) return readyChangedAt;
  return deletedAt === null ? createdAt : plusMs(deletedAt, -graceSec * 1000);
}

/** The one of several failed Pods of an index that carries its counts: the most failures, then the newest. */
export const lastFailed = (pods: readonly DumpedPod[]): DumpedPod | undefined =>
  [...pods].sort(
    (a, b) =>
      b.failureCount + b.ignoredFailureCount - (a.failureCount + a.ignoredFailureCount) ||
      finishedAt(b) - finishedAt(a),
  )[0];

const PHASE_RANKS = { Pending: 0, Unknown: 1, Running: 2, Succeeded: 2, Failed: 2 } satisfies Record<
  DumpedPod['phase'],
  number
>;

/** The order in which Pods are deleted (kubernetes-job.md 5). */
export const leavesBefore = (a: DumpedPod, b: DumpedPod): number =>
  Number(a.scheduled) - Number(b.scheduled) ||
  PHASE_RANKS[a.phase] - PHASE_RANKS[b.phase] ||
  Number(a.ready) - Number(b.ready) ||
  (a.ready && b.ready ? (b.readyChangedAt ?? Infinity) - (a.readyChangedAt ?? Infinity) || 0 : 0) ||
  b.restarts - a.restarts ||
  b.createdAt - a.createdAt;

export const conditionIs = ({ job }: ClusterDump, type: string): boolean =>
  job.status.conditions.some((condition) => condition.type === type && condition.status === 'True');
