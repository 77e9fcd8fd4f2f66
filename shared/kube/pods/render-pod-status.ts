import { type EpochMs, asTime } from '../../domain/base/time.ts';
import { CAUSE_WORDS } from '../../domain/planner/ending.ts';
import { endWords, isStoppedWithJob } from '../../domain/failures/failures.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import { shownReason } from '../../domain/scoreboard/status.ts';
import { isPastDeadline } from '../../domain/scoreboard/why.ts';
import type { PodSpec, Resources } from '../../domain/manifests/pod-spec.ts';
import type { PodWait } from '../../domain/pending/pod-wait.ts';
import { waitText } from '../../domain/pending/wait-words.ts';
import { WAITING } from '../../domain/task/pod-sources.ts';
import { startFailureOf, waitingWords } from '../../domain/task/start-failure.ts';
import type { AttemptRecord } from '../../ports/job-store.ts';
import type { PodFacts } from './pod-facts.ts';
import { type Stage, containerStatuses, failedInit, hasInit, initThatEnded } from './render-pod-containers.ts';

/** The status of an attempt's Pod: its phase from the board, the rest from its record and its launch. */
export function podStatus(pod: PodFacts) {
  const qosClass = qosOf(pod.spec.manifest.spec.template.spec);
  return { ...phaseStatus(pod), qosClass };
}

function phaseStatus(pod: PodFacts): PodStatus {
  const { state, record, before, launch, ip, wait } = pod;
  const launchedAt = launch?.state === 'launched' ? launch.since : null;
  const startTime = (record ?? before)?.times.createdAt ?? launchedAt;
  const times = startTime === null ? {} : { startTime: asTime(startTime) };
  const shown = (phase: PodStatus['phase'], stage: Stage): PodStatus => ({
    phase,
    conditions: conditions(pod, stage, startTime),
    ...times,
    ...containerStatuses(pod, stage),
  });
  switch (state) {
    case 'claimed':
      if (before !== null) return shown(phaseAfter(pod, before), { kind: 'creating' });
      return wait?.cause === 'sources' ? waitingForSources(shown, wait) : { phase: 'Pending', ...unscheduled(wait) };
    case 'launched':
      if (wait?.cause === 'room' && before === null) return { phase: 'Pending', ...unscheduled(wait) };
      return {
        ...shown(phaseAfter(pod, before), { kind: 'creating' }),
        ...(wait === null ? {} : { message: waitText(wait) }),
      };
    case 'waiting': {
      if (record === null) return { phase: 'Pending', conditions: [SCHEDULED] };
      const { ending, judgement } = record;
      if (judgement.as === 'restarted') return shown(phaseAfter(pod, record), { kind: 'crashed', record });
      const why = wait ?? { cause: 'capacity', etaMs: null, nextTryMs: null, message: ending.reason };
      const failure = startFailureOf(ending);
      if (failure === null) return { phase: 'Pending', ...unscheduled(why) };
      return shown('Pending', { kind: 'unstartable', reason: failure, message: waitText(why) });
    }
    case 'running':
      return { ...shown('Running', { kind: 'running', since: launchedAt ?? startTime }), ...addressOf(ip) };
    case 'succeeded':
      return shown('Succeeded', { kind: 'over', record });
    case 'failed':
      return record === null ? { phase: 'Failed', ...refusalOf(pod) } : failedStatus(shown, record, pod);
    case 'ended':
      // Without a record nothing has run: a claim that was withdrawn, or a launch that was refused.
      return record === null ? { phase: 'Pending' } : failedStatus(shown, record, pod);
    default:
      return unreachable(state);
  }
}

/** Of a Pod that waits for its next task: it runs once its init containers are through. */
const phaseAfter = (pod: PodFacts, last: AttemptRecord | null): 'Running' | 'Pending' =>
  last?.judgement.as === 'restarted' && initThatEnded(pod, last) === null ? 'Running' : 'Pending';

/** As the kubelet shows a Pod whose ConfigMap, Secret, or key is missing, and the scheduler one whose claim is not bound. */
function waitingForSources(shown: (phase: PodStatus['phase'], stage: Stage) => PodStatus, wait: PodWait): PodStatus {
  const words = waitingWords(wait.message);
  const said = withoutWord(wait);
  if (words === null || words.what === 'claim') return { phase: 'Pending', ...unscheduled(said) };
  const message = waitText(said);
  const reason = words.what === 'volume' ? 'ContainerCreating' : WAITING[words.what];
  return { ...shown('Pending', { kind: 'unstartable', reason, message }), message };
}

const addressOf = (ip: string | null) => (ip === null ? {} : { podIP: ip, podIPs: [{ ip }] });

type PodStatus = {
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly reason?: string;
  readonly message?: string;
  readonly conditions?: readonly Condition[];
  readonly startTime?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
} & Partial<ReturnType<typeof containerStatuses>>;

/** How an attempt ended that did not succeed, or whose end does not count as success. */
function failedStatus(
  shown: (phase: PodStatus['phase'], stage: Stage) => PodStatus,
  record: AttemptRecord,
  { status: { phase } }: PodFacts,
): PodStatus {
  const { cause, reason } = record.ending;
  const byItself = cause === 'Error' || cause === 'OOMKilled' || cause === 'Completed';
  const status = shown(cause === 'Completed' ? 'Succeeded' : 'Failed', { kind: 'over', record });
  if (byItself) return status;
  const words = endWords(record, phase);
  if (isPastDeadline(record.judgement.why)) return { ...status, ...words };
  return isStoppedWithJob(record)
    ? { ...status, reason: words.reason === 'Error' ? CAUSE_WORDS[cause] : words.reason, message: words.message }
    : { ...status, reason: CAUSE_WORDS[cause], message: reason };
}

/** Why a bare Pod never had a task. */
function refusalOf({ spec, status: { phase } }: PodFacts): Pick<PodStatus, 'reason' | 'message'> {
  if (!isBarePod(spec.identity) || phase.kind !== 'finished') return {};
  return { reason: shownReason(phase.verdict), message: phase.verdict.message };
}

/** Not scheduled: ECS was not called yet, or has refused. kubectl describe shows `message`, and conditions without one. */
function unscheduled(wait: PodWait | null): Pick<PodStatus, 'conditions' | 'message'> {
  if (wait === null) return {};
  const message = waitText(wait);
  return { conditions: [condition('PodScheduled', false, null, scheduleReason(wait), message)], message };
}

/** The wait without the word that says what of the Pod waits: that is shown as its reason. */
const withoutWord = (wait: PodWait): PodWait => ({
  ...wait,
  message: wait.cause === 'sources' ? (waitingWords(wait.message)?.text ?? wait.message) : wait.message,
});

/** Why a Pod does not run yet, if that is known; null: it is not, or nothing keeps it. */
export function pendingWords({ state, record, wait }: PodFacts): { reason: string; message: string } | null {
  if (wait === null) return null;
  if (wait.cause === 'pulling') return { reason: 'ContainerCreating', message: waitText(wait) };
  const failure = state === 'waiting' && record !== null ? startFailureOf(record.ending) : null;
  return { reason: failure ?? scheduleReason(wait), message: waitText(withoutWord(wait)) };
}

/** Kubernetes' word if there is no capacity, our own if it is only a matter of time. */
function scheduleReason({ cause, message }: PodWait): string {
  const what = cause === 'sources' ? waitingWords(message)?.what : undefined;
  if (what === 'variable' || what === 'pull') return WAITING[what];
  if (what === 'volume') return 'ContainerCreating';
  if (cause === 'launchRate') return 'LaunchRateLimited';
  if (cause === 'names') return 'HostnamePending';
  return cause === 'throttled' ? 'LaunchThrottled' : 'Unschedulable';
}

type Condition = {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastProbeTime: null;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
};

const condition = (
  type: string,
  isTrue: boolean,
  since: EpochMs | null,
  reason?: string,
  message?: string,
): Condition => ({
  type,
  status: isTrue ? 'True' : 'False',
  lastProbeTime: null,
  ...(since === null ? {} : { lastTransitionTime: asTime(since) }),
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});
const SCHEDULED = condition('PodScheduled', true, null);

/** The kubelet's conditions, in its order, for a Pod that has (or had) a task. */
function conditions(pod: PodFacts, stage: Stage, startTime: EpochMs | null): readonly Condition[] {
  const record = stage.kind === 'over' || stage.kind === 'crashed' ? stage.record : null;
  const since = stage.kind === 'running' ? stage.since : (record?.times.stoppedAt ?? startTime);
  const runs = stage.kind === 'running';
  const isThrough = stage.kind === 'crashed' || stage.kind === 'over';
  const isInitialized = runs || (isThrough ? failedInit(pod, stage) === null : !hasInit(pod));
  const { containers, initContainers = [] } = pod.spec.manifest.spec.template.spec;
  const names = (of: readonly { readonly name: string }[]): string => of.map(({ name }) => name).join(' ');
  const isDone = stage.kind === 'over' && (record === null || record.ending.cause === 'Completed');
  const unready = `containers with unready status: [${names(containers)}]`;
  const readiness = (type: string): Condition => {
    if (runs) return condition(type, true, since);
    if (stage.kind === 'over') return condition(type, false, since, isDone ? 'PodCompleted' : 'PodFailed');
    return condition(type, false, since, 'ContainersNotReady', unready);
  };
  const initialized = isInitialized
    ? condition('Initialized', true, runs ? since : startTime, ...(isDone ? ['PodCompleted'] : []))
    : condition(
        'Initialized',
        false,
        startTime,
        'ContainersNotInitialized',
        `containers with incomplete status: [${names(initContainers)}]`,
      );
  return [
    ...disruption(pod, stage),
    condition('PodReadyToStartContainers', runs || stage.kind === 'crashed', since),
    initialized,
    readiness('Ready'),
    readiness('ContainersReady'),
    condition('PodScheduled', true, startTime),
  ];
}

/** It was evicted, or infrastructure took it: podFailurePolicy may check this. */
function disruption({ current }: PodFacts, stage: Stage): readonly Condition[] {
  if (current?.evicted === true)
    return [condition('DisruptionTarget', true, null, 'EvictionByEvictionAPI', 'Eviction API: evicting')];
  if (stage.kind !== 'over' || stage.record === null) return [];
  const { ending, times } = stage.record;
  if (ending.cause !== 'Spot' && ending.cause !== 'Infrastructure') return [];
  return [condition('DisruptionTarget', true, times.stoppedAt, CAUSE_WORDS[ending.cause], ending.reason)];
}

/** Kubernetes' three classes: requests equal limits everywhere, some are set, none is set. */
function qosOf({ containers, initContainers = [] }: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const all = [...containers, ...initContainers].map(({ resources = {} }) => resources);
  const asks = (of: Resources | undefined): boolean => of?.cpu !== undefined || of?.memory !== undefined;
  if (!all.some(({ requests, limits }) => asks(requests) || asks(limits))) return 'BestEffort';
  const isFixed = all.every(({ requests = {}, limits = {} }) =>
    (['cpu', 'memory'] as const).every(
      (key) => limits[key] !== undefined && (requests[key] ?? limits[key]) === limits[key],
    ),
  );
  return isFixed ? 'Guaranteed' : 'Burstable';
}
