import { chunkOf } from '../domain/board.ts';
import type { JobUid } from '../domain/brand.ts';
import type { FeedEntry, FeedRow, PodChange } from '../ports/feed.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import { type PodFilter, mayShowPodsOf, namesOnePod, presentPods, showsPod } from './list-pods.ts';
import { type Reads, readJob } from './read-job.ts';
import { Once } from './once.ts';
import { pickOf, podsOf, renderPicks } from './read-pods.ts';
import type { PodObject } from './render-pod.ts';
import type { Change, WatchSource } from './watch.ts';

/** Pods as the feed tells of them: an attempt's state is the row's, details are those of now. */
export function watchedPods(filter: PodFilter, reads: Reads): WatchSource<PodObject> {
  const shown = new Shown();
  const turns = new Turns(filter);
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
    async *changes(row: FeedRow): AsyncGenerator<Change<PodObject>> {
      for (const entry of row.entries) {
        if (!mayShowPodsOf(filter, entry) || !shown.mayTell(entry)) continue;
        for await (const { index, ...change } of sharedChanges(entry, row, reads)) {
          if (row.number <= shown.versionOf(entry.uid, index)) continue;
          const type = turns.typeOf(change);
          if (type !== null) yield { type, object: change.object };
        }
        if (entry.type === 'DELETED') shown.forget(entry.uid);
      }
    },
  };
}

/** What a watch has shown before its first row: a Pod that was shown in a row's version, or a later one, is not told of by it. */
class Shown {
  /** By Job and chunk, for each chunk is read by itself. */
  readonly #versions = new Map<JobUid, Map<number, number>>();
  #isAll = false;

  see(uid: JobUid, no: number, version: number): void {
    this.#versions.set(uid, (this.#versions.get(uid) ?? new Map<number, number>()).set(no, version));
  }

  /** All there was has been shown. */
  end(): void {
    this.#isAll = true;
  }

  /** Of a Job that was deleted while the others were shown nobody has heard. */
  mayTell({ uid, type }: FeedEntry): boolean {
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

type PodEvent = Change<PodObject> & { readonly index: number };

/** Pods of an entry that are held for the watchers of its row; of more each reads the others for itself. */
const SHARED_MAX = 100;
const FIRST_CHANGES = new Once<Promise<{ readonly first: readonly PodEvent[]; readonly isAll: boolean }>>();

/** What an entry tells, read and rendered once for all watchers of the row. */
async function* sharedChanges(entry: FeedEntry, row: FeedRow, reads: Reads): AsyncGenerator<PodEvent> {
  const changes = () => entryChanges(entry, row.number, reads);
  const { first, isAll } = await FIRST_CHANGES.of(row, entry.uid, () => firstOf(changes(), row.number));
  yield* first;
  if (isAll) return;
  const told = new Set(first.map(({ object }) => object.metadata.uid));
  for await (const change of changes()) if (!told.has(change.object.metadata.uid)) yield atVersion(change, row.number);
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
  const { uid, pods } = entry;
  if (entry.type === 'DELETED') {
    // Kubernetes' garbage collector takes a Job's Pods with it.
    for await (const { index, pod } of podsOf(uid, FIRST, reads, 'evenDeleted'))
      yield { type: 'DELETED', index, object: pod };
    return;
  }
  if (pods.length > 0) yield* changesOfPods(entry, reads);
  if (entry.ends !== true) return;
  const named = new Set(pods.map(keyOf));
  // What has changed since is told by the rows that follow.
  for await (const { index, attempt, pod } of podsOf(uid, FIRST, reads, 'evenDeleted')) {
    const isOfRow = Number(pod.metadata.resourceVersion) === number && !named.has(keyOf({ index, attempt }));
    if (isOfRow) yield { type: 'MODIFIED', index, object: pod };
  }
}

const FIRST = { index: 0, attempt: 1 };

async function* changesOfPods(entry: FeedEntry, reads: Reads): AsyncGenerator<PodEvent> {
  const view = await readJob(entry.uid, reads, (_, spec) => chunksToTell(entry, spec), 'evenDeleted');
  if (view === null) return;
  const changes = new Map(entry.pods.map((change) => [keyOf(change), change]));
  const picks = entry.pods.map((change) => pickOf(view, change));
  for (const { kind, pod, index, attempt } of await renderPicks(view, picks, reads)) {
    const change = changes.get(keyOf({ index, attempt }));
    // One that was being deleted by then and is gone by now: a row that follows tells it.
    if (change === undefined || (kind === 'gone' && change.state === 'stopping')) continue;
    yield { type: kind === 'gone' ? 'DELETED' : typeOf(change), index, object: pod };
  }
}

const keyOf = ({ index, attempt }: Pick<PodChange, 'index' | 'attempt'>): string => `${index}/${attempt}`;

const typeOf = ({ state, isNew }: PodChange): Change<PodObject>['type'] =>
  state === 'gone' ? 'DELETED' : isNew === true ? 'ADDED' : 'MODIFIED';

/** Only the board knows how often a Pod was started again, and what it is that is being stopped. */
function chunksToTell({ pods }: FeedEntry, { manifest: { spec } }: StoredSpec): readonly number[] {
  const showsCounts = spec.backoffLimitPerIndex !== undefined || spec.template.spec.restartPolicy === 'OnFailure';
  return [
    ...new Set(pods.filter(({ state }) => showsCounts || state === 'stopping').map(({ index }) => chunkOf(index))),
  ];
}

type Phase = PodObject['status']['phase'];
/** In the order in which a Pod comes to them. */
const PHASES: readonly Phase[] = ['Pending', 'Running', 'Succeeded', 'Failed'];

/**
 * What a change is to a watcher who selects by phase: a Pod is added when the selector begins to show it and deleted
 * when it no longer does, as in Kubernetes. What it showed before the watch is not known: of the phases that a Pod may
 * have come from, any counts.
 */
class Turns {
  readonly #filter: PodFilter;
  /** Pods that may change, by uid: whether the watcher has them. */
  readonly #shown = new Map<string, boolean>();

  constructor(filter: PodFilter) {
    this.#filter = filter;
  }

  /** It was there when the watch began. */
  show(object: PodObject): void {
    if (!PHASES.every((phase) => this.#shows(object, phase))) this.#shown.set(object.metadata.uid, true);
  }

  /** null: there is nothing to tell. */
  typeOf({ type, object }: Change<PodObject>): Change<PodObject>['type'] | null {
    const { uid } = object.metadata;
    const { phase } = object.status;
    const shows = (of: Phase): boolean => this.#shows(object, of);
    if (PHASES.every(shows)) return type;
    if (!PHASES.some(shows)) return null;
    const earlier = type === 'ADDED' ? [] : PHASES.slice(0, Math.min(PHASES.indexOf(phase), 2));
    const had = this.#shown.get(uid) ?? (type === 'DELETED' ? PHASES : earlier).some(shows);
    const has = type !== 'DELETED' && shows(phase);
    if (type === 'DELETED' || phase === 'Succeeded' || phase === 'Failed') this.#shown.delete(uid);
    else this.#shown.set(uid, has);
    if (has) return had ? 'MODIFIED' : 'ADDED';
    return had ? 'DELETED' : null;
  }

  #shows(object: PodObject, phase: Phase): boolean {
    return showsPod(this.#filter, { ...object, status: { ...object.status, phase } });
  }
}
