import type { Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../../kube/http/api-deps.ts';
import type { Authorizers } from '../../kube/http/open-authorizer.ts';
import { ACCESS_SERVED, addReviewRoutes, decideByRoles } from '../access/kube/index.ts';
import { JOB_CONFIG_KIND, addFurikoJobRoutes } from '../furiko/kube/index.ts';
import { LIMIT_RANGE_KIND, QUOTA_KIND } from '../quotas/kube/index.ts';
import { CRON_JOB_KIND } from '../schedules/kube/index.ts';
import { WORK_LIST_KIND } from '../worklists/kube/index.ts';

/** Kinds of capabilities that are stored as they are shown, by name. */
export const CAPABILITY_SERVED = {
  WorkList: WORK_LIST_KIND,
  ...ACCESS_SERVED,
  CronJob: CRON_JOB_KIND,
  JobConfig: JOB_CONFIG_KIND,
  LimitRange: LIMIT_RANGE_KIND,
  ResourceQuota: QUOTA_KIND,
};

/** What else capabilities serve. */
export const FURTHER_ROUTES: readonly ((app: Hono, deps: ApiDeps, options: ApiOptions) => void)[] = [
  addReviewRoutes,
  addFurikoJobRoutes,
];

/** What decides who may do what. Without it, an API that is to ask does not start. */
export const AUTHORIZERS: Authorizers = {
  RBAC: decideByRoles,
};
