import { BATCH_FACE } from '../../shared/kube/jobs/job-face.ts';
import { createItemCache } from '../../shared/store/read-items.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { parseJobFilter, presentJobs } from '../../shared/kube/jobs/list-jobs.ts';
import { parsePodFilter, presentPods } from '../../shared/kube/pods/list-pods.ts';
import { watchedJobs } from '../../shared/kube/jobs/watch-jobs.ts';
import { watchedPods } from '../../shared/kube/pods/watch-pods.ts';
import type { WatchSource } from '../../shared/kube/feed/watched.ts';
import type { Stores } from '../contract/store-under-test.ts';

const NO_PACE = { now: asEpochMs(0), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };
/** It does not help: whatever a crash left untold, passes must tell. */
const NO_COMMANDS = { publishJob: async () => undefined };
const PAGE = 7;

type Named = { readonly metadata: { readonly uid: string; readonly resourceVersion: string } };
/** Objects by uid: their versions. */
type Cache = ReadonlyMap<string, number>;

/** What an informer has come to know, and what no watch may tell it. */
export type Informed = {
  readonly cache: Cache;
  readonly events: readonly string[];
  readonly oddities: readonly string[];
};

const filterOf = <T>(parsed: { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'bad' }): T => {
  if (parsed.kind === 'bad') throw new Error('a filter of all');
  return parsed.value;
};

/** All Jobs and all Pods as lists show them. */
export function listsOf(stores: Stores) {
  const reads = {
    ...stores,
    taskNames: stores.hosts,
    itemCache: createItemCache(),
    launchPace: async () => NO_PACE,
    jobCommands: NO_COMMANDS,
  };
  const versions = async (objects: AsyncIterable<Named>): Promise<Cache> => {
    const found = new Map<string, number>();
    for await (const { metadata } of objects) found.set(metadata.uid, Number(metadata.resourceVersion));
    return found;
  };
  return {
    jobs: async () => versions(presentJobs(filterOf(parseJobFilter(BATCH_FACE, null, {})), reads)),
    pods: async () => versions(presentPods(filterOf(parsePodFilter(null, {})), reads)),
  };
}

/** Watches all Jobs, or all Pods, as a cache does: from what there is on (`listed` hears when it has that), until `isDone` and no row is left. */
export function informerOf(
  kind: 'jobs' | 'pods',
  stores: Stores,
  turn: () => Promise<void>,
  isDone: () => boolean,
  listed: () => void,
): Promise<Informed> {
  const reads = {
    ...stores,
    taskNames: stores.hosts,
    itemCache: createItemCache(),
    launchPace: async () => NO_PACE,
    jobCommands: NO_COMMANDS,
  };
  return kind === 'jobs'
    ? follow(
        watchedJobs(filterOf(parseJobFilter(BATCH_FACE, null, {})), reads, reads.feed),
        stores,
        turn,
        isDone,
        listed,
      )
    : follow(watchedPods(filterOf(parsePodFilter(null, {})), reads), stores, turn, isDone, listed);
}

async function follow<T extends Named>(
  source: WatchSource<T>,
  { feed }: Stores,
  turn: () => Promise<void>,
  isDone: () => boolean,
  listed: () => void,
): Promise<Informed> {
  const cache = new Map<string, number>();
  const ended = new Set<string>();
  const events: string[] = [];
  const oddities: string[] = [];
  let after = await feed.head();
  for await (const { metadata } of source.present()) cache.set(metadata.uid, Number(metadata.resourceVersion));
  listed();
  for (;;) {
    const wasDone = isDone();
    const page = await feed.read(after, PAGE);
    if (page.kind === 'expired') throw new Error('rows expired while they were watched');
    for (const row of page.rows) {
      after = row.number;
      for await (const { type, object } of source.changes(row)) {
        const { uid, resourceVersion } = object.metadata;
        const version = Number(resourceVersion);
        const event = `${type} ${uid} ${version}`;
        events.push(event);
        if ((type === 'ADDED') === cache.has(uid))
          oddities.push(`${event}: it was ${cache.has(uid) ? '' : 'not '}there`);
        if (ended.has(uid)) oddities.push(`${event}: it had ended`);
        if (version <= (cache.get(uid) ?? 0)) oddities.push(`${event}: after ${cache.get(uid)}`);
        if (version !== row.number) oddities.push(`${event}: in row ${row.number}`);
        if (type === 'DELETED') ended.add(uid);
        if (type === 'DELETED') cache.delete(uid);
        else cache.set(uid, version);
      }
    }
    if (wasDone && page.rows.length === 0) return { cache, events, oddities };
    await turn();
  }
}
