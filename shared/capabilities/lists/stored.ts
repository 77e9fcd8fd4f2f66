import { CONFIG_STATE, FURIKO_PART_BODY } from '../furiko/store/index.ts';
import { CRON_STATE } from '../schedules/store/index.ts';

/** How the parts of Jobs are stored that capabilities keep, by name. */
export const CAPABILITY_PARTS = {
  furiko: FURIKO_PART_BODY,
};

/** How the states of schedulers are stored, by kind. */
export const CAPABILITY_STATES = {
  CronJob: CRON_STATE,
  JobConfig: CONFIG_STATE,
};
