import type { Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../../kube/http/api-deps.ts';
import type { CapabilityPorts } from '../../ports/capability-ports.ts';
import type { ObjectStore, StoredKind, StoredObject } from '../../ports/object-store.ts';
import type { Authorizers } from '../../kube/http/open-authorizer.ts';
import { ACCESS_SERVED, addReviewRoutes, decideByRoles } from '../access/kube/index.ts';
import { addTokenRoutes } from '../account-tokens/kube/index.ts';
import { CONFIG_SERVED, firstConfigMap, sealedObjects } from '../configs/kube/index.ts';
import { JOB_CONFIG_KIND, addFurikoJobRoutes } from '../furiko/kube/index.ts';
import { LIMIT_RANGE_KIND, QUOTA_KIND } from '../quotas/kube/index.ts';
import { CRON_JOB_KIND } from '../schedules/kube/index.ts';
import { STORAGE_SERVED } from '../storage/kube/index.ts';
import { WORK_LIST_KIND } from '../worklists/kube/index.ts';

/** Kinds of capabilities that are stored as they are shown, by name. */
export const CAPABILITY_SERVED = {
  ...CONFIG_SERVED,
  WorkList: WORK_LIST_KIND,
  ...ACCESS_SERVED,
  CronJob: CRON_JOB_KIND,
  JobConfig: JOB_CONFIG_KIND,
  LimitRange: LIMIT_RANGE_KIND,
  ResourceQuota: QUOTA_KIND,
  ...STORAGE_SERVED,
};

/** The store as users see it, where that is not as it is stored. */
export const OBJECT_VIEWS: readonly ((objects: ObjectStore, ports: Partial<CapabilityPorts>) => ObjectStore)[] = [
  sealedObjects,
];

type FirstObject = { readonly kind: StoredKind; readonly object: StoredObject };

/** What every new namespace gets, so that watches hear of it. Everybody else sees it without that, too. */
export const FIRST_OBJECTS: readonly ((namespace: StoredObject) => FirstObject)[] = [firstConfigMap];

/** What else capabilities serve. */
export const FURTHER_ROUTES: readonly ((app: Hono, deps: ApiDeps, options: ApiOptions) => void)[] = [
  addReviewRoutes,
  addTokenRoutes,
  addFurikoJobRoutes,
];

/** What decides who may do what. Without it, an API that is to ask does not start. */
export const AUTHORIZERS: Authorizers = {
  RBAC: decideByRoles,
};
