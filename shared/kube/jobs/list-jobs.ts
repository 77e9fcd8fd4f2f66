import { type JobScope, type Page, type PageRequest, type JobRef, jobRefs, remainingFrom } from '../list/list-page.ts';
import { type PublishingReads, chunksForSummary, readShownJob } from './job-view.ts';
import { type JobObject, renderJob } from './render-job.ts';
import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '../selectors/label-selector.ts';
import { type Parsed, ok } from '../http/query.ts';

/** Which Jobs a list or a watch shows. */
export type JobFilter = {
  readonly scope: JobScope;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector<(typeof FIELDS)[number]>;
};

const FIELDS = ['metadata.name', 'metadata.namespace', 'status.successful'] as const;

export function parseJobFilter(
  namespace: string | null,
  query: { readonly labelSelector?: string; readonly fieldSelector?: string },
): Parsed<JobFilter> {
  const labels = parseLabelSelector(query.labelSelector);
  if (labels.kind === 'bad') return labels;
  const refusal = (field: string): string => `field label ${JSON.stringify(field)} not supported for batchv1.Job`;
  const fields = parseFieldSelector(query.fieldSelector, FIELDS, refusal);
  if (fields.kind === 'bad') return fields;
  const only = fields.value.exact('metadata.namespace');
  const scope = { namespace: namespace ?? only ?? null, name: fields.value.exact('metadata.name') };
  return ok({ scope, labels: labels.value, fields: fields.value });
}

/** A Job with this name may match. */
export const mayShowJob = ({ scope }: JobFilter, job: { readonly namespace: string; readonly name: string }): boolean =>
  (scope.namespace ?? job.namespace) === job.namespace && (scope.name ?? job.name) === job.name;

/** The filter matches this Job, or would with the given labels. */
export function showsJob(filter: JobFilter, { metadata, status }: JobObject, labels = metadata.labels ?? {}): boolean {
  const fields = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'status.successful': String(status.succeeded ?? 0),
  };
  return mayShowJob(filter, metadata) && filter.labels.matches(labels) && filter.fields.matches(fields);
}

/** Jobs are loaded in parallel, but not all at once. */
const LOADS_AT_ONCE = 10;

/** One page of Jobs. */
export async function listJobs(
  filter: JobFilter,
  { limit, from }: PageRequest,
  reads: PublishingReads,
): Promise<Page<JobObject>> {
  // The head first: a later change may already be in the list, but none is missed.
  const version = from?.version ?? (await reads.feed.head());
  const items: JobObject[] = [];
  let batch: JobRef[] = [];
  const load = async (): Promise<void> => {
    const loaded = await Promise.all(batch.map(async ({ uid }) => loadJob(uid, reads)));
    for (const job of loaded) if (job !== null && showsJob(filter, job)) items.push(job);
    batch = [];
  };
  for await (const ref of jobRefs(reads.jobs, filter.scope, from)) {
    if (items.length + batch.length >= limit) await load();
    if (items.length >= limit) {
      const { namespace, name, after } = ref;
      const next = { version, after, job: { namespace, name }, pod: null };
      return { version, items, next, ...remainingFrom(ref) };
    }
    batch.push(ref);
    if (batch.length >= LOADS_AT_ONCE) await load();
  }
  await load();
  return { version, items, next: null };
}

/** Every Job that matches the filter, one after the other. */
export async function* presentJobs(filter: JobFilter, reads: PublishingReads): AsyncGenerator<JobObject> {
  for await (const { uid } of jobRefs(reads.jobs, filter.scope, null)) {
    const job = await loadJob(uid, reads);
    if (job !== null && showsJob(filter, job)) yield job;
  }
}

/** A Job as users see it; null: it does not exist. */
export async function findJob(namespace: string, name: string, reads: PublishingReads): Promise<JobObject | null> {
  const uid = await reads.jobs.findJob(namespace, name);
  return uid === null ? null : loadJob(uid, reads);
}

async function loadJob(uid: JobRef['uid'], reads: PublishingReads): Promise<JobObject | null> {
  const view = await readShownJob(uid, reads, chunksForSummary);
  return view === null ? null : renderJob(view);
}
