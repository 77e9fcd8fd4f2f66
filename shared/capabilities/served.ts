import type { Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../kube/http/api-deps.ts';
import { JOB_CONFIG_KIND, addFurikoJobRoutes } from './furiko/kube/index.ts';
import { LIMIT_RANGE_KIND, QUOTA_KIND } from './quotas/kube/index.ts';

/** Kinds of capabilities that are stored as they are shown, by name. */
export const CAPABILITY_SERVED = {
  JobConfig: JOB_CONFIG_KIND,
  LimitRange: LIMIT_RANGE_KIND,
  ResourceQuota: QUOTA_KIND,
};

/** What else capabilities serve. */
export const FURTHER_ROUTES: readonly ((app: Hono, deps: ApiDeps, options: ApiOptions) => void)[] = [
  addFurikoJobRoutes,
];
