import type { Context } from 'hono';
import { decodeDeleteOptions } from '../schema/delete-options.ts';
import type { ApiDeps } from './api-deps.ts';
import { dryRunOf, flagOf } from './query.ts';
import { readBody } from './request-body.ts';
import { JOBS, type StatusError, badRequest, conflict, errorResponse, notFound } from './status-error.ts';

/** Answers `DELETE`: the Job is gone for its users when this has answered; its tasks are being stopped. */
export async function deleteJob(c: Context, namespace: string, name: string, deps: ApiDeps): Promise<Response> {
  const wish = await deletionOf(c);
  if (wish.kind === 'bad') return errorResponse(wish.error);
  const uid = await deps.jobs.findJob(namespace, name);
  if (uid === null) return errorResponse(notFound(JOBS, name));
  if (wish.uid !== null && wish.uid !== uid)
    return errorResponse(
      conflict(JOBS, name, `Precondition failed: UID in precondition: ${wish.uid}, UID in object meta: ${uid}`),
    );
  const removed = wish.dryRun ? { kind: 'deleted' } : await deps.changes.remove(uid);
  if (removed.kind === 'gone') return errorResponse(notFound(JOBS, name));
  return c.json({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, group: JOBS.group, kind: JOBS.plural, uid },
  });
}

type Deletion =
  | { readonly kind: 'ok'; readonly uid: string | null; readonly dryRun: boolean }
  | { readonly kind: 'bad'; readonly error: StatusError };

/**
 * Reads DeleteOptions from body and query. A Job's tasks always go with it: asking to orphan them is refused, and no
 * word about it means Background, though Kubernetes would orphan them then, for old clients' sake.
 */
export async function deletionOf(c: Context): Promise<Deletion> {
  const body = await readBody(c);
  if (body.kind === 'refused') return { kind: 'bad', error: body.error };
  if (body.kind === 'read' && body.document.kind === 'unreadable')
    return { kind: 'bad', error: badRequest(`DeleteOptions: ${body.document.reason}`) };
  const given = body.kind === 'read' && body.document.kind !== 'unreadable' ? body.document.value : {};
  const decoded = decodeDeleteOptions(given);
  if (decoded === null) return { kind: 'bad', error: badRequest('the body is no DeleteOptions of "v1"') };
  const policy = c.req.query('propagationPolicy') ?? decoded.propagationPolicy ?? 'Background';
  const orphans = policy === 'Orphan' || decoded.orphanDependents === true || flagOf(c.req.query('orphanDependents'));
  if (orphans)
    return {
      kind: 'bad',
      error: badRequest(
        'propagationPolicy: "Orphan" is not supported: a Job\'s tasks are stopped with it; use "Background"',
      ),
    };
  if (policy !== 'Background' && policy !== 'Foreground')
    return {
      kind: 'bad',
      error: badRequest(
        `propagationPolicy: Unsupported value: ${JSON.stringify(policy)}: supported values: "Background", "Foreground"`,
      ),
    };
  if (decoded.preconditions?.resourceVersion !== undefined)
    return {
      kind: 'bad',
      error: badRequest(
        'preconditions.resourceVersion: not supported by this version of Muster; use preconditions.uid',
      ),
    };
  const dryRun = dryRunOf([...(c.req.queries('dryRun') ?? []), ...(decoded.dryRun ?? [])]);
  if (dryRun === null) return { kind: 'bad', error: badRequest('dryRun: supported values: "All"') };
  return { kind: 'ok', uid: decoded.preconditions?.uid ?? null, dryRun };
}
