import { CRON_JOB_ANNOTATIONS } from '../schedules/annotations/index.ts';
import { WORK_LIST_NAMING } from '../worklists/annotations/index.ts';

/** The annotations that objects of capabilities' kinds have, by kind, in the order in which `explain` names them. */
export const CAPABILITY_ANNOTATIONS = {
  CronJob: CRON_JOB_ANNOTATIONS,
} as const;

/** Annotations by which a Job names what has its items. */
export const ITEM_NAMINGS = {
  ...WORK_LIST_NAMING,
} as const;
