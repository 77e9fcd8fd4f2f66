import { type Context, Hono } from 'hono';
import { type IndexSet, formatIndexSet, size } from '../../domain/base/index-set.ts';
import { INDEX_EFFECTS, type IndexEffect, WHY_NONE_CHANGES } from '../../domain/scoreboard/index-changes.ts';
import { forbidden } from '../../schema/object/field-error.ts';
import { ONLY_THIS_RELEASE } from '../../schema/object/new-field-rules.ts';
import { readIndexRequest } from '../../schema/requests/index-request.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { askerOf } from '../http/caller.ts';
import { readBody } from '../http/request-body.ts';
import {
  JOBS,
  type Resource,
  badRequest,
  conflict,
  errorResponse,
  invalidObject,
  methodNotAllowed,
  notFound,
} from '../http/status-error.ts';
import { writeOptions } from '../write/write-options.ts';

const PATH = '/namespaces/:namespace/jobs/:name/indexes';
const CHANGES: Resource = { group: 'muster.run', plural: 'indexes', kind: 'IndexChange' };

type IndexDeps = Pick<ApiDeps, 'jobs' | 'jobCommands' | 'formats' | 'callerOf' | 'authorization'>;

/** Holds, releases, cancels, or requeues single indexes of a Job, which Kubernetes has no word for. */
export function indexRoutes(deps: IndexDeps): Hono {
  const app = new Hono();
  app.post(PATH, async (c) => {
    const { namespace, name } = c.req.param();
    return changeIndexes(c, namespace, name, deps);
  });
  app.all(PATH, () => errorResponse(methodNotAllowed('indexes can only be changed, by POST')));
  return app;
}

async function changeIndexes(c: Context, namespace: string, name: string, deps: IndexDeps): Promise<Response> {
  const { jobs, jobCommands, formats } = deps;
  if (formats === 'previous')
    return errorResponse(invalidObject(CHANGES, name, [forbidden('action', ONLY_THIS_RELEASE)]));
  const options = writeOptions(c, 'CreateOptions');
  if (options.kind === 'bad') return errorResponse(options.error);
  const body = await readBody(c);
  if (body.kind === 'refused') return errorResponse(body.error);
  if (body.kind === 'empty') return errorResponse(badRequest('the body of the request is empty'));
  if (body.document.kind !== 'parsed') return errorResponse(badRequest(body.document.reason));
  const read = readIndexRequest(body.document.value);
  if (read.kind === 'unreadable') return errorResponse(badRequest(read.message));
  if (read.kind === 'invalid') return errorResponse(invalidObject(CHANGES, name, read.errors));
  const uid = await jobs.findJob(namespace, name);
  if (uid === null) return errorResponse(notFound(JOBS, name));
  const { dryRun } = options.value;
  const changed = await jobCommands.changeIndexes(
    uid,
    { ...read.request, isDry: dryRun },
    askerOf(deps.callerOf(c), deps),
  );
  switch (changed.kind) {
    case 'gone':
      return errorResponse(notFound(JOBS, name));
    case 'invalid':
      return errorResponse(invalidObject(CHANGES, name, changed.errors));
    case 'over':
      return errorResponse(conflict(JOBS, name, WHY_NONE_CHANGES[changed.phase]));
    case 'changed':
      return c.json({
        apiVersion: 'muster.run/v1',
        kind: 'IndexChange',
        metadata: { namespace, name, uid },
        action: read.request.action,
        indexes: formatIndexSet(read.request.indexes),
        dryRun,
        ...rendered(changed.effects),
      });
  }
}

/** By what came of them: how many indexes, and which. */
const rendered = (effects: Readonly<Record<IndexEffect, IndexSet>>) => ({
  effects: Object.fromEntries(
    INDEX_EFFECTS.map((effect) => {
      const set = effects[effect];
      return [effect, { count: size(set), indexes: formatIndexSet(set) }] as const;
    }),
  ),
});
