import { type Chunk, type ChunkSummary, chunkOf, cloneChunk } from './board.ts';
import type { WorkingBoard } from './working-board.ts';
import type { PodState } from './index-record.ts';
import { invariant } from '../base/invariant.ts';
import { type Journal, type Status, chunkLength } from './status.ts';
import { STEPS, type Step, type Transition, type TransitionOp, isBesideBoard } from './transition.ts';
import { CHUNKS_PER_PASS_MAX, FOLD_AT_ENTRIES } from '../base/timing.ts';

/** The journal with this pass's transitions at its end. */
export function extendJournal({ nextSeq, entries }: Journal, transitions: readonly Transition[]): Journal {
  const added = transitions.map((transition, i) => ({ seq: nextSeq + i, transition }));
  return { nextSeq: nextSeq + added.length, entries: [...entries, ...added] };
}

/** Entries that are not in a stored chunk yet. */
export const unfolded = (status: Pick<Status, 'journal' | 'chunks'>): Journal['entries'] =>
  status.journal.entries.filter(
    ({ seq, transition }) =>
      !isBesideBoard(transition.op) && seq >= (status.chunks[chunkOf(transition.index)]?.foldedSeq ?? 0),
  );

/**
 * The journal when users have removed Pods that are over, which the board need not know. What it had of this kind, and is published
 * by now, goes.
 *
 * @param publishedSeq entries below this sequence number are published
 */
export function withRemoved(journal: Journal, pods: readonly PodId[], publishedSeq: number): Journal {
  const entries = journal.entries.filter(({ seq, transition: { op } }) => seq >= publishedSeq || !isBesideBoard(op));
  const steps = pods.map(({ index, attempt }) => ({ op: 'removed', index, attempt }) as const);
  return extendJournal({ ...journal, entries }, steps);
}

/** Whether a user has removed this Pod already, as far as the journal still knows. */
export const isRemoved = ({ entries }: Journal, { index, attempt }: PodId): boolean =>
  entries.some(({ transition: t }) => t.op === 'removed' && t.index === index && t.attempt === attempt);

export type PodId = Pick<Transition, 'index' | 'attempt'>;

/**
 * Pods that changed in journal entries from `sinceSeq` on, each once, in their current state. A Pod that was claimed and
 * withdrawn within them was never visible.
 */
export function podChanges({ entries }: Journal, sinceSeq: number): readonly PodChange[] {
  const changes = new Map<string, PodChange>();
  for (const { seq, transition } of entries) {
    const { index, attempt, op } = transition;
    const { shows } = STEPS[op];
    if (seq < sinceSeq || shows === null) continue;
    const key = `${index}/${attempt}`;
    const before = changes.get(key);
    const state = stateAfter(transition, shows, before?.state);
    if (state === 'gone' && before?.isNew === true) changes.delete(key);
    else {
      const isNew = transition.op === 'claim' || before?.isNew === true;
      changes.set(key, { index, attempt, state, ...(isNew ? { isNew } : {}) });
    }
  }
  return [...changes.values()];
}

/** Nothing about the Pod changes that its users see: a Pod that has ended stays as it was, whatever becomes of its index. */
const isUnseen = (op: TransitionOp): boolean => STEPS[op].shows === null;

function stateAfter(step: Step, shows: Seen, before: PodChange['state'] | undefined): PodChange['state'] {
  if (shows === 'ending') return before ?? 'stopping';
  return 'gone' in step && step.gone === true ? 'gone' : shows;
}
type Seen = Exclude<(typeof STEPS)[TransitionOp]['shows'], null>;

/** A Pod that a row of the feed reports. */
export type PodChange = {
  readonly index: number;
  readonly attempt: number;
  /** `stopping`: it is being deleted, in the state that it had; `gone`: the Pod no longer exists. */
  readonly state: PodState | 'pending' | 'stopping' | 'gone';
  /** It was not published before. */
  readonly isNew?: true | undefined;
};

type Place = Pick<PodChange, 'index' | 'attempt'>;

export const comparePods = (a: Place, b: Place): number => a.index - b.index || a.attempt - b.attempt;

/** In the order in which feeds store them: steps from one index to the next take less room. */
export const inOrderOfPods = <P extends Place>(pods: readonly P[]): readonly P[] => pods.toSorted(comparePods);

export type Folding = {
  /** Without the entries that are folded, and published if there is anything to publish. */
  readonly journal: Journal;
  readonly folds: readonly ChunkFold[];
  /** Summaries of all chunks, including the folds. */
  readonly chunks: readonly ChunkSummary[];
  /** There is enough to fold, but not every chunk for it was loaded. */
  readonly again: boolean;
};

/**
 * When the journal has grown to {@link FOLD_AT_ENTRIES}, the same commit stores the chunks concerned again: those with the most
 * entries first, at most {@link CHUNKS_PER_PASS_MAX}.
 */
export function foldJournal(board: WorkingBoard, journal: Journal, publishedSeq: number): Folding {
  const open = journal.entries.filter((entry) => !board.isFolded(entry));
  const newSeq = journal.nextSeq - board.transitions.length;
  const rest = (): Journal => ({
    ...journal,
    entries: journal.entries
      .filter((entry) => entry.seq >= publishedSeq || !board.isFolded(entry))
      .filter((entry) => entry.seq >= newSeq || !isUnseen(entry.transition.op) || !board.isFolded(entry)),
  });
  if (open.length < FOLD_AT_ENTRIES) return { journal: rest(), folds: [], chunks: board.summaries(), again: false };
  const perChunk = new Map<number, number>();
  for (const { transition } of open) {
    const no = chunkOf(transition.index);
    perChunk.set(no, (perChunk.get(no) ?? 0) + 1);
  }
  const busiest = [...perChunk].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([no]) => no);
  const folds = busiest
    .filter((no) => board.chunk(no) !== undefined)
    .slice(0, CHUNKS_PER_PASS_MAX)
    .map((no): ChunkFold => {
      const chunk = board.chunk(no);
      invariant(chunk !== undefined, `chunk ${no} is at hand`);
      const expectedVersion = board.summaries()[no]?.version ?? 0;
      board.markFolded(no, journal.nextSeq);
      return { no, expectedVersion, chunk: cloneChunk(chunk), length: chunkLength(board.size, no) };
    });
  return { journal: rest(), folds, chunks: board.summaries(), again: folds.length === 0 };
}

/** A chunk to store with the commit, if its stored version is still the one that was read. */
export type ChunkFold = {
  readonly no: number;
  readonly expectedVersion: number;
  readonly chunk: Chunk;
  readonly length: number;
};
