import type { JobForm } from '../../schema/job/job-form.ts';
import type { PartUpdate } from '../../schema/job/job-update.ts';
import { FURIKO_FORM, admitBatchUpdateOfFuriko } from '../furiko/schema/index.ts';

/** Other forms of Jobs than that of `batch/v1`. */
export const JOB_FORMS: readonly JobForm[] = [FURIKO_FORM];

/** How documents of `batch/v1` may change Jobs of which capabilities keep a part. */
export const BATCH_UPDATES: readonly PartUpdate[] = [admitBatchUpdateOfFuriko];
