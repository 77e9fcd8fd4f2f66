import type { JobPartRows } from '../../domain/manifests/job-parts.ts';
import { FURIKO_PART } from '../furiko/domain/index.ts';

/** What is done with Jobs of which a capability keeps a part. */
export const JOB_PARTS: JobPartRows = {
  furiko: FURIKO_PART,
};
