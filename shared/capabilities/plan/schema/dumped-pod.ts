import { FAILURE_COUNT_KEY, IGNORED_FAILURE_COUNT_KEY } from '../../../domain/task/container-env.ts';
import { asEpochMs } from '../../../domain/base/time.ts';
import type { DumpedContainer, DumpedPod } from '../domain/cluster-dump.ts';
import type { DumpedJobShape, DumpedPodShape } from './dump-shape.ts';
import { INT32_MAX } from '../../../schema/job/job-defaults.ts';

const FINALIZER = 'batch.kubernetes.io/job-tracking';
const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

/**
 * Whether the Job's controller would list this Pod: the Job is its controller, or it has none and the selector matches.
 * A handmade dump may lack uid, owner, or labels. A missing value counts as a match.
 */
export function isOfJob(pod: DumpedPodShape, job: DumpedJobShape): boolean {
  const { namespace, ownerReferences, labels } = pod.metadata;
  if (namespace !== null && job.metadata.namespace !== null && namespace !== job.metadata.namespace) return false;
  const owner = ownerReferences.find(({ controller }) => controller);
  if (owner !== undefined) return job.metadata.uid === null || owner.uid === job.metadata.uid;
  if (Object.keys(labels).length === 0) return true;
  return Object.entries(job.spec.selector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
}

/** Reads what planning needs from a Pod of this Job. */
export function dumpedPod(pod: DumpedPodShape, job: DumpedJobShape): DumpedPod {
  const { metadata, spec, status } = pod;
  const holds = (type: string): boolean =>
    status.conditions.some((each) => each.type === type && each.status === 'True');
  return {
    name: metadata.name,
    uid: metadata.uid ?? metadata.name,
    createdAt: metadata.creationTimestamp ?? asEpochMs(0),
    deletedAt: metadata.deletionTimestamp,
    graceSec: metadata.deletionGracePeriodSeconds ?? 0,
    hasFinalizer: metadata.finalizers.includes(FINALIZER),
    index: indexOf(metadata),
    phase: status.phase,
    ready: holds('Ready'),
    readyChangedAt: status.conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? null,
    scheduled: spec.nodeName !== '' || holds('PodScheduled'),
    restarts: [...status.containerStatuses, ...status.initContainerStatuses].reduce(
      (sum, { restartCount }) => sum + restartCount,
      0,
    ),
    conditions: status.conditions.map(({ type, status: truth }) => ({ type, status: truth })),
    containers: containersOf(pod, job),
    failureCount: countOf(metadata.annotations[FAILURE_COUNT_KEY]),
    ignoredFailureCount: countOf(metadata.annotations[IGNORED_FAILURE_COUNT_KEY]),
  };
}

/** The annotation decides. The label of the same name is for trimmed dumps. */
function indexOf({ annotations, labels }: DumpedPodShape['metadata']): number | null {
  const digits = annotations[COMPLETION_INDEX] ?? labels[COMPLETION_INDEX] ?? '';
  return /^\d+$/.test(digits) && Number(digits) <= INT32_MAX ? Number(digits) : null;
}

/** As upstream does, reads an invalid count as 0. */
function countOf(digits = ''): number {
  return /^\d+$/.test(digits) && Number(digits) <= INT32_MAX ? Number(digits) : 0;
}

function containersOf({ spec, status }: DumpedPodShape, job: DumpedJobShape): readonly DumpedContainer[] {
  const initContainers = [...spec.initContainers, ...(job.spec.template?.spec?.initContainers ?? [])];
  const sidecars = new Set(
    initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const read = (init: boolean) => (container: (typeof status.containerStatuses)[number]) => ({
    name: container.name,
    init,
    sidecar: init && sidecars.has(container.name),
    terminated: container.state?.terminated ?? null,
  });
  return [...status.containerStatuses.map(read(false)), ...status.initContainerStatuses.map(read(true))];
}
