import { ACCOUNT_TOKEN_SHAPES } from '../account-tokens/shapes/index.ts';
import { ACCESS_SHAPES } from '../access/shapes/index.ts';
import { CONFIG_SHAPES } from '../configs/shapes/index.ts';
import { FURIKO_SHAPES } from '../furiko/shapes/index.ts';
import { QUOTA_SHAPES } from '../quotas/shapes/index.ts';
import { CRON_JOB_SHAPES } from '../schedules/shapes/index.ts';
import { STORAGE_SHAPES } from '../storage/shapes/index.ts';
import { WORK_LIST_SHAPES } from '../worklists/shapes/index.ts';

/** The shapes of what capabilities serve, by the names of their types. */
export const CAPABILITY_SHAPES = {
  ...WORK_LIST_SHAPES,
  ...ACCESS_SHAPES,
  ...ACCOUNT_TOKEN_SHAPES,
  ...CONFIG_SHAPES,
  ...FURIKO_SHAPES,
  ...QUOTA_SHAPES,
  ...CRON_JOB_SHAPES,
  ...STORAGE_SHAPES,
};
