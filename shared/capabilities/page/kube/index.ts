import type { Hono } from 'hono';
import type { Deps } from '../../../control/process/deps.ts';
import { jobPageRoutes } from './page-routes.ts';

/** What the page asks for that nothing else serves, under /muster/v1. */
export const pageRoutes = ({ deps }: { readonly deps: Pick<Deps, 'jobs' | 'feed' | 'clock'> }): Hono =>
  jobPageRoutes(deps);
