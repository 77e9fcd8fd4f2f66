import type { EpochMs } from '../domain/brand.ts';
import { INDEX_KEY, INDEX_VARIABLE } from '../domain/container-env.ts';
import type { EndingCause } from '../domain/fact.ts';
import type { IndexState } from '../domain/index-record.ts';
import { unreachable } from '../domain/invariant.ts';
import type { Labels } from '../domain/manifest.ts';
import { hostname, podName, podUid } from '../domain/pod-name.ts';
import type { Container, EnvVar } from '../domain/pod-spec.ts';
import { type Status, isEnding } from '../domain/status.ts';
import type { AttemptRecord, LaunchSlot, StoredSpec } from '../ports/job-store.ts';
import { asTime } from './render-job.ts';

/** One attempt, which Kubernetes calls a Pod. `ended`: another attempt of the index may have followed. */
export type PodPick = {
  readonly index: number;
  readonly attempt: number;
  readonly state: Exclude<IndexState, 'pending'> | 'ended';
};

/** All that is known of an attempt. Its phase comes from the board; record and launch add detail. */
export type PodFacts = PodPick & {
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly version: number;
  readonly record: AttemptRecord | null;
  readonly launch: LaunchSlot | null;
};

/** The task's ARN, for those who want to look it up. */
const TASK_ARN_KEY = 'muster.run/task-arn';

/** The core/v1 Pod that a user sees. */
export function renderPod(pod: PodFacts) {
  const { spec, status, index, attempt, version } = pod;
  const { identity, manifest } = spec;
  const { template, completionMode } = manifest.spec;
  const indexed = completionMode === 'Indexed';
  const name = podName({ ...identity, completionMode }, index, attempt);
  const arn = pod.record?.taskArn ?? (pod.launch?.state === 'launched' ? pod.launch.taskArn : null);
  const annotations: Labels = {
    ...template.metadata.annotations,
    ...(indexed ? { [INDEX_KEY]: String(index) } : {}),
    ...(arn === null ? {} : { [TASK_ARN_KEY]: arn }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: name.slice(0, name.lastIndexOf('-') + 1),
      namespace: identity.namespace,
      uid: podUid(identity.uid, index, attempt),
      resourceVersion: String(version),
      creationTimestamp: asTime(createdAt(pod)),
      ...deletion(pod),
      labels: podLabels(spec, index),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          name: identity.name,
          uid: identity.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      ...template.spec,
      ...containersWithIndex(spec),
      ...(indexed ? { hostname: hostname(identity.name, index) } : {}),
    },
    status: podStatus(pod, status),
  };
}

export type PodObject = ReturnType<typeof renderPod>;

/** The labels of a Pod. */
function podLabels({ manifest }: StoredSpec, index: number): Labels {
  const { labels } = manifest.spec.template.metadata;
  return manifest.spec.completionMode === 'Indexed' ? { ...labels, [INDEX_KEY]: String(index) } : labels;
}

const INDEX_ENV: EnvVar = {
  name: INDEX_VARIABLE,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${INDEX_KEY}']` } },
};

/** Every container is told its index that does not set the variable itself, as the Kubernetes controller does it. */
function containersWithIndex({ manifest }: StoredSpec) {
  const { containers, initContainers } = manifest.spec.template.spec;
  if (manifest.spec.completionMode === 'NonIndexed') return {};
  const tell = (container: Container): Container => {
    const { env = [] } = container;
    return env.some(({ name }) => name === INDEX_VARIABLE) ? container : { ...container, env: [...env, INDEX_ENV] };
  };
  return {
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(tell) }),
    containers: containers.map(tell),
  };
}

function createdAt({ record, launch, status, spec }: PodFacts): EpochMs {
  const launchedAt = launch === null || launch.state === 'cancelled' ? null : launch.since;
  return record?.times.createdAt ?? launchedAt ?? status.startTime ?? spec.identity.createdAt;
}

/** An attempt that is being stopped is a Pod that is being deleted. */
function deletion({ state, status, spec }: PodFacts) {
  const live = state === 'claimed' || state === 'launched' || state === 'running';
  const { phase } = status;
  if (!live || !isEnding(phase) || phase.kind === 'running') return {};
  const { terminationGracePeriodSeconds } = spec.manifest.spec.template.spec;
  return {
    deletionTimestamp: asTime(phase.since),
    deletionGracePeriodSeconds: terminationGracePeriodSeconds,
  };
}

function podStatus(pod: PodFacts, status: Status) {
  const { state, record, launch } = pod;
  const started = record?.times.startedAt ?? null;
  const startTime = record?.times.createdAt ?? (launch?.state === 'launched' ? launch.since : null);
  const times = startTime === null ? {} : { startTime: asTime(startTime) };
  switch (state) {
    case 'claimed': {
      const waits = status.inFlight.some(({ index, attempt }) => index === pod.index && attempt === pod.attempt);
      const why = waits ? status.waitReason : null;
      const scheduled = why === null ? [] : [condition('PodScheduled', false, 'Unschedulable', why)];
      return { phase: 'Pending', ...(scheduled.length === 0 ? {} : { conditions: scheduled }) };
    }
    case 'launched':
    case 'waiting':
      return {
        phase: 'Pending',
        conditions: [condition('PodScheduled', true)],
        ...times,
        ...mainStatus(pod, false, { waiting: { reason: 'ContainerCreating' } }),
      };
    case 'running':
      return {
        phase: 'Running',
        conditions: [condition('PodScheduled', true), condition('ContainersReady', true), condition('Ready', true)],
        ...times,
        ...mainStatus(pod, true, { running: { startedAt: startTime === null ? null : asTime(startTime) } }),
      };
    case 'succeeded':
      return {
        phase: 'Succeeded',
        conditions: [condition('PodScheduled', true), condition('Ready', false, 'PodCompleted')],
        ...times,
        ...mainStatus(pod, false, { terminated: terminated(0, 'Completed', '', started, record) }),
      };
    case 'failed':
    case 'ended':
      return record === null ? { phase: 'Failed' } : { ...failedStatus(pod, record), ...times };
    default:
      return unreachable(state);
  }
}

const DISRUPTIONS: readonly EndingCause[] = ['Spot', 'Infrastructure', 'Stopped'];

/** How an attempt ended that did not succeed. Where no container of ours has ended there is no exit code to show. */
function failedStatus(pod: PodFacts, record: AttemptRecord) {
  const { cause, exitCode, reason } = record.ending;
  const byItself = cause === 'Error' || cause === 'OOMKilled';
  const state =
    exitCode === null
      ? { waiting: { reason: cause, message: reason } }
      : { terminated: terminated(exitCode, byItself ? cause : 'Error', reason, record.times.startedAt, record) };
  return {
    phase: cause === 'Completed' ? 'Succeeded' : 'Failed',
    ...(byItself || cause === 'Completed' ? {} : { reason: cause, message: reason }),
    conditions: [
      ...(DISRUPTIONS.includes(cause) ? [condition('DisruptionTarget', true, cause, reason)] : []),
      condition('Ready', false, 'PodFailed'),
    ],
    ...mainStatus(pod, false, state),
  };
}

const condition = (type: string, isTrue: boolean, reason?: string, message?: string) => ({
  type,
  status: isTrue ? 'True' : 'False',
  ...(reason === undefined ? {} : { reason }),
  ...(message === undefined ? {} : { message }),
});

function terminated(
  exitCode: number,
  reason: string,
  message: string,
  startedAt: EpochMs | null,
  record: AttemptRecord | null,
) {
  const stoppedAt = record?.times.stoppedAt ?? null;
  return {
    exitCode,
    reason,
    ...(message === '' ? {} : { message }),
    startedAt: startedAt === null ? null : asTime(startedAt),
    finishedAt: stoppedAt === null ? null : asTime(stoppedAt),
  };
}

/** The main container's: it is the only one whose end we are told. */
function mainStatus({ spec }: PodFacts, ready: boolean, state: Readonly<Record<string, unknown>>) {
  const main = spec.manifest.spec.template.spec.containers[0];
  if (main === undefined) return {};
  const { name, image } = main;
  return { containerStatuses: [{ name, image, imageID: '', ready, started: ready, restartCount: 0, state }] };
}
