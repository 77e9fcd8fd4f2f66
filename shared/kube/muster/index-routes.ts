import { type Context, Hono } from 'hono';
import { type IndexSet, formatIndexSet, size } from '../../domain/base/index-set.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { ItemValues } from '../../domain/base/late-text.ts';
import { INDEX_EFFECTS, type IndexEffect, WHY_NONE_CHANGES } from '../../domain/scoreboard/index-changes.ts';
import { readIndexRequest } from '../../schema/requests/index-request.ts';
import { readItemValues } from '../../store/read-items.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { askerOf } from '../http/caller.ts';
import { readBody } from '../http/request-body.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import {
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

type IndexDeps = Pick<ApiDeps, 'jobs' | 'items' | 'itemCache' | 'jobCommands' | 'callerOf' | 'authorizer'>;

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
  const { jobs, jobCommands } = deps;
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
  if (uid === null) return errorResponse(notFound(API_KINDS.Job, name));
  const { dryRun } = options.value;
  const changed = await jobCommands.changeIndexes(
    uid,
    { ...read.request, isDry: dryRun },
    askerOf(deps.callerOf(c), deps),
  );
  switch (changed.kind) {
    case 'gone':
      return errorResponse(notFound(API_KINDS.Job, name));
    case 'invalid':
      return errorResponse(invalidObject(CHANGES, name, changed.errors));
    case 'over':
      return errorResponse(conflict(API_KINDS.Job, name, WHY_NONE_CHANGES[changed.phase]));
    case 'changed':
      return c.json({
        apiVersion: 'muster.run/v1',
        kind: 'IndexChange',
        metadata: { namespace, name, uid },
        action: read.request.action,
        indexes: formatIndexSet(read.request.indexes),
        dryRun,
        effects: await rendered(changed.effects, uid, deps),
      });
  }
}

/** By what came of them: how many indexes, which, and what the first and the last of them work on. */
async function rendered(effects: Readonly<Record<IndexEffect, IndexSet>>, uid: JobUid, deps: IndexDeps) {
  const ends = INDEX_EFFECTS.flatMap((effect) => endsOf(effects[effect]));
  const spec = ends.length === 0 ? null : await deps.jobs.readSpec(uid);
  const items = spec === null ? new Map<number, ItemValues>() : await readItemValues(spec.manifest, ends, deps);
  return Object.fromEntries(
    INDEX_EFFECTS.map((effect) => {
      const set = effects[effect];
      const named = endsOf(set).flatMap((index) => items.get(index)?.line ?? []);
      const said = { count: size(set), indexes: formatIndexSet(set) };
      return [effect, named.length === 0 ? said : { ...said, items: named }] as const;
    }),
  );
}

/** The first and the last index of a set: none, one, or two. */
function endsOf({ edges }: IndexSet): readonly number[] {
  const [first] = edges;
  const after = edges.at(-1);
  if (first === undefined || after === undefined) return [];
  return first === after - 1 ? [first] : [first, after - 1];
}
