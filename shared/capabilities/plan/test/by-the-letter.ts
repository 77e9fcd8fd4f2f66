import { type EpochMs, asEpochMs } from '../../../domain/base/time.ts';
import type { ClusterDump, DumpPlan, DumpedPod, JobConditionObject } from '../domain/cluster-dump.ts';
import { formatIndexSet, has, indexSetOf, parseStatusIndexes } from '../../../domain/base/index-set.ts';

// A second opinion: one sync as kubernetes-job.md 3 to 7 tells it, step by step, in the shape of those sections and without
// a board. Slow, for small Jobs; what it says must be what the planner says.

type Rule = { readonly action: string; readonly at: number; readonly message: string };
type Target = { readonly type: string; readonly reason: string; readonly message: string };

const CAP = 500;
const hasEnded = ({ phase }: DumpedPod): boolean => phase === 'Succeeded' || phase === 'Failed';
const isActive = (pod: DumpedPod): boolean => !hasEnded(pod) && pod.deletedAt === null;
const isTerminating = (pod: DumpedPod): boolean => !hasEnded(pod) && pod.deletedAt !== null;
const time = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
const text = (indexes: Iterable<number>): string => formatIndexSet(indexSetOf([...indexes].sort((a, b) => a - b)));

export function syncByTheLetter(
  { job, pods }: ClusterDump,
  now: EpochMs,
  { caps }: { readonly caps: boolean },
): DumpPlan {
  const { spec, status } = job;
  const cap = caps ? CAP : Infinity;
  const events: { type: 'Normal' | 'Warning'; reason: string; message: string }[] = [];
  const event = (type: 'Normal' | 'Warning', reason: string, message = ''): void =>
    void events.push({ type, reason, message });
  let conditions: JobConditionObject[] = status.conditions.map((each) => ({
    type: each.type,
    status: each.status,
    reason: each.reason,
    message: each.message,
    ...(each.lastProbeTime === null ? {} : { lastProbeTime: time(each.lastProbeTime) }),
    ...(each.lastTransitionTime === null ? {} : { lastTransitionTime: time(each.lastTransitionTime) }),
  }));
  const holds = (type: string) => conditions.find((each) => each.type === type && each.status === 'True');
  const unchanged: DumpPlan = {
    status: {
      conditions,
      active: status.active,
      ready: status.ready,
      terminating: status.terminating,
      succeeded: status.succeeded,
      failed: status.failed,
      completedIndexes: status.completedIndexes,
      ...(status.failedIndexes === null ? {} : { failedIndexes: status.failedIndexes }),
    },
    create: [],
    delete: [],
    account: [],
    release: [],
    requeueAfterSec: null,
    events,
    because: [],
  };
  if (!spec.managed || holds('Complete') !== undefined || holds('Failed') !== undefined) return unchanged;
  if (!job.completionModeKnown) {
    event('Warning', 'UnknownCompletionMode');
    return unchanged;
  }

  // Step 8: who is what.
  const indexed = spec.completionMode === 'Indexed';
  const completions = spec.completions ?? 0;
  const inRange = ({ index }: DumpedPod): boolean => !indexed || (index !== null && index < completions);
  const onlyReplaceFailed = spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== null;
  const isFailed = (pod: DumpedPod): boolean =>
    pod.phase === 'Failed' || (!onlyReplaceFailed && pod.deletedAt !== null && pod.phase !== 'Succeeded');
  const ruleOf = (pod: DumpedPod): Rule | null => {
    for (const [at, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
      const message = matching(rule, at, pod, job.namespace);
      if (message !== null) return { action: rule.action, at, message };
    }
    return null;
  };
  const noted = { succeeded: new Set(status.uncounted.succeeded), failed: new Set(status.uncounted.failed) };
  const fresh = pods.filter((pod) => pod.hasFinalizer && inRange(pod));
  const newSucceeded = fresh.filter((pod) => pod.phase === 'Succeeded' && !noted.succeeded.has(pod.uid));
  const newFailed = fresh.filter((pod) => isFailed(pod) && !noted.failed.has(pod.uid));
  const active = pods.filter(isActive);
  let succeeded = status.succeeded + newSucceeded.length + noted.succeeded.size;
  const failed = status.failed + noted.failed.size + newFailed.filter((pod) => ruleOf(pod)?.action !== 'Ignore').length;
  let activeCount = active.length;
  let ready = active.filter((pod) => pod.ready).length;
  let terminating = pods.filter(isTerminating).length;

  // Step 9: start.
  let startTime = status.startTime;
  const looks: number[] = [];
  if (startTime === null && !spec.suspend) startTime = now;

  // Step 11: which target, if any.
  let target: Target | null = null;
  const interim = holds('SuccessCriteriaMet') ?? holds('FailureTarget');
  const deadlineLeftMs =
    spec.activeDeadlineSec === null || startTime === null || spec.suspend
      ? null
      : spec.activeDeadlineSec * 1000 - (now - startTime);
  const fail = (reason: string, message: string): Target => ({ type: 'FailureTarget', reason, message });
  const failJob = pods.filter(isFailed).flatMap((pod) => {
    const rule = ruleOf(pod);
    return rule?.action === 'FailJob' ? [rule] : [];
  })[0];
  const restarts = pods
    .filter(({ phase }) => phase === 'Pending' || phase === 'Running')
    .reduce((sum, pod) => sum + pod.restarts, 0);
  const tooManyRestarts =
    spec.restartPolicy === 'OnFailure' && (spec.backoffLimit === 0 ? restarts > 0 : restarts >= spec.backoffLimit);
  if (interim !== undefined) {
    target = { type: interim.type, reason: interim.reason ?? '', message: interim.message ?? '' };
  } else if (failJob !== undefined) target = fail('PodFailurePolicy', failJob.message);
  else if (failed > spec.backoffLimit || tooManyRestarts)
    target = fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  else if (deadlineLeftMs !== null && deadlineLeftMs <= 0)
    target = fail('DeadlineExceeded', 'Job was active longer than specified deadline');
  else if (deadlineLeftMs !== null) looks.push(deadlineLeftMs);

  const completedBefore = parseStatusIndexes(status.completedIndexes, completions);
  const failedBefore = parseStatusIndexes(status.failedIndexes ?? '', completions);
  const setOf = (keep: (index: number) => boolean): Set<number> =>
    new Set(Array.from({ length: indexed ? completions : 0 }, (_, index) => index).filter(keep));
  const counted = setOf((index) => has(completedBefore, index));
  const done = new Set([
    ...counted,
    ...fresh.filter(({ phase }) => phase === 'Succeeded').map(({ index }) => index ?? 0),
  ]);
  const perIndex = spec.backoffLimitPerIndex;
  const broken = setOf((index) => has(failedBefore, index));
  if (!indexed) done.clear();
  const waiting = new Map<number, DumpedPod>();
  if (indexed) {
    succeeded = done.size;
    if (perIndex !== null) {
      for (const pod of fresh.filter(isFailed)) {
        const action = ruleOf(pod)?.action;
        if (action === 'FailIndex' || (action !== 'Ignore' && pod.failureCount >= perIndex)) broken.add(pod.index ?? 0);
      }
      if (target === null) {
        if (spec.maxFailedIndexes !== null && broken.size > spec.maxFailedIndexes)
          target = fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
        else if (broken.size > 0 && broken.size + done.size >= completions)
          target = fail('FailedIndexes', 'Job has failed indexes');
      }
      const busy = new Set(active.map(({ index }) => index));
      for (const pod of fresh.filter(isFailed)) {
        const index = pod.index ?? 0;
        if (busy.has(index) || done.has(index) || broken.has(index)) continue;
        const last = waiting.get(index);
        if (last === undefined || (attemptsOf(last) <= attemptsOf(pod) && finishedAt(last) <= finishedAt(pod)))
          waiting.set(index, pod);
      }
    }
    if (target === null) {
      const at = (spec.successPolicy ?? []).findIndex(({ indexes, count }) => {
        if (indexes === null) return count !== null && done.size > 0 && done.size >= count;
        const wanted = setOf((index) => has(indexes, index));
        const met = [...wanted].filter((index) => done.has(index)).length;
        return done.size > 0 && wanted.size > 0 && met >= (count ?? wanted.size);
      });
      if (at >= 0)
        target = { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: `Matched rules at index ${at}` };
    }
  }

  // Steps 12 and 13: act.
  const deleted: DumpedPod[] = [];
  const stripped: DumpedPod[] = [];
  const create: { index: number | null; afterSec: number }[] = [];
  const remove = (which: readonly DumpedPod[]): void => {
    for (const pod of which) {
      deleted.push(pod);
      event('Normal', 'SuccessfulDelete', `Deleted pod: ${pod.name}`);
      activeCount--;
      terminating++;
      if (pod.ready) ready--;
    }
  };
  if (target !== null) remove(active);
  else {
    const managed = !job.deleting;
    if (managed && spec.suspend) strip(active);
    else if (managed) manage();
    const complete =
      spec.completions === null ? succeeded > 0 && activeCount === 0 : succeeded >= completions && activeCount === 0;
    if (complete) {
      target = {
        type: 'SuccessCriteriaMet',
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
      };
    } else if (managed) {
      if (spec.suspend && ensure('Suspended', 'True', 'JobSuspended', 'Job suspended'))
        event('Normal', 'Suspended', 'Job suspended');
      if (!spec.suspend && ensure('Suspended', 'False', 'JobResumed', 'Job resumed')) {
        event('Normal', 'Resumed', 'Job resumed');
        startTime = now;
      }
    }
  }

  function strip(which: readonly DumpedPod[]): void {
    stripped.push(...which);
    remove(which);
  }

  function manage(): void {
    const want =
      spec.completions === null
        ? succeeded > 0
          ? activeCount
          : spec.parallelism
        : Math.max(0, Math.min(spec.parallelism, completions - succeeded));
    const surplus: DumpedPod[] = [];
    const left: DumpedPod[] = [];
    for (const index of new Set(indexed ? active.map((pod) => (inRange(pod) ? pod.index : null)) : [])) {
      const same = worstFirst(active.filter((pod) => (inRange(pod) ? pod.index : null) === index));
      if (index === null) surplus.push(...same);
      else {
        surplus.push(...same.slice(0, -1));
        left.push(...same.slice(-1));
      }
    }
    if (!indexed) left.push(...active);
    const missing = Math.max(0, activeCount - want) - surplus.length;
    if (missing > 0) surplus.push(...worstFirst(left).slice(0, missing));
    if (surplus.length > 0) {
      strip(surplus.slice(0, cap));
      return;
    }
    const wanted = Math.min(cap, want - activeCount - (onlyReplaceFailed ? terminating : 0));
    if (wanted <= 0) return;
    const occupied = new Set<number | null>(
      [...active, ...(onlyReplaceFailed ? pods.filter(isTerminating) : [])].map(({ index }) => index),
    );
    const indexes: (number | null)[] = indexed
      ? [...setOf((index) => !occupied.has(index) && !done.has(index) && !broken.has(index))].slice(0, wanted)
      : Array.from({ length: wanted }, () => null);
    const common = perIndex === null ? jobBackoffMs() : 0;
    for (const index of indexes) {
      const last = index === null ? undefined : waiting.get(index);
      const leftMs = last === undefined ? common : backoffMs(attemptsOf(last) + 1, finishedAt(last));
      create.push({ index, afterSec: leftMs / 1000 });
    }
    const ready = create.filter(({ afterSec }) => afterSec === 0);
    for (const _ of ready) event('Normal', 'SuccessfulCreate');
    activeCount += ready.length;
    if (ready.length === 0 && create.length > 0) looks.push(Math.min(...create.map(({ afterSec }) => afterSec * 1000)));
  }

  function jobBackoffMs(): number {
    const lastSuccess = Math.max(-Infinity, ...newSucceeded.map(finishedAt));
    const since = newFailed.map(finishedAt).filter((at) => at > lastSuccess);
    return since.length === 0 ? 0 : backoffMs(since.length, asEpochMs(Math.max(...since)));
  }

  function backoffMs(failures: number, at: EpochMs): number {
    return Math.max(0, Math.min(10_000 * 2 ** (failures - 1), 600_000) - (now - at));
  }

  function ensure(type: string, truth: string, reason: string, message: string): boolean {
    const next = { type, status: truth, reason, message, lastProbeTime: time(now), lastTransitionTime: time(now) };
    const there = conditions.find((each) => each.type === type);
    if (there === undefined) {
      if (truth === 'True') conditions = [...conditions, next];
      return truth === 'True';
    }
    if (there.status === truth && there.reason === reason && there.message === message) return false;
    conditions = conditions.map((each) => (each === there ? next : each));
    return true;
  }

  // Section 7: accounting.
  const failing = target?.type === 'FailureTarget';
  const withFinalizer = new Set(pods.filter((pod) => pod.hasFinalizer).map(({ uid }) => uid));
  const gone = (uids: readonly string[]): number => uids.filter((uid) => !withFinalizer.has(uid)).length;
  let succeededCount = status.succeeded + gone(status.uncounted.succeeded);
  let failedCount = status.failed + gone(status.uncounted.failed);
  let inLists =
    status.uncounted.succeeded.length + status.uncounted.failed.length - gone([...noted.succeeded, ...noted.failed]);
  const account: string[] = [];
  // manageJob takes the finalizer off before it deletes; a Job that ends leaves that to the walk below.
  const release = new Set(stripped.filter((pod) => pod.hasFinalizer).map(({ name }) => name));
  const left = {
    succeeded: status.uncounted.succeeded.filter((uid) => withFinalizer.has(uid)),
    failed: status.uncounted.failed.filter((uid) => withFinalizer.has(uid)),
  };
  const byIndex = [...pods].sort((a, b) => (indexed ? (a.index ?? -1) - (b.index ?? -1) : 0));
  let reachedMax = false;
  for (const pod of byIndex.filter((each) => each.hasFinalizer)) {
    const considered = isFailed(pod);
    const mayGo =
      job.deleting ||
      target !== null ||
      pod.phase === 'Succeeded' ||
      (considered && waiting.get(pod.index ?? -1) !== pod);
    if (!mayGo) continue;
    let counts = false;
    if (pod.phase === 'Succeeded' && !noted.failed.has(pod.uid)) {
      if (!indexed) {
        succeededCount++;
        left.succeeded = left.succeeded.filter((uid) => uid !== pod.uid);
        if (!noted.succeeded.has(pod.uid)) inLists++;
      } else if (inRange(pod) && !counted.has(pod.index ?? 0)) {
        counted.add(pod.index ?? 0);
        inLists++;
      }
    } else if (noted.failed.has(pod.uid)) {
      failedCount++;
      counts = true;
      left.failed = left.failed.filter((uid) => uid !== pod.uid);
    } else if ((considered || failing) && inRange(pod) && ruleOf(pod)?.action !== 'Ignore') {
      failedCount++;
      inLists++;
      counts = true;
    }
    // All that a failing Job stops is reported, Pods that no index claims too.
    if (hasEnded(pod) || considered || counts || failing) account.push(pod.name);
    else release.add(pod.name);
    if (inLists >= cap) {
      reachedMax = true;
      break;
    }
  }
  if (indexed) succeededCount = counted.size;
  let completionTime = status.completionTime;
  if (target !== null) {
    ensure(target.type, 'True', target.reason, target.message);
    if (!reachedMax && terminating === 0) {
      const isFailure = target.type === 'FailureTarget';
      ensure(isFailure ? 'Failed' : 'Complete', 'True', target.reason, target.message);
      if (isFailure) event('Warning', target.reason, target.message);
      else {
        completionTime = now;
        if (spec.completions !== null && succeededCount > completions) event('Warning', 'TooManySucceededPods');
        event('Normal', 'Completed', 'Job completed');
      }
    }
  }
  return {
    status: {
      conditions,
      ...(startTime === null ? {} : { startTime: time(startTime) }),
      ...(completionTime === null ? {} : { completionTime: time(completionTime) }),
      active: activeCount,
      ready,
      terminating,
      succeeded: succeededCount,
      failed: failedCount,
      ...(indexed ? { completedIndexes: text(counted) } : {}),
      ...(perIndex === null ? {} : { failedIndexes: text(broken) }),
      uncountedTerminatedPods: left,
    },
    create,
    delete: deleted.map(({ name }) => name),
    account,
    release: [...release],
    requeueAfterSec: looks.length === 0 ? null : Math.min(...looks) / 1000,
    events,
    because: [],
  };
}

type FailureRule = NonNullable<ClusterDump['job']['spec']['podFailurePolicy']>['rules'][number];

/** Section 6.5; null: the rule does not match. A failing Job asks this of Pods that it stops, too. */
function matching(rule: FailureRule, at: number, pod: DumpedPod, namespace: string): string | null {
  const end = `matching ${rule.action} rule at index ${at}`;
  const { onExitCodes, onPodConditions = [] } = rule;
  if (onExitCodes !== undefined) {
    for (const { name, terminated } of pod.containers) {
      if (terminated === null || terminated.exitCode === 0) continue;
      if (onExitCodes.containerName !== undefined && onExitCodes.containerName !== name) continue;
      if (onExitCodes.values.includes(terminated.exitCode) === (onExitCodes.operator === 'In'))
        return `Container ${name} for pod ${namespace}/${pod.name} failed with exit code ${terminated.exitCode} ${end}`;
    }
    return null;
  }
  const met = onPodConditions.find(({ type, status }) =>
    pod.conditions.some((each) => each.type === type && each.status === status),
  );
  return met === undefined ? null : `Pod ${namespace}/${pod.name} has condition ${met.type} ${end}`;
}

const attemptsOf = ({ failureCount, ignoredFailureCount }: DumpedPod): number => failureCount + ignoredFailureCount;

/** Section 6.1's finish time. */
function finishedAt(pod: DumpedPod): EpochMs {
  const ends = pod.containers
    .filter(({ init, sidecar }) => !init || sidecar)
    .map(({ terminated }) => terminated?.finishedAt);
  if (ends.length > 0 && ends.every((end) => end !== null && end !== undefined))
    return asEpochMs(Math.max(...ends.map(Number)));
  if (!pod.ready && pod.readyChangedAt !== null) return pod.readyChangedAt;
  if (pod.deletedAt !== null) return asEpochMs(pod.deletedAt - pod.graceSec * 1000);
  return pod.createdAt;
}

/** Section 5's rank: the first are deleted first. */
function worstFirst(pods: readonly DumpedPod[]): readonly DumpedPod[] {
  const phases = ['Pending', 'Unknown', 'Running'];
  const rank = (pod: DumpedPod): readonly number[] => [
    pod.scheduled ? 1 : 0,
    phases.indexOf(pod.phase),
    pod.ready ? 1 : 0,
    pod.ready ? 0 - (pod.readyChangedAt ?? 0) : 0,
    -pod.restarts,
    0 - pod.createdAt,
  ];
  return [...pods].sort((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    for (const [no, left] of x.entries()) if (left !== y[no]) return left - (y[no] ?? 0);
    return 0;
  });
}
