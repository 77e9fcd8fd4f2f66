import { type EpochMs, asTime } from '../domain/brand.ts';
import { CAUSE_WORDS } from '../domain/ending.ts';
import type { Ending } from '../domain/fact.ts';
import { unreachable } from '../domain/invariant.ts';
import type { AttemptRecord } from '../ports/job-store.ts';
import type { PodFacts } from './pod-facts.ts';

/** The status of the Pod that an attempt is: its phase from the board, the rest from its record and its launch. */
export function podStatus(pod: PodFacts) {
  const { state, record, launch } = pod;
  const startTime = record?.times.createdAt ?? (launch?.state === 'launched' ? launch.since : null);
  const times = startTime === null ? {} : { startTime: asTime(startTime) };
  switch (state) {
    case 'claimed':
      return { phase: 'Pending', ...unscheduled(whyNotLaunched(pod)) };
    case 'launched':
      return {
        phase: 'Pending',
        conditions: [SCHEDULED],
        ...times,
        ...mainStatus(pod, false, { waiting: { reason: 'ContainerCreating' } }),
      };
    case 'waiting':
      return { ...waitingStatus(pod), ...times };
    case 'running':
      return {
        phase: 'Running',
        conditions: [SCHEDULED, condition('ContainersReady', true), condition('Ready', true)],
        ...times,
        ...mainStatus(pod, true, { running: { startedAt: startTime === null ? null : asTime(startTime) } }),
      };
    case 'succeeded':
      return {
        phase: 'Succeeded',
        conditions: [SCHEDULED, condition('Ready', false, 'PodCompleted')],
        ...times,
        ...mainStatus(pod, false, { terminated: terminated(0, 'Completed', '', record) }),
      };
    case 'failed':
    case 'ended':
      return record === null ? { phase: 'Failed' } : { ...failedStatus(pod, record), ...times };
    default:
      return unreachable(state);
  }
}

/** A claim that ECS has not taken yet, for want of capacity, quota or launch rights: a Pod that is not scheduled. */
function whyNotLaunched({ index, attempt, status }: PodFacts): string | null {
  const waits = status.inFlight.some((claim) => claim.index === index && claim.attempt === attempt);
  return waits ? status.waitReason : null;
}

const unscheduled = (why: string | null) =>
  why === null ? {} : { conditions: [condition('PodScheduled', false, 'Unschedulable', why)] };

/** A Pod between two tasks: its containers crashed and start again, or its task did not start. */
function waitingStatus(pod: PodFacts) {
  const { record } = pod;
  if (record === null) return { phase: 'Pending', conditions: [SCHEDULED] };
  const { ending, judgement } = record;
  if (ending.cause === 'Unplaced') return { phase: 'Pending', ...unscheduled(ending.reason) };
  if (judgement.as !== 'restarted') {
    const waiting = { reason: startFailure(ending.reason), message: ending.reason };
    return { phase: 'Pending', conditions: [SCHEDULED], ...mainStatus(pod, false, { waiting }) };
  }
  const message = `back-off restarting failed container: ${judgement.because}`;
  const lastState = { terminated: terminated(ending.exitCode ?? 1, wordOf(ending), ending.reason, record) };
  return {
    phase: 'Running',
    conditions: [SCHEDULED, condition('ContainersReady', false), condition('Ready', false, 'ContainersNotReady')],
    ...mainStatus(pod, false, { waiting: { reason: 'CrashLoopBackOff', message } }, { lastState }),
  };
}

/** The kubelet's word for what keeps a container from starting. */
function startFailure(reason: string): string {
  if (/pull/i.test(reason)) return 'ImagePullBackOff';
  return /secret|ssm|parameter/i.test(reason) ? 'CreateContainerConfigError' : 'CreateContainerError';
}

/** How an attempt ended that did not succeed. Where no container of ours has ended there is no exit code to show. */
function failedStatus(pod: PodFacts, record: AttemptRecord) {
  const { cause, exitCode, reason } = record.ending;
  const byItself = cause === 'Error' || cause === 'OOMKilled';
  const state =
    exitCode === null
      ? { waiting: { reason: CAUSE_WORDS[cause], message: reason } }
      : { terminated: terminated(exitCode, byItself ? cause : 'Error', reason, record) };
  const isDisruption = cause === 'Spot' || cause === 'Infrastructure';
  return {
    phase: cause === 'Completed' ? 'Succeeded' : 'Failed',
    ...(byItself || cause === 'Completed' ? {} : { reason: CAUSE_WORDS[cause], message: reason }),
    conditions: [
      ...(isDisruption ? [condition('DisruptionTarget', true, CAUSE_WORDS[cause], reason)] : []),
      condition('Ready', false, 'PodFailed'),
    ],
    ...mainStatus(pod, false, state),
  };
}

const wordOf = ({ cause }: Ending): string => (cause === 'OOMKilled' ? cause : 'Error');

const condition = (type: string, isTrue: boolean, reason?: string, message?: string) => ({
  type,
  status: isTrue ? 'True' : 'False',
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});
const SCHEDULED = condition('PodScheduled', true);

function terminated(exitCode: number, reason: string, message: string, record: AttemptRecord | null) {
  const time = (at: EpochMs | null | undefined) => (at === null || at === undefined ? null : asTime(at));
  return {
    exitCode,
    reason,
    ...(message === '' ? {} : { message }),
    startedAt: time(record?.times.startedAt),
    finishedAt: time(record?.times.stoppedAt),
  };
}

type ContainerState = Readonly<Record<string, unknown>>;

/** The main container's: it is the only one whose end we are told. */
function mainStatus(
  { spec, current, record }: PodFacts,
  ready: boolean,
  state: ContainerState,
  more: ContainerState = {},
) {
  const main = spec.manifest.spec.template.spec.containers[0];
  if (main === undefined) return {};
  const { name, image } = main;
  const restartCount = current?.restarts ?? record?.restarts ?? 0;
  return { containerStatuses: [{ name, image, imageID: '', ready, started: ready, restartCount, state, ...more }] };
}
