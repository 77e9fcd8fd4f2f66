import type { JobForm } from '../../../schema/job/job-form.ts';
import { FURIKO_API_VERSION } from '../domain/furiko-job.ts';
import { admitFurikoJob } from './furiko-job-admission.ts';

/** A Job of Furiko's that names no JobConfig which the reader might know. */
export const FURIKO_FORM: JobForm = {
  apiVersion: FURIKO_API_VERSION,
  admit: (document, context) => admitFurikoJob(document, { ...context, config: 'absent' }),
};
