import type { TemplateRow } from '../../schema/submission/stored-template.ts';
import { CRON_JOB_TEMPLATE } from '../schedules/schema/index.ts';

/** Objects that have the template of a Job, of which a message may make one, as it may of another Job. */
export const JOB_TEMPLATES: readonly TemplateRow[] = [CRON_JOB_TEMPLATE];
