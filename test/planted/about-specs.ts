import type { JobManifest } from '../../shared/domain/manifests/manifest.ts';

type Spec = JobManifest['spec'];

/** What a Job of batch/v1 may have that a fault is about. */
export const SPECS = {
  onFailure: ({ template }: Spec): boolean => template.spec.restartPolicy === 'OnFailure',
  replacesAtOnce: ({ podReplacementPolicy }: Spec): boolean => podReplacementPolicy === 'TerminatingOrFailed',
  successPolicy: ({ successPolicy }: Spec): boolean => successPolicy !== undefined,
  deadline: ({ activeDeadlineSeconds }: Spec): boolean => activeDeadlineSeconds !== undefined,
} as const;
