import type { Hono } from 'hono';
import type { Reads } from '../../../kube/jobs/job-view.ts';
import { gridRoutes } from './grid-routes.ts';

/** What the page asks for that nothing else serves, under /muster/v1. */
export const pageRoutes = ({ deps }: { readonly deps: Pick<Reads, 'jobs' | 'feed'> }): Hono => gridRoutes(deps);
