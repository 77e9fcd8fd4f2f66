import { Hono } from 'hono';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { jsonAnswer } from '../../../kube/http/json-answer.ts';
import { errorResponse, methodNotAllowed, notFound } from '../../../kube/http/status-error.ts';
import type { Reads } from '../../../kube/jobs/job-view.ts';
import { readCursor } from '../domain/grid-changes.ts';
import { findGrid } from './read-grid.ts';

const GRID = '/namespaces/:namespace/jobs/:name/grid';
/** Cells repeat, so that a small answer is worth it, too. */
const GZIP_MIN_CHARS = 2_048;

/** A Job at a glance: what the page draws of all its indexes. */
export function gridRoutes(reads: Pick<Reads, 'jobs' | 'feed'>): Hono {
  const app = new Hono();
  app.get(GRID, async (c) => {
    const { namespace, name } = c.req.param();
    const grid = await findGrid(namespace, name, readCursor(c.req.query('since') ?? ''), reads);
    return grid === null ? errorResponse(notFound(API_KINDS.Job, name)) : jsonAnswer(c, grid, 200, GZIP_MIN_CHARS);
  });
  app.all(GRID, () => errorResponse(methodNotAllowed()));
  return app;
}
