import { type EpochMs, asEpochMs, asJobUid } from '../../shared/domain/brand.ts';
import type { CompletionMode } from '../../shared/domain/job.ts';
import type { StoredSpec } from '../../shared/ports/job-store.ts';

export type JobWish = {
  readonly uid?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly createdAt?: EpochMs;
  readonly completionMode?: CompletionMode;
  readonly completions?: number | null;
  readonly parallelism?: number;
  readonly backoffLimit?: number;
  readonly suspend?: boolean;
};

/** An admitted Job with one container; what a test does not care about has Kubernetes' defaults. */
export function aJob(wish: JobWish = {}): StoredSpec {
  const {
    uid = 'uid-1',
    namespace = 'default',
    name = 'work',
    completionMode = 'Indexed',
    completions = 3,
    parallelism = 2,
  } = wish;
  const labels = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name };
  return {
    identity: { uid: asJobUid(uid), namespace, name, createdAt: wish.createdAt ?? asEpochMs(0) },
    generation: 1,
    manifest: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name, namespace },
      spec: {
        completionMode,
        ...(completions === null ? {} : { completions }),
        parallelism,
        backoffLimit: wish.backoffLimit ?? 6,
        suspend: wish.suspend ?? false,
        podReplacementPolicy: 'Failed',
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: {
          metadata: { labels },
          spec: {
            containers: [{ name: 'main', image: 'busybox', command: ['true'] }],
            restartPolicy: 'Never',
            terminationGracePeriodSeconds: 30,
          },
        },
      },
    },
  };
}
