import type * as z from 'zod';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import type { EndedAttempt, Job, PodSchema } from '../client/api-objects.ts';
import { INDEX_LABEL } from '../client/pod-attempt.ts';

/** What is left of a Pod that is gone: as much as its attempt's record says, for a table of Pods. */
export function recordedPod(
  { metadata: { namespace, name, uid } }: Job,
  ended: EndedAttempt,
): z.input<typeof PodSchema> {
  const { index, attempt, pod, item, exitCode, reason, cause, verdict } = ended;
  const created = new Date(ended.createdAt ?? ended.startedAt ?? ended.stoppedAt ?? 0).toISOString();
  const times = {
    ...(ended.startedAt === null ? {} : { startedAt: new Date(ended.startedAt).toISOString() }),
    ...(ended.stoppedAt === null ? {} : { finishedAt: new Date(ended.stoppedAt).toISOString() }),
  };
  return {
    metadata: {
      namespace,
      name: pod,
      uid: `${uid}/${index ?? ''}/${attempt}`,
      creationTimestamp: created,
      labels: index === undefined ? {} : { [INDEX_LABEL]: String(index) },
      annotations: { ...(item === undefined ? {} : { [ANNOTATIONS.item]: item }), [ANNOTATIONS.verdict]: verdict },
      ownerReferences: [{ kind: 'Job', name, uid }],
    },
    status: {
      phase: 'Failed',
      ...(exitCode === null ? { reason, message: cause } : {}),
      containerStatuses:
        exitCode === null ? [] : [{ state: { terminated: { exitCode, reason, message: cause, ...times } } }],
    },
  };
}
