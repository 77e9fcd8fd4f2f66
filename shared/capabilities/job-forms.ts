import type { JobForm } from '../schema/job/job-form.ts';
import { FURIKO_FORM } from './furiko/schema/index.ts';

/** Other forms of Jobs than that of `batch/v1`. */
export const JOB_FORMS: readonly JobForm[] = [FURIKO_FORM];
