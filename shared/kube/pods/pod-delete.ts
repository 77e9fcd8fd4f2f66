import type { Context } from 'hono';
import { asTime } from '../../domain/base/time.ts';
import { asJobUid } from '../../domain/base/ids.ts';
import { chunkOf } from '../../domain/scoreboard/board.ts';
import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import { parsePodName } from '../../domain/task/pod-name.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { type Deletion, deletionOf } from '../write/deletion.ts';
import { evictionOf } from './pod-eviction.ts';
import { findPod } from './find-pod.ts';
import { isAttemptOver, removeEnded } from './ended-pods.ts';
import type { Reads } from '../jobs/job-view.ts';
import type { Page, PageRequest } from '../list/list-page.ts';
import type { PodObject } from './render-pod.ts';
import { type StatusError, errorResponse, notFound, successStatus } from '../http/status-error.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { deleteListed } from '../write/delete-listed.ts';
import { unmetPrecondition } from '../write/delete-object.ts';
import { withWarnings } from '../http/warnings.ts';

type Stopped =
  | { readonly kind: 'deleted'; readonly pod: PodObject }
  | { readonly kind: 'refused'; readonly error: StatusError };

/**
 * Answers `DELETE` of a Pod: its attempt's task is stopped, within ECS's limits (the template's grace period), and the Pod
 * disappears when it has stopped. A Pod that has ended disappears at once; the record of its attempt stays with the Job.
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
  return withWarnings(c.json({ ...successStatus(API_KINDS.Pod, name, null), code: 201 }, 201), warnings);
}

/** Answers `DELETE` of a collection: of all Pods that match the selectors, those that run are stopped, and the others removed. */
export async function deletePods(
  c: Context,
  list: (page: PageRequest) => Promise<Page<PodObject>>,
  deps: ApiDeps,
): Promise<Response> {
  const wanted = await deletionOf(c, null);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const listLeft = async (page: PageRequest): Promise<Page<PodObject>> => {
    const { items, ...rest } = await list(page);
    const ended = items.filter((pod) => hasEnded(pod) && jobOf(pod) !== null);
    const removed = wanted.dryRun ? new Set(ended) : await removeListed(ended, deps);
    return { ...rest, items: items.filter((pod) => !removed.has(pod)) };
  };
  return deleteListed(c, API_KINDS.Pod, listLeft, async ({ metadata: { namespace, name, uid } }) => {
    // The one that was listed; if it has gone since, that is fine.
    await stopPod(namespace, name, { ...wanted, preconditions: { uid, resourceVersion: null } }, deps);
    return null;
  });
}

/** The uid of the Job that says to have made it; null: it is a bare Pod. */
const jobOf = ({ metadata: { ownerReferences = [] } }: PodObject): string | null =>
  ownerReferences.find(({ kind, controller }) => kind === 'Job' && controller === true)?.uid ?? null;

const hasEnded = ({ status: { phase } }: PodObject): boolean => phase === 'Succeeded' || phase === 'Failed';

/** As many as a page of a list has: STATUS, which one commit writes, keeps a few bytes of each until they are published. */
const REMOVED_AT_ONCE = 500;

/**
 * Removes Pods of Jobs that have ended, many of a chunk of a Job's board by one commit.
 *
 * @returns all of them but those that only name a Job as their controller
 */
async function removeListed(pods: readonly PodObject[], deps: ApiDeps): Promise<ReadonlySet<PodObject>> {
  const ofJobs = new Set<PodObject>();
  for (const [uid, ofJob] of groupedBy(pods, (pod) => jobOf(pod) ?? '')) {
    const spec = await deps.jobs.readSpec(asJobUid(uid));
    if (spec === null) continue;
    const named = { ...spec.identity, completionMode: spec.manifest.spec.completionMode };
    const ids = ofJob.flatMap((pod) => {
      const id = parsePodName(named, pod.metadata.name);
      if (id !== null) ofJobs.add(pod);
      return id ?? [];
    });
    for (const [chunk, ofChunk] of groupedBy(ids, ({ index }) => chunkOf(index)))
      for (let from = 0; from < ofChunk.length; from += REMOVED_AT_ONCE)
        await removeEnded(asJobUid(uid), chunk, ofChunk.slice(from, from + REMOVED_AT_ONCE), deps);
  }
  return ofJobs;
}

function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** What stopping a Pod asks. */
type StopDeps = Reads & Pick<ApiDeps, 'jobCommands' | 'clock'>;

/** Deletes the Pod with this name, or evicts it. */
export async function stopPod(
  namespace: string,
  name: string,
  { dryRun, preconditions, graceSec }: Pick<Deletion, 'dryRun' | 'preconditions' | 'graceSec'>,
  deps: StopDeps,
  how: 'deleted' | 'evicted' = 'deleted',
): Promise<Stopped> {
  const found = await findPod(namespace, name, deps);
  if (found === null) return { kind: 'refused', error: notFound(API_KINDS.Pod, name) };
  const { index, attempt, view, pod } = found;
  const unmet = unmetPrecondition(API_KINDS.Pod, pod, preconditions);
  if (unmet !== null) return { kind: 'refused', error: unmet };
  if (isBarePod(view.spec.identity)) return removeBare(found, { dryRun, graceSec }, deps);
  const record = view.board.record(index);
  if (record === null || isAttemptOver(view, found)) {
    // Its end is yet to be published; or its replacement runs, and its own task is still stopping.
    if (found.facts.isPublishedStopping === true) return { kind: 'deleted', pod };
    return removePod(found, dryRun, deps);
  }
  if (!dryRun) await deps.jobCommands.deletePod(view.spec.identity.uid, { index, attempt, nonce: record.nonce }, how);
  return { kind: 'deleted', pod: inDeletion(pod, pod.spec.terminationGracePeriodSeconds, deps) };
}

/**
 * A bare Pod goes with the Job that it is stored as: when its task has stopped; without a grace period, or if it has ended, at once.
 */
async function removeBare(
  { view, pod }: FoundPod,
  { dryRun, graceSec }: Pick<Deletion, 'dryRun' | 'graceSec'>,
  deps: StopDeps,
): Promise<Stopped> {
  const { uid } = view.spec.identity;
  const isAtOnce = graceSec === 0 || hasEnded(pod);
  const last = inDeletion(pod, isAtOnce ? 0 : pod.spec.terminationGracePeriodSeconds, deps);
  if (dryRun) return { kind: 'deleted', pod: last };
  const { kind } = await deps.jobCommands.deleteJob(uid, isAtOnce ? 'Background' : 'Foreground', null);
  if (kind === 'gone') return { kind: 'refused', error: notFound(API_KINDS.Pod, pod.metadata.name) };
  const { number = view.version } = (await deps.feed.readMark(uid)) ?? {};
  return { kind: 'deleted', pod: { ...last, metadata: { ...last.metadata, resourceVersion: String(number) } } };
}

/** A Pod that has ended disappears at once, and is the answer, as in Kubernetes. */
async function removePod({ index, attempt, view, pod }: FoundPod, dryRun: boolean, deps: StopDeps): Promise<Stopped> {
  const { uid } = view.spec.identity;
  const last = inDeletion(pod, 0, deps);
  if (dryRun) return { kind: 'deleted', pod: last };
  const removed = await removeEnded(uid, chunkOf(index), [{ index, attempt }], deps);
  if (removed.length === 0) return { kind: 'refused', error: notFound(API_KINDS.Pod, pod.metadata.name) };
  const { number = view.version } = (await deps.feed.readMark(uid)) ?? {};
  return { kind: 'deleted', pod: { ...last, metadata: { ...last.metadata, resourceVersion: String(number) } } };
}

type FoundPod = NonNullable<Awaited<ReturnType<typeof findPod>>>;

/** A Pod that is being deleted shows since when: now, if that has just begun. */
function inDeletion(pod: PodObject, graceSec: number, { clock }: Pick<ApiDeps, 'clock'>): PodObject {
  const deletion = { deletionTimestamp: asTime(clock.now()), deletionGracePeriodSeconds: graceSec };
  return { ...pod, metadata: { ...deletion, ...pod.metadata } };
}
