import { CRON_JOB_ANNOTATIONS } from './schedules/annotations/index.ts';

/** The annotations that objects of capabilities' kinds have, by kind, in the order in which `explain` names them. */
export const CAPABILITY_ANNOTATIONS = {
  CronJob: CRON_JOB_ANNOTATIONS,
} as const;
