import { type Context, Hono } from 'hono';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import type { Clock } from '../../../ports/clock.ts';
import { jsonAnswer } from '../../../kube/http/json-answer.ts';
import { errorResponse, methodNotAllowed, notFound } from '../../../kube/http/status-error.ts';
import { readCursor } from '../domain/grid-changes.ts';
import { findGrid } from './read-grid.ts';
import { type SampleReads, readSample } from './read-sample.ts';
import { renderDurations } from './render-durations.ts';
import { parseTimelineQuery, renderTimeline } from './render-timeline.ts';

const JOB = '/namespaces/:namespace/jobs/:name';
/** Cells and numbers repeat, so that a small answer is worth it, too. */
const GZIP_MIN_CHARS = 2_048;

/** A Job at a glance, however large it is. */
export function jobPageRoutes(reads: SampleReads & { readonly clock: Pick<Clock, 'now'> }): Hono {
  const app = new Hono();
  const answer = (c: Context, name: string, found: object | null): Response =>
    found === null ? errorResponse(notFound(API_KINDS.Job, name)) : jsonAnswer(c, found, 200, GZIP_MIN_CHARS);
  app.get(`${JOB}/grid`, async (c) => {
    const { namespace, name } = c.req.param();
    return answer(c, name, await findGrid(namespace, name, readCursor(c.req.query('since') ?? ''), reads));
  });
  app.get(`${JOB}/durations`, async (c) => {
    const { namespace, name } = c.req.param();
    const sample = await readSample(namespace, name, reads);
    return answer(c, name, sample === null ? null : renderDurations(sample));
  });
  app.get(`${JOB}/timeline`, async (c) => {
    const { namespace, name } = c.req.param();
    const query = parseTimelineQuery(c.req.query());
    if (query.kind === 'bad') return errorResponse(query.error);
    const sample = await readSample(namespace, name, reads);
    return answer(c, name, sample === null ? null : renderTimeline(sample, query.value, reads.clock.now()));
  });
  for (const part of ['grid', 'durations', 'timeline'])
    app.all(`${JOB}/${part}`, () => errorResponse(methodNotAllowed()));
  return app;
}
