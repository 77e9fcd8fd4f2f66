import type { JobPartRows } from '../domain/manifests/job-parts.ts';
import { FURIKO_PART } from '../domain/furiko/furiko-part.ts';

/** What is done with Jobs of which a capability keeps a part. */
export const JOB_PARTS: JobPartRows = {
  furiko: FURIKO_PART,
};
