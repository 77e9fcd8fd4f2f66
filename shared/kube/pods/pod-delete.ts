import type { Context } from 'hono';
import { asTime } from '../../domain/base/time.ts';
import { hasPod } from '../../domain/scoreboard/index-record.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { type Deletion, deletionOf } from '../write/deletion.ts';
import { evictionOf } from './pod-eviction.ts';
import { findPod } from './find-pod.ts';
import type { Page, PageRequest } from '../list/list-page.ts';
import type { PodObject } from './render-pod.ts';
import { PODS, type StatusError, conflict, errorResponse, notFound, successStatus } from '../http/status-error.ts';
import { deleteListed } from '../write/delete-listed.ts';
import { unmetPrecondition } from '../write/delete-object.ts';
import { withWarnings } from '../http/warnings.ts';

type Stopped =
  | { readonly kind: 'stopping'; readonly pod: PodObject }
  | { readonly kind: 'refused'; readonly error: StatusError };

/**
 * Answers `DELETE` of a Pod: its attempt's task is stopped, within ECS's limits (the template's grace period), and the Pod
 * disappears when it has stopped. A Pod that has ended is the Job's history, and is deleted with the Job.
 */
export async function deletePod(c: Context, namespace: string, name: string, deps: ApiDeps): Promise<Response> {
  const wanted = await deletionOf(c, null);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const stopped = await stopPod(namespace, name, wanted, deps);
  return stopped.kind === 'refused' ? errorResponse(stopped.error) : c.json(stopped.pod);
}

/**
 * Answers `POST` of an Eviction: a deletion that marks the Pod as disrupted, which podFailurePolicy may check. There are no
 * PodDisruptionBudgets here, so none forbids it.
 */
export async function evictPod(c: Context, namespace: string, name: string, deps: ApiDeps): Promise<Response> {
  const wanted = await evictionOf(c, namespace, name);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const { value, warnings } = wanted;
  const stopped = await stopPod(namespace, name, value, deps, 'evicted');
  if (stopped.kind === 'refused') return errorResponse(stopped.error);
  return withWarnings(c.json({ ...successStatus(PODS, name, null), code: 201 }, 201), warnings);
}

/** Answers `DELETE` of a collection: every Pod that matches the selectors is stopped; those that have ended stay. */
export async function deletePods(
  c: Context,
  list: (page: PageRequest) => Promise<Page<PodObject>>,
  deps: ApiDeps,
): Promise<Response> {
  const wanted = await deletionOf(c, null);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  return deleteListed(c, PODS, list, async ({ metadata: { namespace, name, uid }, status: { phase } }) => {
    // The one that was listed; if it has ended since, that is fine.
    const preconditions = { uid, resourceVersion: null };
    if (phase !== 'Succeeded' && phase !== 'Failed') await stopPod(namespace, name, { ...wanted, preconditions }, deps);
    return null;
  });
}

async function stopPod(
  namespace: string,
  name: string,
  { dryRun, preconditions }: Pick<Deletion, 'dryRun' | 'preconditions'>,
  deps: ApiDeps,
  how: 'deleted' | 'evicted' = 'deleted',
): Promise<Stopped> {
  const found = await findPod(namespace, name, deps);
  if (found === null) return { kind: 'refused', error: notFound(PODS, name) };
  const { index, attempt, view, pod } = found;
  const unmet = unmetPrecondition(PODS, pod, preconditions);
  if (unmet !== null) return { kind: 'refused', error: unmet };
  const record = view.board.record(index);
  if (record === null || record.attempt !== attempt || !hasPod(record.state)) {
    if (found.facts.isPublishedStopping === true) return { kind: 'refused', error: notFound(PODS, name) };
    const why = 'it has ended, and is kept as what happened until its Job is deleted; there is nothing to stop';
    return { kind: 'refused', error: conflict(PODS, name, why) };
  }
  if (!dryRun) await deps.jobCommands.deletePod(view.spec.identity.uid, { index, attempt, nonce: record.nonce }, how);
  const { terminationGracePeriodSeconds } = pod.spec;
  const deletion = {
    deletionTimestamp: asTime(deps.clock.now()),
    deletionGracePeriodSeconds: terminationGracePeriodSeconds,
  };
  return { kind: 'stopping', pod: { ...pod, metadata: { ...deletion, ...pod.metadata } } };
}
