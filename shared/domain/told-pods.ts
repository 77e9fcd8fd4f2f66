import { chunkOf } from './board.ts';
import { type PodChange, inOrderOfPods } from './journal.ts';

/** What the feed has told of a Pod last, and the number of the row that did: the Pod's resourceVersion. */
export type ToldPod = Pick<PodChange, 'index' | 'attempt' | 'state'> & { readonly number: number };

/**
 * What the feed has told of a Job's Pods. The newest of it is in the Job's mark, where it costs nothing; what does not fit
 * moves on to one row, the tail, and once that is long, to a row a chunk. Each of these holds all that was told up to a
 * number, so what lies above it counts from there on only.
 */
export type Told = {
  /** Number of the row before the first that is remembered; Pods that none has named since have it. 0: all are. */
  readonly base: number;
  /** Tail and chunks hold what was told up to here, at least; 0: there are none. */
  readonly through: number;
  /** Number of the row that told that all of the Job's Pods are being deleted; null: they are not. */
  readonly ending: number | null;
  /** In order of index and attempt; at most {@link RECENT_MAX}, and those of one row. */
  readonly recent: readonly ToldPod[];
};

/** A row beside the mark. */
export type ToldPart = { readonly through: number; readonly pods: readonly ToldPod[] };
export type PartName = number | 'tail';

export const NOTHING_TOLD: Told = { base: 0, through: 0, ending: null, recent: [] };

/** Stands for the number of the row that is about to be appended. */
const THIS_ROW = 0;
/** A mark with so many stays below 1 KB. */
const RECENT_MAX = 120;
/** A tail with so many has some 20 KB. */
const TAIL_MAX = 8_000;

/** What was told once a row has told of `pods`, and of whether all of the Job's Pods are being deleted. */
export function nextTold(told: Told, pods: readonly PodChange[], isEnding: boolean): Told {
  const changed = pods.map(({ index, attempt, state }) => ({ index, attempt, state, number: THIS_ROW }));
  const recent = overlaid(told.recent, changed);
  return {
    ...told,
    ending: isEnding ? (told.ending ?? THIS_ROW) : null,
    // What is gone must be remembered only where something below says that it is there.
    recent: remembersGone(told) ? recent : recent.filter(isThere),
  };
}

/** The same when that row has got its number. */
export const numbered = (told: Told, number: number): Told => ({
  ...told,
  ending: told.ending === THIS_ROW ? number : told.ending,
  recent: told.recent.map((pod) => (pod.number === THIS_ROW ? { ...pod, number } : pod)),
});

const remembersGone = ({ base, through }: Told): boolean => base > 0 || through > 0;
const isThere = ({ state }: ToldPod): boolean => state !== 'gone';

/** What the mark holds is too much for it. */
export const isFull = ({ recent }: Told): boolean => recent.length > RECENT_MAX;

/** The tail with what the mark holds, which was told up to row `number`; null: that is too much for one row. */
export function grownTail({ recent }: Told, tail: ToldPart | null, number: number): ToldPart | null {
  const pods = overlaid(tail?.pods ?? [], above(recent, tail?.through ?? 0));
  return pods.length > TAIL_MAX ? null : { through: number, pods };
}

/** The chunks that tail and mark tell something of. */
export const chunksOfTail = ({ recent }: Told, tail: ToldPart | null): readonly number[] => [
  ...new Set([...(tail?.pods ?? []), ...recent].map(({ index }) => chunkOf(index))),
];

/** Chunk `no` with all that was told up to row `number`; what is gone is forgotten, if that does not bring it back. */
export function grownChunk(
  told: Told,
  tail: ToldPart | null,
  chunk: ToldPart | null,
  no: number,
  number: number,
): ToldPart {
  const pods = podsOfChunk(told, tail, chunk, no);
  return { through: number, pods: told.base > 0 ? pods : pods.filter(isThere) };
}

/** Every Pod of chunk `no` that was told of, as it was told of last. */
export function podsOfChunk(
  { recent }: Told,
  tail: ToldPart | null,
  chunk: ToldPart | null,
  no: number,
): readonly ToldPod[] {
  const ofChunk = (pods: readonly ToldPod[]) => pods.filter(({ index }) => chunkOf(index) === no);
  const stored = overlaid(chunk?.pods ?? [], above(ofChunk(tail?.pods ?? []), chunk?.through ?? 0));
  return overlaid(stored, above(ofChunk(recent), Math.max(tail?.through ?? 0, chunk?.through ?? 0)));
}

const above = (pods: readonly ToldPod[], through: number): readonly ToldPod[] =>
  pods.filter(({ number }) => number > through);

export const podKey = ({ index, attempt }: Pick<ToldPod, 'index' | 'attempt'>): string => `${index}/${attempt}`;

/** Both, by index and attempt; of a Pod that is in both what `later` says. */
const overlaid = (earlier: readonly ToldPod[], later: readonly ToldPod[]): readonly ToldPod[] =>
  earlier.length === 0 || later.length === 0
    ? inOrderOfPods([...earlier, ...later])
    : inOrderOfPods([...new Map([...earlier, ...later].map((pod) => [podKey(pod), pod])).values()]);
