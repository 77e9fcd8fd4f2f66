import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { ListPlace } from '../../schema/object/list-place.ts';
import { EVENTFUL, type EventfulKind } from '../../domain/kinds/api-kinds.ts';
import { type EventFilter, showsEvent } from './event-filter.ts';
import { type CronReads, cronRefs, eventsOfCron } from './event-of-cron.ts';
import { type NamespaceReads, newsOfNamespaces } from './event-of-namespace.ts';
import { podTurnover, statusOccurrences } from './event-of-job.ts';
import { podOccurrences, podSubject } from './event-of-pod.ts';
import { type EventObject, jobSubject, renderEvent } from './event-object.ts';
import { findPod, podOfJob } from '../pods/find-pod.ts';
import { LeftOut } from '../list/left-out.ts';
import { type JobRef, type Page, type PageRequest, jobRefs } from '../list/list-page.ts';
import type { PodFacts } from '../pods/pod-facts.ts';
import { type JobView, type Reads, readJobView } from '../jobs/job-view.ts';
import { readAhead } from '../list/read-ahead.ts';
import { podFactsOf } from '../pods/read-pods.ts';

/** The Events of one object, and where a list that is cut within them continues. */
type Group = {
  readonly place: Omit<ListPlace, 'version' | 'skip'>;
  readonly events: readonly EventObject[];
  readonly about: EventsAbout;
};

/** The Job and its version of STATUS, the Pod, the object that makes Jobs, or the namespace. */
type EventsAbout =
  | { readonly uid: JobUid; readonly version: number }
  | { readonly uid: JobUid; readonly pod: PodFacts }
  | { readonly cron: string }
  | { readonly namespace: string };

/** What Events are derived from. */
export type EventReads = Reads & CronReads & NamespaceReads;

/**
 * One page of Events: namespaces, then objects that make Jobs by kind and (namespace, name), then Jobs in the same order, each Job
 * followed by its Pods by (index, attempt).
 * Nothing after the page is read, and within the Job that the page begins in, nothing before it.
 */
export async function listEvents(
  filter: EventFilter,
  { limit, from }: PageRequest,
  reads: EventReads,
): Promise<Page<EventObject>> {
  const version = from?.version ?? (await reads.feed.head());
  const items: EventObject[] = [];
  const leftOut = new LeftOut('Events of');
  for await (const { place, events } of groups(filter, reads, from, { version, wanted: limit, leftOut })) {
    const skip = from !== null && isPlace(place, from) ? (from.skip ?? 0) : 0;
    for (const [i, event] of events.entries()) {
      if (i < skip || !showsEvent(filter, event)) continue;
      if (items.length >= limit) return { version, items, next: { ...place, version, skip: i }, ...leftOut.page() };
      items.push(event);
    }
  }
  return { version, items, next: null, ...leftOut.page() };
}

const isPlace = ({ of, job, pod }: Group['place'], from: ListPlace): boolean =>
  of === from.of &&
  job.namespace === from.job.namespace &&
  job.name === from.job.name &&
  pod?.index === from.pod?.index &&
  pod?.attempt === from.pod?.attempt;

/** Every Event that the filter shows, object by object. */
export async function* presentEvents(
  filter: EventFilter,
  reads: EventReads,
): AsyncGenerator<Pick<Group, 'events' | 'about'>> {
  const version = await reads.feed.head();
  const leftOut = new LeftOut('Events of');
  for await (const { events, about } of groups(filter, reads, null, { version, wanted: JOBS_AHEAD, leftOut }))
    yield { events: events.filter((event) => showsEvent(filter, event)), about };
}

/** Jobs, or objects that make Jobs, that are read in parallel: each takes requests to the store, one after the other. */
const JOBS_AHEAD = 8;

type Asked = {
  /** The number of the list. */
  readonly version: number;
  /** The most Events: no more objects than this are read ahead. */
  readonly wanted: number;
  readonly leftOut: LeftOut;
};

/** What `of` of a place says, in the order of a list; null: Jobs. */
const KINDS_LISTED = ['Namespace', ...EVENTFUL.map(({ name }) => name), null] as const;

async function* groups(
  filter: EventFilter,
  reads: EventReads,
  from: ListPlace | null,
  asked: Asked,
): AsyncGenerator<Group> {
  const width = Math.min(JOBS_AHEAD, Math.max(asked.wanted, 1));
  const begun = from === null ? -1 : KINDS_LISTED.indexOf(from.of ?? null);
  /** Where the list goes on in objects of a kind: null: at the first of them; undefined: it has passed them. */
  const placeIn = (kind: (typeof KINDS_LISTED)[number]): ListPlace | null | undefined => {
    const nth = KINDS_LISTED.indexOf(kind);
    return nth < begun ? undefined : nth === begun ? from : null;
  };
  const atNamespaces = placeIn('Namespace');
  if (filter.ofNamespaces && atNamespaces !== undefined) yield* namespaceGroups(filter, reads, atNamespaces, asked);
  for (const kind of filter.ofStored) {
    const atCrons = placeIn(kind);
    if (atCrons !== undefined) yield* cronGroups(kind, filter, reads, atCrons, { ...asked, wanted: width });
  }
  if (filter.ofJobs || filter.ofPods)
    yield* jobGroups(filter, reads, placeIn(null) ?? null, { ...asked, wanted: width });
}

async function* namespaceGroups(
  filter: EventFilter,
  reads: EventReads,
  from: ListPlace | null,
  { version }: Asked,
): AsyncGenerator<Group> {
  for (const { name, events } of await newsOfNamespaces(filter, version, reads)) {
    if (from !== null && name < from.job.name) continue;
    const place = { of: 'Namespace' as const, after: null, job: { namespace: '', name }, pod: null };
    yield { place, about: { namespace: name }, events };
  }
}

async function* cronGroups(
  kind: EventfulKind,
  filter: EventFilter,
  reads: EventReads,
  from: ListPlace | null,
  { version, wanted, leftOut }: Asked,
): AsyncGenerator<Group> {
  yield* readAhead(cronRefs(kind, filter, from, reads, leftOut), wanted, async ({ stored, after }): Promise<Group> => {
    const place = { of: kind, after, job: stored.key, pod: null };
    const about = { cron: stored.document.metadata.uid };
    return { place, about, events: await eventsOfCron(kind, stored, version, reads) };
  });
}

async function* jobGroups(
  filter: EventFilter,
  reads: EventReads,
  from: ListPlace | null,
  { wanted: width, leftOut }: Asked,
): AsyncGenerator<Group> {
  const { namespace, objectName } = filter;
  if (objectName !== undefined && namespace !== null) {
    yield* ofOneName(filter, namespace, objectName, reads, from);
    return;
  }
  const refs = jobRefs(reads.jobs, { namespace, name: undefined }, from);
  const begin = async (each: JobRef) => leftOut.unlessNewer(each, async () => beginJob(each, filter, reads, from));
  for await (const begun of readAhead(refs, width, begin)) {
    if (begun === null) continue;
    const { ref, job, first, pods } = begun;
    if (job !== null) yield job.group;
    if (first?.done === false) yield groupOfPod(ref, first.value);
    if (pods !== null) for await (const pod of leftOut.untilNewer(ref, () => pods)) yield groupOfPod(ref, pod);
  }
}

/** A Job's own Events and those of its first Pod; the others are read when their turn comes. */
async function beginJob(ref: JobRef, filter: EventFilter, reads: Reads, from: ListPlace | null) {
  const { objectName, ofJobs, ofPods } = filter;
  const start = from?.pod?.uid === ref.uid ? from.pod : null;
  // A bare Pod is stored as a Job, of which users see nothing.
  const isAsked = ofJobs && !isBarePod(ref) && start === null && (objectName ?? ref.name) === ref.name;
  const job = isAsked ? await groupOfJob(ref, filter, reads) : null;
  const mayHavePods = ofPods && (!isAsked || job?.hasBegun === true);
  const pods = mayHavePods ? podsToShow(ref, objectName, start ?? { index: 0, attempt: 1 }, reads) : null;
  return { ref, job, first: (await pods?.next()) ?? null, pods };
}

async function* podsToShow(
  ref: JobRef,
  name: string | undefined,
  start: { readonly index: number; readonly attempt: number },
  reads: Reads,
): AsyncGenerator<PodFacts> {
  if (name === undefined) yield* podFactsOf(ref.uid, start, reads);
  const only = name === undefined ? null : await podOfJob(ref, name, reads);
  if (only !== null) yield only.facts;
}

/** A Job and a Pod may have the same name. */
async function* ofOneName(
  filter: EventFilter,
  namespace: string,
  name: string,
  reads: Reads,
  from: ListPlace | null,
): AsyncGenerator<Group> {
  const isOfPod = from !== null && from.pod !== null;
  const uid = filter.ofJobs && !isOfPod ? await reads.jobs.findJob(namespace, name) : null;
  const job = uid === null ? null : await groupOfJob({ uid, namespace, name, after: null }, filter, reads);
  if (job !== null) yield job.group;
  const found = filter.ofPods ? await findPod(namespace, name, reads) : null;
  if (found !== null) yield groupOfPod({ ...found.view.spec.identity, after: null }, found.facts);
}

/** null: the Job does not exist (any more). `hasBegun`: it may have Pods. */
async function groupOfJob(
  { uid, namespace, name, after }: JobRef,
  filter: EventFilter,
  reads: Reads,
): Promise<{ readonly group: Group; readonly hasBegun: boolean } | null> {
  const view = await readJobView(uid, reads, ({ chunks }) => (filter.turnover ? chunks.map((_, no) => no) : []));
  if (view === null) return null;
  const about = { uid, version: view.status.version };
  const place = { after, job: { namespace, name }, pod: null };
  const group = { place, about, events: await eventsOfJob(view, filter, reads) };
  return { group, hasBegun: view.status.journal.nextSeq > 0 };
}

function groupOfPod({ uid, namespace, name, after }: JobRef, pod: PodFacts): Group {
  const { index, attempt } = pod;
  const place = { after, job: { namespace, name }, pod: { uid, index, attempt } };
  return { place, about: { uid, pod }, events: eventsOfPod(pod) };
}

/** The Events of a Job, oldest first. Its chunks must be loaded if the filter may show Pods created and deleted. */
export async function eventsOfJob(
  view: JobView,
  { turnover }: EventFilter,
  reads: Reads,
): Promise<readonly EventObject[]> {
  const subject = jobSubject(view.spec.identity, view.version);
  const occurrences = [...statusOccurrences(view.status), ...(turnover ? await podTurnover(view, reads) : [])];
  return occurrences.toSorted((a, b) => a.firstAt - b.firstAt).map((each) => renderEvent(subject, each));
}

/** The Events of a Pod, oldest first. */
export function eventsOfPod(pod: PodFacts): readonly EventObject[] {
  const subject = podSubject(pod);
  return podOccurrences(pod).map((occurrences) => renderEvent(subject, occurrences));
}
