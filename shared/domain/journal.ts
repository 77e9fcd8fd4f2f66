import { chunkOf, cloneChunk } from './board.ts';
import type { Draft } from './draft.ts';
import type { IndexState } from './index-record.ts';
import { invariant } from './invariant.ts';
import type { ChunkFold } from './plan.ts';
import { type Journal, type Status, chunkLength } from './status.ts';
import type { Transition, TransitionOp } from './transition.ts';
import { CHUNKS_PER_PASS_MAX, FOLD_AT_ENTRIES } from './timing.ts';

/** The journal with this pass's transitions at its end. */
export function extendJournal({ nextSeq, entries }: Journal, transitions: readonly Transition[]): Journal {
  const added = transitions.map((transition, i) => ({ seq: nextSeq + i, transition }));
  return { nextSeq: nextSeq + added.length, entries: [...entries, ...added] };
}

/** Entries that are in no stored chunk yet. */
export const unfolded = (status: Pick<Status, 'journal' | 'chunks'>): Journal['entries'] =>
  status.journal.entries.filter(
    ({ seq, transition }) => seq >= (status.chunks[chunkOf(transition.index)]?.foldedSeq ?? 0),
  );

/** Pods that changed in journal entries from `sinceSeq` on, each once, with the state that they have now. */
export function podChanges({ entries }: Journal, sinceSeq: number): readonly PodChange[] {
  const changes = new Map<number, PodChange>();
  for (const { seq, transition } of entries) {
    if (seq < sinceSeq) continue;
    const { index, attempt, op } = transition;
    if (op === 'stopping' || op === 'podDeleted' || op === 'renonce') continue; // the Pod's state stays what it was
    // One attempt of an index at a time: the newest entry is the one that tells.
    changes.set(index, { index, attempt, state: STATE_AFTER[op] });
  }
  return [...changes.values()];
}

/** An ended attempt whose index is pending again shows as pending: its Pod's end is in the attempt's record. */
const STATE_AFTER: Record<Exclude<TransitionOp, 'stopping' | 'podDeleted' | 'renonce'>, IndexState> = {
  claim: 'claimed',
  launched: 'launched',
  running: 'running',
  restart: 'waiting',
  unstarted: 'waiting',
  relaunch: 'claimed',
  succeeded: 'succeeded',
  failed: 'pending',
  failedForGood: 'failed',
  ignored: 'pending',
  lost: 'pending',
  lostToSpot: 'pending',
  released: 'pending',
};

export type PodChange = { readonly index: number; readonly attempt: number; readonly state: IndexState };

export type Folding = {
  /** Without the entries that are both folded and published. */
  readonly journal: Journal;
  readonly folds: readonly ChunkFold[];
  /** Enough has gathered to fold, but not every chunk of it was at hand. */
  readonly again: boolean;
};

/**
 * When the journal has grown to {@link FOLD_AT_ENTRIES}, the chunks concerned are stored anew in the same commit: those
 * with most entries first, at most {@link CHUNKS_PER_PASS_MAX}.
 */
export function foldJournal(draft: Draft, journal: Journal, publishedSeq: number): Folding {
  const open = journal.entries.filter((entry) => !draft.isFolded(entry));
  const rest = (): Journal => ({
    ...journal,
    entries: journal.entries.filter((entry) => entry.seq >= publishedSeq || !draft.isFolded(entry)),
  });
  if (open.length < FOLD_AT_ENTRIES) return { journal: rest(), folds: [], again: false };
  const perChunk = new Map<number, number>();
  for (const { transition } of open) {
    const no = chunkOf(transition.index);
    perChunk.set(no, (perChunk.get(no) ?? 0) + 1);
  }
  const busiest = [...perChunk].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([no]) => no);
  const folds = busiest
    .filter((no) => draft.chunk(no) !== undefined)
    .slice(0, CHUNKS_PER_PASS_MAX)
    .map((no): ChunkFold => {
      const chunk = draft.chunk(no);
      invariant(chunk !== undefined, `chunk ${no} is at hand`);
      const expectedVersion = draft.summaries()[no]?.version ?? 0;
      draft.markFolded(no, journal.nextSeq);
      return { no, expectedVersion, chunk: cloneChunk(chunk), length: chunkLength(draft.size, no) };
    });
  return { journal: rest(), folds, again: folds.length === 0 };
}
