import { LeftOut } from '../list/left-out.ts';
import { chunkOf } from '../../domain/scoreboard/board.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../domain/base/time.ts';
import { barePodOf, isBarePod } from '../../domain/manifests/bare-pod.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { FeedEntry, FeedRow, PodChange } from '../../ports/feed.ts';
import { type EventFilter, showsEvent } from './event-filter.ts';
import { type EventReads, eventsOfJob, eventsOfPod, presentEvents } from './event-list.ts';
import {
  POD_FAILED,
  createdOccurrence,
  failedPods,
  hasFailureEvent,
  hasEventOfItsOwn,
  podTurnover,
  statusOccurrences,
} from './event-of-job.ts';
import { attemptOfPlace, firstPlaceOf, podOccurrences, podSubject } from './event-of-pod.ts';
import { type EventObject, jobSubject, renderEvent } from './event-object.ts';
import type { PodFacts, PodPick } from '../pods/pod-facts.ts';
import { type JobView, type Reads, readJobView } from '../jobs/job-view.ts';
import { isGone, pickOf, podFactsOf, readFacts } from '../pods/read-pods.ts';
import { podCreatedAt } from '../pods/render-pod.ts';
import type { WatchedChange, WatchSource } from '../list/watch.ts';

/** In a watch, the Pods of larger Jobs are no longer counted: their whole board would be read for each row. */
const COUNTED_CHUNKS_MAX = 16;

/**
 * Events as the feed reports their objects: what a Job's commits have made known, and what has happened to the Pods in a row
 * since they were last published. Each is sent once; for counted Events, each new count. Of objects that make Jobs only those that exist when
 * the watch begins: `withCronEvents` adds the others. Of namespaces only those, too.
 */
export function watchedEvents(filter: EventFilter, reads: EventReads): WatchSource<EventObject> {
  const memory = new Map<JobUid, SentOfJob>();
  const sentOf = (uid: JobUid, begin: EpochMs): SentOfJob => {
    const sent = memory.get(uid) ?? { pods: new Map(), failed: new Map(), version: 0, isCombined: false, begin };
    memory.set(uid, sent);
    return sent;
  };
  const leftOut = new LeftOut('Events of');
  let begin: EpochMs | null = null;
  return {
    kind: 'Event',
    apiVersion: 'v1',
    async *present() {
      for await (const { events, about } of presentEvents(filter, reads)) {
        if ('cron' in about || 'namespace' in about) {
          yield* events;
          continue;
        }
        const sent = sentOf(about.uid, asEpochMs(0));
        if ('pod' in about) sent.pods.set(about.pod.index, lastPlaceOf(about.pod));
        else sent.version = about.version;
        for (const { metadata, reason, count } of events)
          if (reason === POD_FAILED) sent.failed.set(metadata.name, count);
        yield* events;
      }
    },
    concerns: ({ entries }) => entries.some((entry) => mayShowEventsOf(filter, entry)),
    async *changes(row: FeedRow): AsyncGenerator<WatchedChange<EventObject>> {
      begin ??= plusMs(row.at, -LATE_MS);
      for (const entry of row.entries) {
        if (!mayShowEventsOf(filter, entry)) continue;
        const sent = sentOf(entry.uid, begin);
        const read = () => entryChanges(entry, row.number, sent, filter, reads);
        const readable = filter.objectName === undefined ? leftOut.untilNewer(entry, read) : read();
        for await (const change of readable) if (showsEvent(filter, change.object)) yield change;
        if (entry.type === 'DELETED') memory.delete(entry.uid);
      }
    },
  };
}

/** What a watch has sent about a Job. */
type SentOfJob = {
  /** By index, the position of its newest Pod's news. */
  readonly pods: Map<number, number>;
  /** By Event, the number of Pods with the same failure that it reported. */
  readonly failed: Map<string, number>;
  /** STATUS's version up to which the Job's own events were shown before the first row. */
  version: number;
  /** That further Pods were created. */
  isCombined: boolean;
  /** What happened before that was sent for rows before the watch. */
  readonly begin: EpochMs;
};

/** The time from an event until a row reports it. */
const LATE_MS = 5000;

/** The filter may ask for the Job, or for one of its Pods. */
function mayShowEventsOf({ namespace, objectName }: EventFilter, job: Pick<FeedEntry, 'namespace' | 'name'>): boolean {
  const isNamed = objectName === undefined || objectName.startsWith((barePodOf(job.name) ?? job.name).slice(0, 40));
  return (namespace ?? job.namespace) === job.namespace && isNamed;
}

async function* entryChanges(
  entry: FeedEntry,
  number: number,
  sent: SentOfJob,
  asked: EventFilter,
  reads: Reads,
): AsyncGenerator<WatchedChange<EventObject>> {
  const filter = isBarePod(entry) ? { ...asked, ofJobs: false } : asked;
  if (entry.type === 'DELETED') {
    yield* deletions(entry, number, filter, reads);
    return;
  }
  const found = await readJobView(entry.uid, reads, ({ chunks }) => {
    if (entry.pods.length === 0) return [];
    if (filter.ofJobs && chunks.length <= COUNTED_CHUNKS_MAX) return chunks.map((_, no) => no);
    return [...new Set([0, ...entry.pods.map(({ index }) => chunkOf(index))])];
  });
  if (found === null) return;
  const view = { ...found, version: number };
  const listed = new Map(newestOf(entry).map((change) => [change.index, change]));
  // That somebody removes a Pod which has ended is no Event.
  const isRemoved = (pod: PodFacts): boolean => {
    const change = listed.get(pod.index);
    return change?.attempt === pod.attempt && change.state === 'gone' && !isGone(pod);
  };
  const read = await readFacts(view, newPicks(view, entry, sent), reads);
  const facts = read.filter((pod) => !isRemoved(pod));
  const created = facts.filter((pod) => isNewlyMade(pod, sent));
  if (filter.ofJobs) {
    yield* statusChanges(view, entry, sent);
    if (filter.turnover) yield* creations(view, created, sent, reads);
    if (filter.turnover && facts.some(hasFailureEvent)) yield* failures(view, sent, reads);
  }
  for (const pod of facts) {
    const changes = podChanges(pod, sent, listed.get(pod.index)?.attempt === pod.attempt);
    if (filter.ofPods) yield* changes;
    sent.pods.set(pod.index, Math.max(sent.pods.get(pod.index) ?? 0, lastPlaceOf(pod)));
  }
}

async function* deletions({ uid }: FeedEntry, number: number, filter: EventFilter, reads: Reads) {
  const view = await readJobView(uid, reads, ({ chunks }) => chunks.map((_, no) => no), 'evenDeleted');
  if (view === null) return;
  const objects = filter.ofJobs ? await eventsOfJob({ ...view, version: number }, filter, reads) : [];
  for (const object of objects) yield { type: 'DELETED', object } as const;
  if (!filter.ofPods) return;
  for await (const pod of podFactsOf(uid, { index: 0, attempt: 1 }, reads, 'evenDeleted'))
    for (const object of eventsOfPod({ ...pod, version: number })) yield { type: 'DELETED', object } as const;
}

/** What the commits between two rows have made known about the Job itself. */
function* statusChanges(
  view: JobView,
  { after, version }: FeedEntry,
  sent: SentOfJob,
): Generator<WatchedChange<EventObject>> {
  const subject = jobSubject(view.spec.identity, view.version);
  for (const occurrences of statusOccurrences(view.status))
    if (Math.max(after, sent.version) < occurrences.version && occurrences.version <= version)
      yield { type: occurrences.count === 1 ? 'ADDED' : 'MODIFIED', object: renderEvent(subject, occurrences) };
}

/** The Pods of a row, each with earlier ones whose end is not sent yet. */
function newPicks(view: JobView, entry: FeedEntry, sent: SentOfJob): readonly PodPick[] {
  return newestOf(entry).flatMap((change) => {
    const { index, attempt } = change;
    const last = sent.pods.get(index);
    const first = last === undefined ? Math.max(attempt - 1, 1) : Math.min(attemptOfPlace(last), attempt);
    const before = Array.from(
      { length: attempt - first },
      (_, i): PodPick => ({ index, attempt: first + i, state: 'ended' }),
    );
    return index < view.board.size ? [...before, pickOf(view, change)] : [];
  });
}

/** For each index, the newest Pod in a row; they come in order. */
const newestOf = ({ pods }: FeedEntry): readonly PodChange[] => [
  ...new Map(pods.map((change) => [change.index, change])).values(),
];

function isNewlyMade(pod: PodFacts, { pods, begin }: SentOfJob): boolean {
  const last = pods.get(pod.index);
  if (last !== undefined) return last < firstPlaceOf(pod.attempt);
  return pod.state === 'claimed' || podCreatedAt(pod) >= begin;
}

async function* creations(
  view: JobView,
  created: readonly PodFacts[],
  sent: SentOfJob,
  reads: Reads,
): AsyncGenerator<WatchedChange<EventObject>> {
  const subject = jobSubject(view.spec.identity, view.version);
  const [singly, others] = [
    created.filter((pod) => hasEventOfItsOwn(view, pod)),
    created.filter((pod) => !hasEventOfItsOwn(view, pod)),
  ];
  for (const pod of singly) yield { type: 'ADDED', object: renderEvent(subject, createdOccurrence(pod)) };
  const isCounted = view.status.chunks.length <= COUNTED_CHUNKS_MAX;
  if (others.length === 0 || (sent.isCombined && !isCounted)) return;
  const { uid } = view.spec.identity;
  const whole = isCounted ? view : await readJobView(uid, reads, ({ chunks }) => chunks.map((_, no) => no));
  const all = whole === null ? [] : await podTurnover(whole, reads);
  const rest = all.find(({ reason, key }) => reason === 'SuccessfulCreate' && key === 'combined');
  if (rest !== undefined) yield { type: sent.isCombined ? 'MODIFIED' : 'ADDED', object: renderEvent(subject, rest) };
  sent.isCombined = true;
}

/** Causes of failures that are new, or that have more Pods than was reported. */
async function* failures(
  view: JobView,
  { failed }: SentOfJob,
  reads: Reads,
): AsyncGenerator<WatchedChange<EventObject>> {
  const subject = jobSubject(view.spec.identity, view.version);
  for (const occurrences of await failedPods(view, reads)) {
    const object = renderEvent(subject, occurrences);
    const known = failed.get(object.metadata.name);
    failed.set(object.metadata.name, occurrences.count);
    if (known !== occurrences.count) yield { type: known === undefined ? 'ADDED' : 'MODIFIED', object };
  }
}

/**
 * What has happened to a Pod since it was last published. If the watch sees it for the first time, earlier rows have reported
 * everything older than the step for which this row lists it.
 */
function podChanges(
  pod: PodFacts,
  { pods, begin }: SentOfJob,
  isListed: boolean,
): readonly WatchedChange<EventObject>[] {
  if (isGone(pod)) return [];
  const last = pods.get(pod.index);
  const newest = lastPlaceOf(pod);
  return podOccurrences(pod)
    .filter(({ place, at }) => (last === undefined ? at >= begin || (isListed && place === newest) : place > last))
    .map((occurrences) => ({ type: 'ADDED', object: renderEvent(podSubject(pod), occurrences) }));
}

/** The position of the newest thing to report about a Pod. */
const lastPlaceOf = (pod: PodFacts): number =>
  Math.max(firstPlaceOf(pod.attempt), ...podOccurrences(pod).map(({ place }) => place));
