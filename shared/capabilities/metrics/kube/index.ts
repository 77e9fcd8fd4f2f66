import type { Hono } from 'hono';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import type { ReadUsage } from '../../../ports/gathered/read-usage.ts';
import { createMeter } from '../control/meter.ts';
import { addMetricRoutes } from './metric-routes.ts';

/** Routes that say what Pods use, given what measures it. */
export const podMetricRoutes =
  (read: ReadUsage) =>
  (app: Hono, deps: ApiDeps): void =>
    addMetricRoutes(app, deps, createMeter(read, deps.clock));
