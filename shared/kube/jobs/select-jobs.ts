import type { Context } from 'hono';
import type { ApiDeps } from '../http/api-deps.ts';
import { followed } from '../feed/watched.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { type Parsed, ok } from '../http/query.ts';
import type { Collection } from '../list/collection.ts';
import type { JobFace } from './job-face.ts';
import { listJobs, parseJobFilter } from './list-jobs.ts';
import { watchedJobs } from './watch-jobs.ts';

/** How Jobs of one kind are listed. */
export type ListedJobs<T extends KubeObject> = Pick<Collection<T>, 'printer' | 'isOver'> & {
  readonly face: JobFace<T>;
};

/** The Jobs of a namespace (null: of all) that match a request's selectors, as one kind shows them. */
export function selectFaces<T extends KubeObject>(
  c: Context,
  namespace: string | null,
  { face, ...shown }: ListedJobs<T>,
  deps: ApiDeps,
): Parsed<Collection<T>> {
  const filter = parseJobFilter(face, namespace, c.req.query());
  if (filter.kind === 'bad') return filter;
  return ok({
    ...shown,
    resource: face.resource,
    apiVersion: face.apiVersion,
    list: (page) => listJobs(filter.value, page, deps),
    watch: () => followed(deps.tails.jobs, watchedJobs(filter.value, deps, deps.tails.jobs)),
  });
}
