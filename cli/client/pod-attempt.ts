import { asJobUid } from '../../shared/domain/base/ids.ts';
import { parsePodName } from '../../shared/domain/task/pod-name.ts';
import type { Job, Pod } from './api-objects.ts';

/** On the Pods of an Indexed Job. */
export const INDEX_LABEL = 'batch.kubernetes.io/job-completion-index';

export type PodAttempt = {
  /** The completion index; null: the Pod of a NonIndexed Job */
  readonly index: number | null;
  /** Counts from 1 */
  readonly attempt: number;
};

/** Parses the attempt from a Pod's name; null if the Pod does not belong to a Job. */
export function attemptOf({ metadata }: Pod): PodAttempt | null {
  const owner = metadata.ownerReferences.find(({ kind }) => kind === 'Job');
  if (owner === undefined) return null;
  const completionMode = INDEX_LABEL in metadata.labels ? 'Indexed' : 'NonIndexed';
  const parsed = parsePodName({ uid: asJobUid(owner.uid), name: owner.name, completionMode }, metadata.name);
  if (parsed === null) return null;
  return completionMode === 'Indexed' ? parsed : { index: null, attempt: parsed.attempt };
}

/** The Pod failed, or its container failed and will restart. */
export function hasFailed({ status }: Pod): boolean {
  if (status.phase === 'Succeeded') return false;
  return status.phase === 'Failed' || [...status.initContainerStatuses, ...status.containerStatuses].some(hasFailedIn);
}

/** The init container that failed, and kept the others from starting; null: none did. */
export const failedInit = ({ status }: Pick<Pod, 'status'>) =>
  status.initContainerStatuses.find(({ state }) => failed(state)) ??
  status.initContainerStatuses.find(({ state, lastState }) => state.waiting !== undefined && failed(lastState)) ??
  null;

type ContainerStatus = Pod['status']['containerStatuses'][number];
const hasFailedIn = ({ state, lastState }: ContainerStatus): boolean => failed(state) || failed(lastState);
const failed = ({ terminated }: ContainerStatus['state']): boolean =>
  terminated !== undefined && terminated.exitCode !== 0;

/** The state of the container that tells how the attempt fares: the main one's, or that of the init container that failed. */
export const tellingState = (pod: Pick<Pod, 'status'>): ContainerStatus['state'] =>
  failedInit(pod)?.state ?? pod.status.containerStatuses[0]?.state ?? {};

/** How long the attempt ran, or has run so far, in ms; null if it never started. */
export function runMsOf({ status }: Pod, nowMs: number): number | null {
  const { running, terminated } = status.containerStatuses[0]?.state ?? {};
  const from = startedAtOf({ status });
  if (from === null) return null;
  if (running !== undefined) return nowMs - from;
  return terminated?.finishedAt === undefined ? null : terminated.finishedAt - from;
}

/** When its container started; null if it has not. */
export function startedAtOf({ status }: Pick<Pod, 'status'>): number | null {
  const { running, terminated } = status.containerStatuses[0]?.state ?? {};
  return running?.startedAt ?? terminated?.startedAt ?? null;
}

/** Why the Pod is not healthy, as far as its status says. */
export function podMessage({ status }: Pod): string {
  const { terminated, waiting } = tellingState({ status });
  return (
    [status.message, terminated?.message, waiting?.message].find((text) => text !== undefined && text !== '') ?? ''
  );
}

/** What kubectl shows as a Pod's STATUS: the phase, or the reason why the Pod is not healthy. */
export function podStatusWord({ metadata, status }: Pod): string {
  const { terminated, waiting } = tellingState({ status });
  if (metadata.deletionTimestamp !== undefined && (status.phase === 'Running' || status.phase === 'Pending'))
    return 'Terminating';
  if (status.reason !== '') return status.reason;
  const reason = terminated?.reason ?? waiting?.reason ?? '';
  if (status.phase === 'Succeeded') return 'Completed';
  if (reason === '') return status.phase;
  return failedInit({ status }) === null ? reason : `Init:${reason}`;
}

/** Selects the Pods of a Job, or of one of its indexes. */
export const podSelector = ({ metadata }: Pick<Job, 'metadata'>, index: number | null): string =>
  `batch.kubernetes.io/controller-uid=${metadata.uid}${index === null ? '' : `,${INDEX_LABEL}=${index}`}`;
