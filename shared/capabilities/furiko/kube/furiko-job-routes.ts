import type { Hono } from 'hono';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import type { ApiDeps, ApiOptions } from '../../../kube/http/api-deps.ts';
import { addFaceRoutes } from '../../../kube/jobs/job-routes.ts';
import { FURIKO_FACE } from './furiko-face.ts';
import { furikoJobKind } from './furiko-job-kind.ts';
import { FURIKO_JOB_PRINTER, isFurikoJobOver } from './furiko-job-printer.ts';

/** Jobs of `execution.furiko.io/v1alpha1`. */
export function addFurikoJobRoutes(app: Hono, deps: ApiDeps, options: ApiOptions): void {
  const listed = { face: FURIKO_FACE, printer: FURIKO_JOB_PRINTER, isOver: isFurikoJobOver };
  addFaceRoutes(app, API_KINDS.FurikoJob, { kind: furikoJobKind(deps), listed }, deps, options);
}
