import type { JobUid } from '../domain/brand.ts';
import type { Place } from '../schema/list-place.ts';
import { type EventFilter, showsEvent } from './event-filter.ts';
import { podTurnover, statusNews } from './event-of-job.ts';
import { podNews, podSubject } from './event-of-pod.ts';
import { type EventObject, jobSubject, renderEvent } from './event-object.ts';
import { findPod, podOfJob } from './find-pod.ts';
import { type JobRef, type Page, type PageRequest, jobRefs } from './list-page.ts';
import type { PodFacts } from './pod-facts.ts';
import { type JobView, type Reads, readJob } from './read-job.ts';
import { podFactsOf } from './read-pods.ts';

/** The Events of one object, and where a list that is cut within them goes on. */
type Group = {
  readonly place: Omit<Place, 'version' | 'skip'>;
  readonly events: readonly EventObject[];
  /** Of which Job, in which version of STATUS; or of which Pod. */
  readonly about: { readonly uid: JobUid; readonly version: number } | { readonly uid: JobUid; readonly pod: PodFacts };
};

/**
 * One page of Events: Jobs by (namespace, name), each followed by its Pods by (index, attempt). Nothing is read that
 * comes after the page, and of a Job that the page begins within, nothing that comes before.
 */
export async function listEvents(
  filter: EventFilter,
  { limit, from }: PageRequest,
  reads: Reads,
): Promise<Page<EventObject>> {
  const version = from?.version ?? (await reads.feed.head());
  const items: EventObject[] = [];
  for await (const { place, events } of groups(filter, reads, from)) {
    const skip = from !== null && isPlace(place, from) ? (from.skip ?? 0) : 0;
    for (const [i, event] of events.entries()) {
      if (i < skip || !showsEvent(filter, event)) continue;
      if (items.length >= limit) return { version, items, next: { ...place, version, skip: i } };
      items.push(event);
    }
  }
  return { version, items, next: null };
}

const isPlace = ({ job, pod }: Group['place'], from: Place): boolean =>
  job.namespace === from.job.namespace &&
  job.name === from.job.name &&
  pod?.index === from.pod?.index &&
  pod?.attempt === from.pod?.attempt;

/** Every Event that the filter shows, object by object. */
export async function* presentEvents(
  filter: EventFilter,
  reads: Reads,
): AsyncGenerator<Pick<Group, 'events' | 'about'>> {
  for await (const { events, about } of groups(filter, reads, null))
    yield { events: events.filter((event) => showsEvent(filter, event)), about };
}

async function* groups(filter: EventFilter, reads: Reads, from: Place | null): AsyncGenerator<Group> {
  const { namespace, objectName, ofJobs, ofPods } = filter;
  if (objectName !== undefined && namespace !== null) {
    yield* ofOneName(filter, namespace, objectName, reads);
    return;
  }
  for await (const ref of jobRefs(reads.jobs, { namespace, name: undefined }, from)) {
    const start = from?.pod?.uid === ref.uid ? from.pod : null;
    if (ofJobs && start === null && (objectName ?? ref.name) === ref.name) yield* groupOfJob(ref, filter, reads);
    if (!ofPods) continue;
    for await (const pod of podsToTell(ref, objectName, start ?? { index: 0, attempt: 1 }, reads))
      yield groupOfPod(ref, pod);
  }
}

async function* podsToTell(
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
async function* ofOneName(filter: EventFilter, namespace: string, name: string, reads: Reads): AsyncGenerator<Group> {
  const uid = filter.ofJobs ? await reads.jobs.findJob(namespace, name) : null;
  if (uid !== null) yield* groupOfJob({ uid, namespace, name, after: null }, filter, reads);
  const found = filter.ofPods ? await findPod(namespace, name, reads) : null;
  if (found !== null) yield groupOfPod({ ...found.view.spec.identity, after: null }, found.facts);
}

async function* groupOfJob(
  { uid, namespace, name, after }: JobRef,
  filter: EventFilter,
  reads: Reads,
): AsyncGenerator<Group> {
  const view = await readJob(uid, reads, ({ chunks }) => (filter.turnover ? chunks.map((_, no) => no) : []));
  if (view === null) return;
  const about = { uid, version: view.status.version };
  const place = { after, job: { namespace, name }, pod: null };
  yield { place, about, events: await eventsOfJob(view, filter, reads) };
}

function groupOfPod({ uid, namespace, name, after }: JobRef, pod: PodFacts): Group {
  const { index, attempt } = pod;
  const place = { after, job: { namespace, name }, pod: { uid, index, attempt } };
  return { place, about: { uid, pod }, events: eventsOfPod(pod) };
}

/** The Events of a Job, oldest first. Its chunks must be at hand if the filter may show Pods created and deleted. */
export async function eventsOfJob(
  view: JobView,
  { turnover }: EventFilter,
  reads: Reads,
): Promise<readonly EventObject[]> {
  const subject = jobSubject(view.spec.identity, view.version);
  const news = [...statusNews(view.status), ...(turnover ? await podTurnover(view, reads) : [])];
  return news.toSorted((a, b) => a.firstAt - b.firstAt).map((each) => renderEvent(subject, each));
}

/** The Events of a Pod, oldest first. */
export function eventsOfPod(pod: PodFacts): readonly EventObject[] {
  const subject = podSubject(pod);
  return podNews(pod).map((news) => renderEvent(subject, news));
}
