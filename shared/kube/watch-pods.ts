import { chunkOf } from '../domain/board.ts';
import type { FeedEntry, FeedRow } from '../ports/feed.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import { type PodFilter, mayShowPodsOf, presentPods, showsPod } from './list-pods.ts';
import { type JobView, type Reads, readJob } from './read-job.ts';
import { podsOf, renderPicks } from './read-pods.ts';
import type { PodPick } from './pod-facts.ts';
import type { PodObject } from './render-pod.ts';
import type { Change, WatchSource } from './watch.ts';

/** Pods as the feed tells of them: an attempt's state is the row's, details are those of now. */
export function watchedPods(filter: PodFilter, reads: Reads): WatchSource<PodObject> {
  /** By Job: the version in which its Pods were shown first. */
  const told = new Map<string, number>();
  const endings = new Endings();
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
        for await (const change of entryChanges(entry, endings, reads)) {
          const type = turns.typeOf(change);
          if (type !== null) yield { type, object: withVersion(change.object, row.number) };
        }
        if (entry.type === 'DELETED') endings.forget(entry.uid);
      }
    },
  };
}

async function* entryChanges(entry: FeedEntry, endings: Endings, reads: Reads): AsyncGenerator<Change<PodObject>> {
  if (entry.type === 'DELETED') {
    // Kubernetes' garbage collector takes a Job's Pods with it.
    const all = podsOf(entry.uid, { index: 0, attempt: 1 }, reads, 'evenDeleted');
    for await (const { pod } of all) yield { type: 'DELETED', object: pod };
    return;
  }
  if (entry.pods.length === 0) return;
  const view = await readJob(entry.uid, reads, (_, spec) => (showsRestarts(spec) ? chunksOf(entry) : []));
  if (view === null) return;
  yield* picksOf(view, entry, endings, reads);
}

/** Only the board knows these counts; other Jobs' Pods are told without reading it. */
const showsRestarts = ({ manifest: { spec } }: StoredSpec): boolean =>
  spec.backoffLimitPerIndex !== undefined || spec.template.spec.restartPolicy === 'OnFailure';

const chunksOf = ({ pods }: FeedEntry): readonly number[] => [...new Set(pods.map(({ index }) => chunkOf(index)))];

async function* picksOf(view: JobView, { uid, pods }: FeedEntry, endings: Endings, reads: Reads) {
  const picks = pods
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ index, attempt, state }): readonly PodPick[] => [
      ...endings
        .before(uid, index, attempt, state === 'pending')
        .map((ended): PodPick => ({ index, attempt: ended, state: 'ended' })),
      { index, attempt, state: state === 'pending' ? 'ended' : state },
    ]);
  for (const { kind, state, pod } of await renderPicks(view, picks, reads)) {
    const type = kind === 'gone' ? 'DELETED' : state === 'claimed' ? 'ADDED' : 'MODIFIED';
    yield { type, object: pod } as const;
  }
}

/**
 * A row tells the newest attempt of an index only. If the one before has ended in the same row, its end is ours to
 * tell, once.
 */
class Endings {
  /** By Job and index. */
  readonly #told = new Map<string, Map<number, number>>();

  /** Earlier attempts whose end is still to be told. */
  before(uid: string, index: number, attempt: number, hasEnded: boolean): readonly number[] {
    const ofJob = this.#told.get(uid) ?? new Map<number, number>();
    this.#told.set(uid, ofJob);
    const last = ofJob.get(index) ?? Math.max(attempt - 2, 0);
    const next = hasEnded ? attempt : attempt - 1;
    if (next > 0) ofJob.set(index, next);
    return Array.from({ length: Math.max(attempt - 1 - last, 0) }, (_, i) => last + 1 + i);
  }

  /** The Job has gone, and nothing more is told of it. */
  forget(uid: string): void {
    this.#told.delete(uid);
  }
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
