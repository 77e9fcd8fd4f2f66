import { type EpochMs, asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { type CompletionMode, type JobSpec, NO_ADDED_RULES } from '../../shared/domain/manifests/job.ts';
import { EVERY_INDEX } from '../../shared/domain/manifests/selection.ts';
import type { Labels } from '../../shared/domain/manifests/manifest.ts';
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
  readonly finalizers?: readonly string[];
  /** Its indexes have names. */
  readonly subdomain?: string;
  readonly restartPolicy?: 'Never' | 'OnFailure';
  readonly annotations?: Labels;
  readonly image?: string;
  /** What counts as succeeded from the start. */
  readonly inherited?: string;
  /** Who has last suspended or resumed it. */
  readonly suspendSetBy?: string;
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
    revision: 1,
    generation: 1,
    ...(wish.inherited === undefined ? {} : { inherited: wish.inherited }),
    ...(wish.suspendSetBy === undefined ? {} : { suspendSetBy: wish.suspendSetBy }),
    manifest: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name,
        namespace,
        ...(wish.finalizers === undefined ? {} : { finalizers: wish.finalizers }),
        ...(wish.annotations === undefined ? {} : { annotations: wish.annotations }),
      },
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
            containers: [{ name: 'main', image: wish.image ?? 'busybox', command: ['true'] }],
            restartPolicy: wish.restartPolicy ?? 'Never',
            terminationGracePeriodSeconds: 30,
            ...(wish.subdomain === undefined ? {} : { subdomain: wish.subdomain }),
          },
        },
      },
    },
  };
}

/** A spec in which only what every Job says is said; the rest has Kubernetes' defaults. */
export const plainSpec = (
  given: Partial<JobSpec> & Pick<JobSpec, 'completionMode' | 'parallelism' | 'completions'>,
): JobSpec => ({
  backoffLimit: 6,
  backoffLimitPerIndex: null,
  maxFailedIndexes: null,
  podFailurePolicy: null,
  successPolicy: null,
  activeDeadlineSec: null,
  ttlSecAfterFinished: null,
  suspend: false,
  podReplacementPolicy: 'Failed',
  restartPolicy: 'Never',
  barePod: false,
  held: false,
  managed: true,
  selection: EVERY_INDEX,
  ...NO_ADDED_RULES,
  ...given,
});
