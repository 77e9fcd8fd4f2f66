import type { JobPart } from '../../../domain/manifests/job-parts.ts';
import type { FurikoPart } from './furiko-job.ts';
import { JOB_UID_LABEL, taskMetadata } from './furiko-labels.ts';

declare module '../../../domain/manifests/job-parts.ts' {
  interface JobParts {
    /** What its users see, if it is a Job of `execution.furiko.io`; the manifest is made of it. */
    readonly furiko?: FurikoPart;
  }
}

export const FURIKO_PART: JobPart<FurikoPart> = {
  placeOf({ config }, { metadata }) {
    if (config === null) return null;
    const owner = (metadata.ownerReferences ?? []).find(({ uid }) => uid === config.uid);
    return owner === undefined ? null : { kind: 'JobConfig', name: owner.name, uid: owner.uid };
  },
  podMetadata: taskMetadata,
  jobUidLabel: JOB_UID_LABEL,
};

export { FRESH_CONFIG } from './config-state.ts';
export { slotsOfConfig } from './slots-of-config.ts';
