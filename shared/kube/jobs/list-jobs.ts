import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import { type JobScope, type Page, type PageRequest, type JobRef, jobRefs, remainingFrom } from '../list/list-page.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { JobFace } from './job-face.ts';
import { type PublishingReads, readShownJob } from './job-view.ts';
import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '../selectors/label-selector.ts';
import { type Parsed, ok } from '../http/query.ts';
import { LeftOut } from '../list/left-out.ts';
import { type UnreadableRow, readable, throwUnreadable } from '../../domain/base/unreadable-row.ts';

/** Which Jobs a list or a watch shows, and as what. */
export type JobFilter<T extends KubeObject> = {
  readonly face: JobFace<T>;
  readonly scope: JobScope;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector<string>;
};

const [NAME, NAMESPACE] = ['metadata.name', 'metadata.namespace'] as const;

/** The Jobs of a namespace (null: of all) that match a request's selectors. `bad`: a selector cannot be read. */
export function parseJobFilter<T extends KubeObject>(
  face: JobFace<T>,
  namespace: string | null,
  query: { readonly labelSelector?: string; readonly fieldSelector?: string },
): Parsed<JobFilter<T>> {
  const labels = parseLabelSelector(query.labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector<string>(query.fieldSelector, [NAME, NAMESPACE, ...face.fields], face.refusal);
  if (fields.kind === 'bad') return fields;
  const scope = { namespace: namespace ?? fields.value.exact(NAMESPACE) ?? null, name: fields.value.exact(NAME) };
  return ok({ face, scope, labels: labels.value, fields: fields.value });
}

/** A Job with this name may match. */
export const mayShowJob = (
  { scope }: { readonly scope: JobScope },
  job: { readonly namespace: string; readonly name: string },
): boolean =>
  (scope.namespace ?? job.namespace) === job.namespace && (scope.name ?? job.name) === job.name && !isBarePod(job);

/** The filter matches this Job, or would with the given labels. */
export function showsJob<T extends KubeObject>(
  filter: JobFilter<T>,
  job: T,
  labels = job.metadata.labels ?? {},
): boolean {
  const { name, namespace = '' } = job.metadata;
  const fields = { [NAME]: name, [NAMESPACE]: namespace, ...filter.face.fieldsOf(job) };
  return mayShowJob(filter, { name, namespace }) && filter.labels.matches(labels) && filter.fields.matches(fields);
}

/** Jobs are loaded in parallel, but not all at once. */
const LOADS_AT_ONCE = 10;

/** One page of Jobs. */
export async function listJobs<T extends KubeObject>(
  filter: JobFilter<T>,
  { limit, from }: PageRequest,
  reads: PublishingReads,
): Promise<Page<T>> {
  // The head first: a later change may already be in the list, but none is missed.
  const version = from?.version ?? (await reads.feed.head());
  const items: T[] = [];
  let batch: JobRef[] = [];
  const unreadable: UnreadableRow[] = [];
  const leftOut = leftOutOf(filter);
  const load = async (): Promise<void> => {
    const loaded = await Promise.allSettled(batch.map(async (ref) => listedJob(filter, ref, reads, leftOut)));
    for (const job of readable(loaded, unreadable)) if (job !== null && showsJob(filter, job)) items.push(job);
    batch = [];
  };
  for await (const ref of jobRefs(reads.jobs, filter.scope, from, 'jobs')) {
    if (items.length + batch.length >= limit) await load();
    if (items.length >= limit) {
      throwUnreadable(unreadable);
      const { namespace, name, after } = ref;
      const next = { version, after, job: { namespace, name }, pod: null };
      return { version, items, next, ...leftOut.page(), ...(filter.face.showsAll ? remainingFrom(ref) : {}) };
    }
    batch.push(ref);
    if (batch.length >= LOADS_AT_ONCE) await load();
  }
  await load();
  throwUnreadable(unreadable);
  return { version, items, next: null, ...leftOut.page() };
}

const leftOutOf = <T extends KubeObject>({ face }: JobFilter<T>): LeftOut => new LeftOut(face.resource.kind);

/** null: there is none of this kind, or it is left out. A client that asks for one name gets an error in place of nothing. */
async function listedJob<T extends KubeObject>(
  filter: JobFilter<T>,
  ref: JobRef,
  reads: PublishingReads,
  leftOut: LeftOut,
): Promise<T | null> {
  const read = async (): Promise<T | null> => loadJob(filter.face, ref.uid, reads);
  return filter.scope.name === undefined ? leftOut.unlessNewer(ref, read) : read();
}

/** Every Job that matches the filter, one after the other. */
export async function* presentJobs<T extends KubeObject>(
  filter: JobFilter<T>,
  reads: PublishingReads,
): AsyncGenerator<T> {
  const leftOut = leftOutOf(filter);
  for await (const ref of jobRefs(reads.jobs, filter.scope, null, 'jobs')) {
    const job = await listedJob(filter, ref, reads, leftOut);
    if (job !== null && showsJob(filter, job)) yield job;
  }
}

/** A Job as users see it; null: there is none of this kind. */
export async function findJob<T extends KubeObject>(
  face: JobFace<T>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  reads: PublishingReads,
): Promise<T | null> {
  const uid = await reads.jobs.findJob(namespace, name);
  return uid === null ? null : loadJob(face, uid, reads);
}

async function loadJob<T extends KubeObject>(
  face: JobFace<T>,
  uid: JobRef['uid'],
  reads: PublishingReads,
): Promise<T | null> {
  const view = await readShownJob(uid, reads, face.chunks);
  return view === null ? null : face.render(view, reads);
}
