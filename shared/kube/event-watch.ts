import { chunkOf } from '../domain/board.ts';
import { type EpochMs, type JobUid, asEpochMs, plusMs } from '../domain/brand.ts';
import type { FeedEntry, FeedRow, PodChange } from '../ports/feed.ts';
import { type EventFilter, showsEvent } from './event-filter.ts';
import { eventsOfJob, eventsOfPod, presentEvents } from './event-list.ts';
import {
  POD_FAILED,
  createdNews,
  failedPods,
  isToldFailed,
  isToldSingly,
  podTurnover,
  statusNews,
} from './event-of-job.ts';
import { attemptOfPlace, firstPlaceOf, podNews, podSubject } from './event-of-pod.ts';
import { type EventObject, jobSubject, renderEvent } from './event-object.ts';
import type { PodFacts, PodPick } from './pod-facts.ts';
import { type JobView, type Reads, readJob } from './read-job.ts';
import { isGone, pickOf, podFactsOf, readFacts } from './read-pods.ts';
import { podCreatedAt } from './render-pod.ts';
import type { Change, WatchSource } from './watch.ts';

/** In a watch, the Pods of larger Jobs are counted no more than once: their whole board would be read for each row. */
const COUNTED_CHUNKS_MAX = 16;

/**
 * Events as the feed tells of their objects: what a Job's commits have made known, and what the Pods that a row lists
 * have come to since they were told of last. Each is told once; of what is counted, each new count.
 */
export function watchedEvents(filter: EventFilter, reads: Reads): WatchSource<EventObject> {
  const memory = new Map<JobUid, JobTold>();
  const toldOf = (uid: JobUid, begin: EpochMs): JobTold => {
    const told = memory.get(uid) ?? { pods: new Map(), failed: new Map(), version: 0, isCombined: false, begin };
    memory.set(uid, told);
    return told;
  };
  let begin: EpochMs | null = null;
  return {
    kind: 'Event',
    apiVersion: 'v1',
    async *present() {
      for await (const { events, about } of presentEvents(filter, reads)) {
        const told = toldOf(about.uid, asEpochMs(0));
        if ('pod' in about) told.pods.set(about.pod.index, lastPlaceOf(about.pod));
        else told.version = about.version;
        for (const { metadata, reason, count } of events)
          if (reason === POD_FAILED) told.failed.set(metadata.name, count);
        yield* events;
      }
    },
    concerns: ({ entries }) => entries.some((entry) => mayShowEventsOf(filter, entry)),
    async *changes(row: FeedRow): AsyncGenerator<Change<EventObject>> {
      begin ??= plusMs(row.at, -LATE_MS);
      for (const entry of row.entries) {
        if (!mayShowEventsOf(filter, entry)) continue;
        const told = toldOf(entry.uid, begin);
        for await (const change of entryChanges(entry, row.number, told, filter, reads))
          if (showsEvent(filter, change.object)) yield change;
        if (entry.type === 'DELETED') memory.delete(entry.uid);
      }
    },
  };
}

/** What a watch has told of a Job. */
type JobTold = {
  /** By index, the place of the newest of its Pods' news. */
  readonly pods: Map<number, number>;
  /** By Event, how many Pods it was told to count that failed alike. */
  readonly failed: Map<string, number>;
  /** STATUS's version up to which the Job's own events were shown before the first row. */
  version: number;
  /** That further Pods were created. */
  isCombined: boolean;
  /** What happened before that was told by rows from before the watch. */
  readonly begin: EpochMs;
};

/** From what happens until a row tells of it. */
const LATE_MS = 5000;

/** The Job, or a Pod of it, may be what the filter asks for. */
function mayShowEventsOf({ namespace, objectName }: EventFilter, job: Pick<FeedEntry, 'namespace' | 'name'>): boolean {
  const isNamed = objectName === undefined || objectName.startsWith(job.name.slice(0, 40));
  return (namespace ?? job.namespace) === job.namespace && isNamed;
}

async function* entryChanges(
  entry: FeedEntry,
  number: number,
  told: JobTold,
  filter: EventFilter,
  reads: Reads,
): AsyncGenerator<Change<EventObject>> {
  if (entry.type === 'DELETED') {
    yield* deletions(entry, number, filter, reads);
    return;
  }
  const found = await readJob(entry.uid, reads, ({ chunks }) => {
    if (entry.pods.length === 0) return [];
    if (filter.ofJobs && chunks.length <= COUNTED_CHUNKS_MAX) return chunks.map((_, no) => no);
    return [...new Set([0, ...entry.pods.map(({ index }) => chunkOf(index))])];
  });
  if (found === null) return;
  const view = { ...found, version: number };
  const facts = await readFacts(view, newPicks(view, entry, told), reads);
  const created = facts.filter((pod) => isNewlyMade(pod, told));
  if (filter.ofJobs) {
    yield* statusChanges(view, entry, told);
    if (filter.turnover) yield* creations(view, created, told, reads);
    if (filter.turnover && facts.some(isToldFailed)) yield* failures(view, told, reads);
  }
  const listed = new Map(newestOf(entry).map(({ index, attempt }) => [index, attempt]));
  for (const pod of facts) {
    const changes = podChanges(pod, told, listed.get(pod.index) === pod.attempt);
    if (filter.ofPods) yield* changes;
    told.pods.set(pod.index, Math.max(told.pods.get(pod.index) ?? 0, lastPlaceOf(pod)));
  }
}

async function* deletions({ uid }: FeedEntry, number: number, filter: EventFilter, reads: Reads) {
  const view = await readJob(uid, reads, ({ chunks }) => chunks.map((_, no) => no), 'evenDeleted');
  if (view === null) return;
  const objects = filter.ofJobs ? await eventsOfJob({ ...view, version: number }, filter, reads) : [];
  for (const object of objects) yield { type: 'DELETED', object } as const;
  if (!filter.ofPods) return;
  for await (const pod of podFactsOf(uid, { index: 0, attempt: 1 }, reads, 'evenDeleted'))
    for (const object of eventsOfPod({ ...pod, version: number })) yield { type: 'DELETED', object } as const;
}

/** What the commits between two rows have made known of the Job itself. */
function* statusChanges(view: JobView, { after, version }: FeedEntry, told: JobTold): Generator<Change<EventObject>> {
  const subject = jobSubject(view.spec.identity, view.version);
  for (const news of statusNews(view.status))
    if (Math.max(after, told.version) < news.version && news.version <= version)
      yield { type: news.count === 1 ? 'ADDED' : 'MODIFIED', object: renderEvent(subject, news) };
}

/** The Pods of a row, each with those before it whose end is still to be told. */
function newPicks(view: JobView, entry: FeedEntry, told: JobTold): readonly PodPick[] {
  return newestOf(entry).flatMap((change) => {
    const { index, attempt } = change;
    const last = told.pods.get(index);
    const first = last === undefined ? Math.max(attempt - 1, 1) : Math.min(attemptOfPlace(last), attempt);
    const before = Array.from(
      { length: attempt - first },
      (_, i): PodPick => ({ index, attempt: first + i, state: 'ended' }),
    );
    return index < view.board.size ? [...before, pickOf(view, change)] : [];
  });
}

/** Of each index the newest Pod that a row lists; they come in order. */
const newestOf = ({ pods }: FeedEntry): readonly PodChange[] => [
  ...new Map(pods.map((change) => [change.index, change])).values(),
];

function isNewlyMade(pod: PodFacts, { pods, begin }: JobTold): boolean {
  const last = pods.get(pod.index);
  if (last !== undefined) return last < firstPlaceOf(pod.attempt);
  return pod.state === 'claimed' || podCreatedAt(pod) >= begin;
}

async function* creations(
  view: JobView,
  created: readonly PodFacts[],
  told: JobTold,
  reads: Reads,
): AsyncGenerator<Change<EventObject>> {
  const subject = jobSubject(view.spec.identity, view.version);
  const [singly, others] = [
    created.filter((pod) => isToldSingly(view, pod)),
    created.filter((pod) => !isToldSingly(view, pod)),
  ];
  for (const pod of singly) yield { type: 'ADDED', object: renderEvent(subject, createdNews(pod)) };
  const isCounted = view.status.chunks.length <= COUNTED_CHUNKS_MAX;
  if (others.length === 0 || (told.isCombined && !isCounted)) return;
  const { uid } = view.spec.identity;
  const whole = isCounted ? view : await readJob(uid, reads, ({ chunks }) => chunks.map((_, no) => no));
  const all = whole === null ? [] : await podTurnover(whole, reads);
  const rest = all.find(({ reason, key }) => reason === 'SuccessfulCreate' && key === 'combined');
  if (rest !== undefined) yield { type: told.isCombined ? 'MODIFIED' : 'ADDED', object: renderEvent(subject, rest) };
  told.isCombined = true;
}

/** Causes of failures that are new, or that more Pods have than was told. */
async function* failures(view: JobView, { failed }: JobTold, reads: Reads): AsyncGenerator<Change<EventObject>> {
  const subject = jobSubject(view.spec.identity, view.version);
  for (const news of await failedPods(view, reads)) {
    const object = renderEvent(subject, news);
    const known = failed.get(object.metadata.name);
    failed.set(object.metadata.name, news.count);
    if (known !== news.count) yield { type: known === undefined ? 'ADDED' : 'MODIFIED', object };
  }
}

/**
 * What a Pod has come to since it was told of last. Where the watch has not met it before, the rows before it have told
 * what is old by now, but for the step that this row lists it for.
 */
function podChanges(pod: PodFacts, { pods, begin }: JobTold, isListed: boolean): readonly Change<EventObject>[] {
  if (isGone(pod)) return [];
  const last = pods.get(pod.index);
  const newest = lastPlaceOf(pod);
  return podNews(pod)
    .filter(({ place, at }) => (last === undefined ? at >= begin || (isListed && place === newest) : place > last))
    .map((news) => ({ type: 'ADDED', object: renderEvent(podSubject(pod), news) }));
}

/** The place of the newest thing that can be told of a Pod. */
const lastPlaceOf = (pod: PodFacts): number =>
  Math.max(firstPlaceOf(pod.attempt), ...podNews(pod).map(({ place }) => place));
