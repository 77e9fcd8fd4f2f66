import { CHUNK_INDEXES, chunkOf } from './board.ts';
import { type PodChange, comparePods, inOrderOfPods } from './journal.ts';

/** What the feed last published about a Pod, and the number of that row: the Pod's resourceVersion. */
export type PublishedPod = Pick<PodChange, 'index' | 'attempt' | 'state'> & { readonly number: number };

/**
 * What the feed has published about a Job's Pods. The newest part is in the Job's mark, where it costs nothing; what does not
 * fit moves to one row, the tail, and once that is long, to one row per chunk. Each of these holds everything that was
 * published up to a number, so the layer above it only counts from there on.
 */
export type PublishedPods = {
  /**
   * Number of the row before the first that is remembered: the number of Pods that no row has named since. 0: all are
   * remembered.
   */
  readonly base: number;
  /** Tail and chunks hold what was published at least up to here; 0: there are none. */
  readonly through: number;
  /** Number of the row that published that all of the Job's Pods are being deleted; null: they are not. */
  readonly ending: number | null;
  /** In order of index and attempt; at most {@link RECENT_MAX}, plus those of one row. */
  readonly recent: readonly PublishedPod[];
};

/** A row in addition to the mark; its Pods in order of index and attempt. */
export type PublishedPart = { readonly through: number; readonly pods: readonly PublishedPod[] };
export type PartName = number | 'tail';

export const NOTHING_PUBLISHED: PublishedPods = { base: 0, through: 0, ending: null, recent: [] };

/** The number of the row that is about to be appended, as a placeholder. */
const THIS_ROW = 0;
/** A mark with this many stays below 1 KB. */
const RECENT_MAX = 120;
/** A tail with this many is about 20 KB. */
const TAIL_MAX = 8_000;

/**
 * What is published after a row has listed `pods`, and whether all of the Job's Pods are being deleted.
 *
 * @param stops those that are being deleted, by {@link podKey}: a row says of such a Pod what its task does, if that is new, too
 */
export function nextPublished(
  published: PublishedPods,
  pods: readonly PodChange[],
  { stops, isEnding }: { readonly stops: Pick<ReadonlySet<string>, 'has'>; readonly isEnding: boolean },
): PublishedPods {
  const changed = pods.map(({ index, attempt, state }) => {
    const pod = { index, attempt, state, number: THIS_ROW };
    return stops.has(podKey(pod)) ? asStopping(pod) : pod;
  });
  const recent = overlaid(published.recent, inOrderOfPods(changed));
  return {
    ...published,
    ending: isEnding ? (published.ending ?? THIS_ROW) : null,
    // A Pod that is gone must be remembered only if a layer below still lists it.
    recent: remembersGone(published) ? recent : recent.filter(isThere),
  };
}

/** The same, once that row has its number. */
export const numbered = (published: PublishedPods, number: number): PublishedPods => ({
  ...published,
  ending: published.ending === THIS_ROW ? number : published.ending,
  recent: published.recent.map((pod) => (pod.number === THIS_ROW ? { ...pod, number } : pod)),
});

const remembersGone = ({ base, through }: PublishedPods): boolean => base > 0 || through > 0;
const isThere = ({ state }: PublishedPod): boolean => state !== 'gone';

/** The mark holds more than it should. */
export const isFull = ({ recent }: PublishedPods): boolean => recent.length > RECENT_MAX;

/** The tail with the contents of the mark, published up to row `number`; null: too much for one row. */
export function grownTail({ recent }: PublishedPods, tail: PublishedPart | null, number: number): PublishedPart | null {
  const pods = overlaid(tail?.pods ?? [], above(recent, tail?.through ?? 0));
  return pods.length > TAIL_MAX ? null : { through: number, pods };
}

/** The chunks that tail and mark list Pods of. */
export const chunksOfTail = ({ recent }: PublishedPods, tail: PublishedPart | null): readonly number[] => [
  ...new Set([...(tail?.pods ?? []), ...recent].map(({ index }) => chunkOf(index))),
];

/**
 * Chunk `no` with everything that was published up to row `number`; Pods that are gone are dropped unless a layer below still
 * lists them.
 */
export function grownChunk(
  published: PublishedPods,
  tail: PublishedPart | null,
  chunk: PublishedPart | null,
  no: number,
  number: number,
): PublishedPart {
  const pods = podsOfChunk(published, tail, chunk, no);
  return { through: number, pods: published.base > 0 ? pods : pods.filter(isThere) };
}

/** Every published Pod of chunk `no`, as last published. */
export function podsOfChunk(
  { recent }: PublishedPods,
  tail: PublishedPart | null,
  chunk: PublishedPart | null,
  no: number,
): readonly PublishedPod[] {
  const stored = overlaid(chunk?.pods ?? [], above(ofChunk(tail?.pods ?? [], no), chunk?.through ?? 0));
  return overlaid(stored, above(ofChunk(recent, no), Math.max(tail?.through ?? 0, chunk?.through ?? 0)));
}

/** Those of chunk `no`, without a look at the others: a Job may have 25 chunks with Pods in one tail. */
const ofChunk = (pods: readonly PublishedPod[], no: number): readonly PublishedPod[] =>
  pods.slice(countBelow(pods, no * CHUNK_INDEXES), countBelow(pods, (no + 1) * CHUNK_INDEXES));

/** How many of these Pods, which are in order, have an index below this. */
function countBelow(pods: readonly PublishedPod[], index: number): number {
  let [from, to] = [0, pods.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((pods[middle]?.index ?? Infinity) < index) from = middle + 1;
    else to = middle;
  }
  return from;
}

const above = (pods: readonly PublishedPod[], through: number): readonly PublishedPod[] =>
  pods.filter(({ number }) => number > through);

export const podKey = ({ index, attempt }: Pick<PublishedPod, 'index' | 'attempt'>): string => `${index}/${attempt}`;

/**
 * Both, by index and attempt, as each of them is; a Pod in both is as `later` says. But a Pod that is being deleted stays so until it
 * has ended, even if its task begins to run meanwhile.
 */
function overlaid(earlier: readonly PublishedPod[], later: readonly PublishedPod[]): readonly PublishedPod[] {
  if (later.length === 0) return earlier;
  const pods: PublishedPod[] = [];
  let nth = 0;
  for (const known of earlier) {
    let next = later[nth];
    for (; next !== undefined && comparePods(next, known) < 0; next = later[++nth]) pods.push(next);
    if (next === undefined || comparePods(next, known) > 0) pods.push(known);
    else {
      pods.push(known.state === 'stopping' ? asStopping(next) : next);
      nth++;
    }
  }
  return pods.concat(later.slice(nth));
}

const asStopping = (pod: PublishedPod): PublishedPod => (LIVE.has(pod.state) ? { ...pod, state: 'stopping' } : pod);

const LIVE: ReadonlySet<PublishedPod['state']> = new Set(['claimed', 'launched', 'running', 'waiting'] as const);
