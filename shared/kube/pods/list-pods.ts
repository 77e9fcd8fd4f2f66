import { chunkOf } from '../../domain/scoreboard/board.ts';
import { type JobUid, asJobUid } from '../../domain/base/ids.ts';
import type { JobPart } from '../../domain/manifests/job-parts.ts';
import { JOB_PARTS } from '../../capabilities/lists/parts.ts';
import { findPod } from './find-pod.ts';
import { LeftOut } from '../list/left-out.ts';
import { type JobRef, type JobScope, type Page, type PageRequest, jobRefs } from '../list/list-page.ts';
import { type Parsed, ok } from '../http/query.ts';
import type { Reads } from '../jobs/job-view.ts';
import { type FoundPod, podsOf } from './read-pods.ts';
import type { PodObject } from './render-pod.ts';
import {
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
} from '../selectors/label-selector.ts';
import { at, words } from '../list/stored-field.ts';

/** The fields that Kubernetes allows in a field selector for Pods. */
const FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
] as const;

/** Which Pods a list or a watch shows. */
export type PodFilter = {
  readonly scope: JobScope;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector<(typeof FIELDS)[number]>;
  /** The Job's uid, or the index, if a selector names it: the rest then does not have to be read. */
  readonly uid: string | undefined;
  readonly index: number | undefined;
};

const JOB_NAME = 'job-name';
const CONTROLLER_UID = 'controller-uid';
const PREFIX = 'batch.kubernetes.io/';

export function parsePodFilter(
  namespace: string | null,
  query: { readonly labelSelector?: string; readonly fieldSelector?: string },
): Parsed<PodFilter> {
  const labels = parseLabelSelector(query.labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(query.fieldSelector, FIELDS);
  if (fields.kind === 'bad') return fields;
  const either = (key: string): string | undefined => labels.value.exact(PREFIX + key) ?? labels.value.exact(key);
  const index = labels.value.exact(`${PREFIX}job-completion-index`);
  return ok({
    scope: { namespace: namespace ?? fields.value.exact('metadata.namespace') ?? null, name: either(JOB_NAME) },
    labels: labels.value,
    fields: fields.value,
    uid: either(CONTROLLER_UID) ?? uidIn(labels.value),
    index: index !== undefined && /^\d{1,7}$/.test(index) ? Number(index) : undefined,
  });
}

/** What a label names that only Pods of Jobs with a part have. */
const uidIn = (labels: LabelSelector): string | undefined =>
  Object.values<JobPart<never>>(JOB_PARTS)
    .map(({ jobUidLabel }) => labels.exact(jobUidLabel))
    .find((uid) => uid !== undefined);

/** The filter matches this Pod. */
export const showsPod = ({ labels, fields }: PodFilter, pod: PodObject): boolean =>
  labels.matches(pod.metadata.labels) && fields.matches(fieldsOf(pod));

/** A field that a Pod does not have is the empty text. */
function fieldsOf(pod: PodObject): Record<(typeof FIELDS)[number], string> {
  const { metadata, status } = pod;
  const podIP = words(at(status, 'podIP'));
  const ofSpec = (name: string): string => words(at(pod.spec, name));
  return {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'spec.nodeName': ofSpec('nodeName'),
    'spec.restartPolicy': ofSpec('restartPolicy'),
    'spec.schedulerName': ofSpec('schedulerName'),
    'spec.serviceAccountName': ofSpec('serviceAccountName'),
    'spec.hostNetwork': String(at(pod.spec, 'hostNetwork') === true),
    'status.phase': status.phase,
    'status.podIP': podIP,
    'status.podIPs': podIP,
    'status.nominatedNodeName': words(at(status, 'nominatedNodeName')),
  };
}

/** The Job may have Pods that match the filter. */
export const mayShowPodsOf = (
  { scope, uid }: PodFilter,
  job: { readonly uid: string; readonly namespace: string; readonly name: string },
): boolean =>
  (scope.namespace ?? job.namespace) === job.namespace &&
  (scope.name ?? job.name) === job.name &&
  (uid ?? job.uid) === job.uid;

/** One page of Pods: Jobs by (namespace, name), in each the attempts by (index, attempt). */
export async function listPods(
  filter: PodFilter,
  { limit, from }: PageRequest,
  reads: Reads,
): Promise<Page<PodObject>> {
  const version = from?.version ?? (await reads.feed.head());
  const only = await onlyPod(filter, reads);
  if (only !== undefined) return { version, items: only, next: null };
  const items: PodObject[] = [];
  const leftOut = new LeftOut(OF_JOB);
  for await (const ref of podJobs(filter, reads, from)) {
    const start = from?.pod?.uid === ref.uid ? from.pod : { index: filter.index ?? 0, attempt: 1 };
    for await (const found of listedPods(filter, ref, () => podsOf(ref.uid, start, reads), leftOut)) {
      if (filter.index !== undefined && found.index > filter.index) break;
      if (!showsPod(filter, found.pod)) continue;
      if (items.length >= limit) {
        const { namespace, name, uid, after } = ref;
        const pod = { uid, index: found.index, attempt: found.attempt };
        return { version, items, next: { version, after, job: { namespace, name }, pod }, ...leftOut.page() };
      }
      items.push(found.pod);
    }
  }
  return { version, items, next: null, ...leftOut.page() };
}

const OF_JOB = 'the Pods of Job';

/** A client that asks for one Job's Pods gets an error in place of nothing. */
const listedPods = (
  filter: PodFilter,
  job: JobRef,
  read: () => AsyncIterable<FoundPod>,
  leftOut: LeftOut,
): AsyncIterable<FoundPod> => (namesOneJob(filter) ? read() : leftOut.untilNewer(job, read));

/** A selector names a single Job. */
export const namesOneJob = ({ scope, uid }: PodFilter): boolean => uid !== undefined || scope.name !== undefined;

/** A selector names a single Pod. */
export const namesOnePod = ({ fields, scope }: PodFilter): boolean =>
  fields.exact('metadata.name') !== undefined && scope.namespace !== null;

/**
 * Every Pod that matches the filter, one after the other; `seen` is called with each chunk of a Job that was read, and its
 * version.
 */
export async function* presentPods(
  filter: PodFilter,
  reads: Reads,
  seen: (uid: JobUid, no: number, version: number) => void = () => undefined,
): AsyncGenerator<PodObject> {
  const only = await onlyPod(filter, reads, seen);
  if (only !== undefined) {
    yield* only;
    return;
  }
  const leftOut = new LeftOut(OF_JOB);
  for await (const ref of podJobs(filter, reads, null)) {
    const { uid } = ref;
    const read = () => podsOf(uid, start(filter), reads, 'live', (no, version) => seen(uid, no, version));
    for await (const found of listedPods(filter, ref, read, leftOut)) {
      if (filter.index !== undefined && found.index > filter.index) break;
      if (showsPod(filter, found.pod)) yield found.pod;
    }
  }
}

/** If a selector names a single Pod, that Pod (or none); undefined: it does not. */
async function onlyPod(
  filter: PodFilter,
  reads: Reads,
  seen: (uid: JobUid, no: number, version: number) => void = () => undefined,
): Promise<readonly PodObject[] | undefined> {
  const name = filter.fields.exact('metadata.name');
  const { namespace } = filter.scope;
  if (name === undefined || namespace === null) return undefined;
  const found = await findPod(namespace, name, reads);
  if (found !== null) seen(found.view.spec.identity.uid, chunkOf(found.index), found.view.version);
  return found !== null && showsPod(filter, found.pod) ? [found.pod] : [];
}

const start = ({ index = 0 }: PodFilter) => ({ index, attempt: 1 });

async function* podJobs(filter: PodFilter, reads: Reads, from: PageRequest['from']): AsyncGenerator<JobRef> {
  if (filter.uid !== undefined) {
    const spec = await reads.jobs.readSpec(asJobUid(filter.uid));
    if (spec !== null && mayShowPodsOf(filter, spec.identity)) yield { ...spec.identity, after: null };
    return;
  }
  yield* jobRefs(reads.jobs, filter.scope, from);
}
