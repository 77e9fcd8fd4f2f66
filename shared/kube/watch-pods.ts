import { chunkOf } from '../domain/board.ts';
import type { FeedEntry, FeedRow, PodChange } from '../ports/feed.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import { type PodFilter, mayShowPodsOf, presentPods, showsPod } from './list-pods.ts';
import { type Reads, readJob } from './read-job.ts';
import { pickOf, podsOf, renderPicks } from './read-pods.ts';
import type { PodObject } from './render-pod.ts';
import type { Change, WatchSource } from './watch.ts';

/** Pods as the feed tells of them: an attempt's state is the row's, details are those of now. */
export function watchedPods(filter: PodFilter, reads: Reads): WatchSource<PodObject> {
  /** By Job: the version in which its Pods were shown first. */
  const told = new Map<string, number>();
  const turns = new Turns(filter);
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    async *present() {
      for await (const pod of presentPods(filter, reads)) {
        const owner = pod.metadata.ownerReferences[0]?.uid ?? '';
        if (!told.has(owner)) told.set(owner, Number(pod.metadata.resourceVersion));
        turns.show(pod);
        yield pod;
      }
    },
    concerns: ({ entries }) => entries.some((entry) => mayShowPodsOf(filter, entry)),
    async *changes(row: FeedRow): AsyncGenerator<Change<PodObject>> {
      for (const entry of row.entries) {
        if (!mayShowPodsOf(filter, entry) || row.number <= (told.get(entry.uid) ?? 0)) continue;
        for await (const change of entryChanges(entry, reads)) {
          const type = turns.typeOf(change);
          if (type !== null) yield { type, object: withVersion(change.object, row.number) };
        }
      }
    },
  };
}

async function* entryChanges(entry: FeedEntry, reads: Reads): AsyncGenerator<Change<PodObject>> {
  if (entry.type === 'DELETED') {
    // Kubernetes' garbage collector takes a Job's Pods with it.
    const all = podsOf(entry.uid, { index: 0, attempt: 1 }, reads, 'evenDeleted');
    for await (const { pod } of all) yield { type: 'DELETED', object: pod };
    return;
  }
  if (entry.pods.length === 0) return;
  const view = await readJob(entry.uid, reads, (_, spec) => chunksToTell(entry, spec));
  if (view === null) return;
  const changes = new Map(entry.pods.map((change) => [keyOf(change), change]));
  const picks = entry.pods.map((change) => pickOf(view, change));
  for (const { kind, pod, ...pick } of await renderPicks(view, picks, reads)) {
    const change = changes.get(keyOf(pick));
    if (change !== undefined) yield { type: kind === 'gone' ? 'DELETED' : typeOf(change), object: pod };
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

const withVersion = (pod: PodObject, version: number): PodObject => ({
  ...pod,
  metadata: { ...pod.metadata, resourceVersion: String(version) },
});
