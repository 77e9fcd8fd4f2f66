import type { Context, Hono } from 'hono';
import type { ApiKind } from '../../domain/kinds/api-kind.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import {
  type ChangeRoutes,
  addChangeRoutes,
  addOtherRoutes,
  addPartRoutes,
  addReadRoutes,
} from '../write/kind-routes.ts';
import { BATCH_FACE } from './job-face.ts';
import { jobKind } from './job-kind.ts';
import { JOB_PRINTER, isJobOver } from './job-printer.ts';
import { jobStatusKind } from './job-status-kind.ts';
import type { FoundJob } from './job-writes.ts';
import { findJob } from './list-jobs.ts';
import { type ListedJobs, selectFaces } from './select-jobs.ts';

/** `batch/v1` Jobs. */
export function addJobRoutes(app: Hono, deps: ApiDeps, options: ApiOptions): void {
  const listed = { face: BATCH_FACE, printer: JOB_PRINTER, isOver: isJobOver };
  addPartRoutes(app, API_KINDS.Job, jobStatusKind(deps), deps);
  addFaceRoutes(app, API_KINDS.Job, { kind: jobKind(deps), listed }, deps, options);
}

/** How a kind shows Jobs, and how its users change them. */
type FaceRoutes<T extends KubeObject> = Pick<ChangeRoutes<FoundJob<T>, StoredSpec>, 'kind'> & {
  readonly listed: ListedJobs<T>;
};

/** The routes of a kind that shows Jobs. */
export function addFaceRoutes<T extends KubeObject>(
  app: Hono,
  row: ApiKind,
  { kind, listed }: FaceRoutes<T>,
  deps: ApiDeps,
  options: ApiOptions,
): void {
  const { face, printer } = listed;
  const reads = {
    printer,
    find: async (key: { readonly namespace: string; readonly name: string }) => findJob(face, key, deps),
    select: (c: Context, namespace: string | null) => selectFaces(c, namespace, listed, deps),
  };
  addReadRoutes(app, row, reads, deps, options);
  addChangeRoutes(app, row, { kind, select: reads.select }, deps);
  addOtherRoutes(app, row, [], deps);
}
