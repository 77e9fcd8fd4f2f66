import { asJobUid } from '../shared/domain/brand.ts';
import { parsePodName } from '../shared/domain/pod-name.ts';
import type { Job, Pod } from './api-objects.ts';
import type { IndexState } from './render/grid.ts';

const INDEX_LABEL = 'batch.kubernetes.io/job-completion-index';

export type PodAttempt = {
  /** The completion index; null: the Pod of a NonIndexed Job */
  readonly index: number | null;
  /** From 1 */
  readonly attempt: number;
};

/** Which attempt a Pod is, read off its name; null: it is no Pod of a Job. */
export function attemptOf({ metadata }: Pod): PodAttempt | null {
  const owner = metadata.ownerReferences.find(({ kind }) => kind === 'Job');
  if (owner === undefined) return null;
  const completionMode = INDEX_LABEL in metadata.labels ? 'Indexed' : 'NonIndexed';
  const parsed = parsePodName({ uid: asJobUid(owner.uid), name: owner.name, completionMode }, metadata.name);
  if (parsed === null) return null;
  return completionMode === 'Indexed' ? parsed : { index: null, attempt: parsed.attempt };
}

/** What the index of a Pod is doing, as far as this Pod tells. */
export function stateOf({ metadata, status }: Pod): IndexState {
  switch (status.phase) {
    case 'Succeeded':
      return 'succeeded';
    case 'Failed':
      return 'retrying';
    case 'Running':
      return metadata.deletionTimestamp === undefined ? 'running' : 'stopping';
    default:
      return metadata.deletionTimestamp === undefined ? 'starting' : 'stopping';
  }
}

/** What kubectl shows as a Pod's STATUS: the phase, or the reason why it is not what it should be. */
export function podStatusWord({ metadata, status }: Pod): string {
  const [main] = status.containerStatuses;
  if (metadata.deletionTimestamp !== undefined && (status.phase === 'Running' || status.phase === 'Pending'))
    return 'Terminating';
  if (status.reason !== '') return status.reason;
  const reason = main?.state.terminated?.reason ?? main?.state.waiting?.reason ?? '';
  if (status.phase === 'Succeeded') return 'Completed';
  return reason === '' ? status.phase : reason;
}

/** Selects the Pods of a Job, or of one of its indexes. */
export const podSelector = ({ metadata }: Pick<Job, 'metadata'>, index: number | null): string =>
  `batch.kubernetes.io/controller-uid=${metadata.uid}${index === null ? '' : `,${INDEX_LABEL}=${index}`}`;
