import { chunkOf } from '../../domain/scoreboard/board.ts';
import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { unpublishedStops } from '../../domain/scoreboard/shown-status.ts';
import type { Labels } from '../../domain/manifests/manifest.ts';
import type { FeedEntry, FeedRow, PodChange } from '../../ports/feed.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { LeftOut } from '../list/left-out.ts';
import { type PodFilter, mayShowPodsOf, namesOneJob, namesOnePod, presentPods, showsPod } from './list-pods.ts';
import { type Reads, readJobView } from '../jobs/job-view.ts';
import { Once } from '../feed/once.ts';
import { ShownObjects } from '../feed/shown-objects.ts';
import { pickOf, podsOf, renderPicks } from './read-pods.ts';
import type { PodObject } from './render-pod.ts';
import type { WatchedChange, WatchSource } from '../list/watch.ts';

/** Pods as the feed publishes them: an attempt's state is the row's, details are current. */
export function watchedPods(filter: PodFilter, reads: Reads): WatchSource<PodObject> {
  const shown = new Shown();
  const turns = new Turns(filter);
  const leftOut = new LeftOut('the Pods of Job');
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    async *present() {
      for await (const pod of presentPods(filter, reads, (uid, no, version) => shown.see(uid, no, version))) {
        turns.show(pod);
        yield pod;
      }
      if (!namesOnePod(filter)) shown.end();
    },
    concerns: ({ entries }) => entries.some((entry) => mayShowPodsOf(filter, entry)),
    async *changes(row: FeedRow): AsyncGenerator<WatchedChange<PodObject>> {
      for (const entry of row.entries) {
        if (!mayShowPodsOf(filter, entry) || !shown.maySend(entry)) continue;
        const read = () => sharedChanges(entry, row, reads);
        // A watch of all Pods goes on without those of a Job that only a later release reads.
        const readable = namesOneJob(filter) ? read() : leftOut.untilNewer(entry, read);
        for await (const { index, ...change } of readable) {
          if (row.number <= shown.versionOf(entry.uid, index)) continue;
          const type = turns.typeOf(change);
          if (type !== null) yield { type, object: change.object };
        }
        if (entry.type === 'DELETED') shown.forget(entry.uid);
      }
    },
  };
}

/**
 * What a watch has shown before its first row: a row does not send a Pod that was already shown in its version, or a later one.
 */
class Shown {
  /** By Job and chunk, because each chunk is read separately. */
  readonly #versions = new Map<JobUid, Map<number, number>>();
  #isAll = false;

  see(uid: JobUid, no: number, version: number): void {
    this.#versions.set(uid, (this.#versions.get(uid) ?? new Map<number, number>()).set(no, version));
  }

  /** All existing Pods have been shown. */
  end(): void {
    this.#isAll = true;
  }

  /** A Job that was deleted while the others were shown was never sent. */
  maySend({ uid, type }: FeedEntry): boolean {
    if (!this.#isAll || this.#versions.has(uid)) return true;
    if (type === 'ADDED') this.#versions.set(uid, new Map());
    return type === 'ADDED';
  }

  versionOf(uid: JobUid, index: number): number {
    return this.#versions.get(uid)?.get(chunkOf(index)) ?? 0;
  }

  forget(uid: JobUid): void {
    this.#versions.delete(uid);
  }
}

type PodEvent = PodChanged & { readonly index: number };
/** `hadEnded`: an earlier row has published its end already. `relabelled`: its labels may have changed. */
type PodChanged = WatchedChange<PodObject> & { readonly hadEnded?: boolean; readonly relabelled?: Relabelled };
/** Of a bare Pod, whose labels users change: `before`, if this row publishes a change of them. */
type Relabelled = { readonly before: Labels | undefined };

/** Pods of an entry that are kept for the watches of its row; each watch reads any others for itself. */
const SHARED_MAX = 100;
const FIRST_CHANGES = new Once<Promise<{ readonly first: readonly PodEvent[]; readonly isAll: boolean }>>();

/** What an entry publishes, read and rendered once for all watches of the row. */
async function* sharedChanges(entry: FeedEntry, row: FeedRow, reads: Reads): AsyncGenerator<PodEvent> {
  const changes = () => entryChanges(entry, row.number, reads);
  const { first, isAll } = await FIRST_CHANGES.of(row, entry.uid, () => firstOf(changes(), row.number));
  yield* first;
  if (isAll) return;
  const published = new Set(first.map(({ object }) => object.metadata.uid));
  for await (const change of changes())
    if (!published.has(change.object.metadata.uid)) yield atVersion(change, row.number);
}

async function firstOf(changes: AsyncIterable<PodEvent>, number: number) {
  const first: PodEvent[] = [];
  for await (const change of changes) {
    if (first.length === SHARED_MAX) return { first, isAll: false };
    first.push(atVersion(change, number));
  }
  return { first, isAll: true };
}

const atVersion = ({ object, ...change }: PodEvent, version: number): PodEvent => ({
  ...change,
  object: { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } },
});

async function* entryChanges(entry: FeedEntry, number: number, reads: Reads): AsyncGenerator<PodEvent> {
  const changes = changesOfEntry(entry, number, reads);
  if (!isBarePod(entry)) yield* changes;
  else for await (const change of changes) yield { ...change, relabelled: { before: entry.labelsBefore } };
}

async function* changesOfEntry(entry: FeedEntry, number: number, reads: Reads): AsyncGenerator<PodEvent> {
  const { uid, pods } = entry;
  if (entry.type === 'DELETED') {
    // Kubernetes' garbage collector deletes a Job's Pods with it.
    for await (const { index, pod } of podsOf(uid, FIRST, reads, 'evenDeleted'))
      yield { type: 'DELETED', index, object: pod, hadEnded: isOver(pod) };
    return;
  }
  if (pods.length > 0) yield* changesOfPods(entry, reads);
  else if (isBarePod(entry)) yield* changesOfBare(entry, reads);
  if (entry.ends !== true) return;
  const named = new Set(pods.map(keyOf));
  // The rows that follow publish what has changed since.
  for await (const { index, attempt, pod } of podsOf(uid, FIRST, reads, 'evenDeleted')) {
    const isOfRow = Number(pod.metadata.resourceVersion) === number && !named.has(keyOf({ index, attempt }));
    if (isOfRow) yield { type: 'MODIFIED', index, object: pod };
  }
}

const FIRST = { index: 0, attempt: 1 };

/** Its metadata has changed, or what its Job says of it. */
async function* changesOfBare({ uid }: FeedEntry, reads: Reads): AsyncGenerator<PodEvent> {
  for await (const { index, pod } of podsOf(uid, FIRST, reads)) yield { type: 'MODIFIED', index, object: pod };
}

async function* changesOfPods(entry: FeedEntry, reads: Reads): AsyncGenerator<PodEvent> {
  const read = await readJobView(entry.uid, reads, (_, spec) => chunksToSend(entry, spec), 'evenDeleted');
  if (read === null) return;
  const view = entry.shown === undefined ? read : { ...read, shown: { shown: entry.shown, seq: entry.seq } };
  const changes = new Map(entry.pods.map((change) => [keyOf(change), change]));
  const stops = unpublishedStops(view.status.journal, view.shown ?? null);
  const picks = entry.pods.map((change) => ({
    ...pickOf(view, change),
    mayStop: change.state === 'stopping' || !stops.has(keyOf(change)),
    isPublishedStopping: change.state === 'stopping',
  }));
  for (const { kind, pod, index, attempt } of await renderPicks(view, picks, reads)) {
    const change = changes.get(keyOf({ index, attempt }));
    if (change === undefined) continue;
    // One that is not gone by itself has been removed after its end.
    const hadEnded = kind === 'pod' && change.state === 'gone' && isOver(pod);
    yield { type: kind === 'gone' ? 'DELETED' : typeOf(change), index, object: pod, hadEnded };
  }
}

const keyOf = ({ index, attempt }: Pick<PodChange, 'index' | 'attempt'>): string => `${index}/${attempt}`;

const typeOf = ({ state, isNew }: PodChange): WatchedChange<PodObject>['type'] =>
  state === 'gone' ? 'DELETED' : isNew === true ? 'ADDED' : 'MODIFIED';

/** Only the board knows how often a Pod was restarted, and which task is being stopped. */
function chunksToSend({ pods }: FeedEntry, { manifest: { spec } }: StoredSpec): readonly number[] {
  const showsCounts = spec.backoffLimitPerIndex !== undefined || spec.template.spec.restartPolicy === 'OnFailure';
  return [
    ...new Set(pods.filter(({ state }) => showsCounts || state === 'stopping').map(({ index }) => chunkOf(index))),
  ];
}

const isOver = ({ status: { phase } }: PodObject): boolean => phase === 'Succeeded' || phase === 'Failed';

type Phase = PodObject['status']['phase'];
/** In the order in which a Pod reaches them. */
const PHASES: readonly Phase[] = ['Pending', 'Running', 'Succeeded', 'Failed'];

/**
 * What a change means to a watch that selects by phase, or by labels of bare Pods: a Pod is ADDED when the selector begins to match
 * and DELETED when it no longer does, as in Kubernetes. What it matched before the watch is unknown, so any phase that a Pod may have come from
 * counts.
 */
class Turns {
  readonly #filter: PodFilter;
  /** Pods that may change. */
  readonly #shown = new ShownObjects();

  constructor(filter: PodFilter) {
    this.#filter = filter;
  }

  /** It existed when the watch began. */
  show(object: PodObject): void {
    if (!PHASES.every((phase) => this.#shows(object, phase))) this.#shown.show(object.metadata.uid);
  }

  /** null: there is nothing to send. */
  typeOf(change: PodChanged): WatchedChange<PodObject>['type'] | null {
    const { type, object, relabelled } = change;
    const { uid, labels } = object.metadata;
    const { phase } = object.status;
    const shows = (of: Phase): boolean => this.#shows(object, of);
    const mayTurn = relabelled !== undefined && !this.#filter.labels.isEverything;
    if (PHASES.every(shows) && !mayTurn) return type;
    if (!PHASES.some(shows) && !mayTurn) return null;
    const showed = (of: Phase): boolean => this.#shows(object, of, relabelled?.before ?? labels);
    const had = this.#shown.isShown(uid) ?? phasesBefore(change).some(showed);
    const has = type !== 'DELETED' && shows(phase);
    const isLast = type === 'DELETED' || (isOver(object) && !mayTurn);
    return this.#shown.turn(uid, had, has, isLast);
  }

  #shows(object: PodObject, phase: Phase, labels = object.metadata.labels): boolean {
    const { metadata, status } = object;
    return showsPod(this.#filter, { ...object, metadata: { ...metadata, labels }, status: { ...status, phase } });
  }
}

/** In which phases a watch may have had a Pod that it does not remember. */
function phasesBefore({ type, object, hadEnded = false, relabelled }: PodChanged): readonly Phase[] {
  const { phase } = object.status;
  if (type === 'DELETED') return hadEnded ? [phase] : PHASES;
  if (type === 'ADDED') return [];
  // A row about its labels may leave its phase as it is.
  const at = PHASES.indexOf(phase);
  return PHASES.slice(0, relabelled === undefined ? Math.min(at, 2) : at + 1);
}
