import { REVIEW_KINDS, ROLE_KINDS } from '../access/kinds/index.ts';
import { CONFIG_KINDS } from '../configs/kinds/index.ts';
import { FURIKO_KINDS } from '../furiko/kinds/index.ts';
import { METRIC_KINDS } from '../metrics/kinds/index.ts';
import { QUOTA_KINDS } from '../quotas/kinds/index.ts';
import { SCHEDULE_KINDS } from '../schedules/kinds/index.ts';
import { STORAGE_KINDS } from '../storage/kinds/index.ts';
import { WORK_LIST_ROWS } from '../worklists/kinds/index.ts';

/** Kinds of capabilities whose objects hold for what comes after them: they come before those of the kernel. */
export const LEADING_KINDS = {
  ...ROLE_KINDS,
  ...QUOTA_KINDS,
  ...STORAGE_KINDS,
} as const;

/** Kinds of capabilities that a file's Jobs come after. */
export const KINDS_BEFORE_JOBS = {
  ...CONFIG_KINDS,
  ...WORK_LIST_ROWS,
  ...SCHEDULE_KINDS,
} as const;

/** The other kinds of all capabilities. A kind comes after those that its objects name. */
export const CAPABILITY_KINDS = {
  ...FURIKO_KINDS,
} as const;

/** Questions that capabilities answer: nothing of them is stored. */
export const ASKED_KINDS = {
  ...REVIEW_KINDS,
} as const;

/** What capabilities measure, where they can. */
export const MEASURED_KINDS = {
  ...METRIC_KINDS,
} as const;
