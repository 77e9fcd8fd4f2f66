import { chunkOf, cloneChunk } from './board.ts';
import type { Draft } from './draft.ts';
import type { IndexState } from './index-record.ts';
import { invariant } from './invariant.ts';
import type { ChunkFold } from './plan.ts';
import { type Journal, type Status, chunkLength } from './status.ts';
import type { Step, Transition, TransitionOp } from './transition.ts';
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

/**
 * Pods that changed in journal entries from `sinceSeq` on, each once, as they are now. What was claimed and withdrawn
 * within them was never a Pod to anybody.
 */
export function podChanges({ entries }: Journal, sinceSeq: number): readonly PodChange[] {
  const changes = new Map<string, PodChange>();
  for (const { seq, transition } of entries) {
    if (seq < sinceSeq || transition.op === 'renonce') continue; // the Pod stays as it was
    const { index, attempt } = transition;
    const key = `${index}/${attempt}`;
    const before = changes.get(key);
    const state = stateAfter(transition, before?.state);
    if (state === 'gone' && before?.isNew === true) changes.delete(key);
    else {
      const isNew = transition.op === 'claim' || before?.isNew === true;
      changes.set(key, { index, attempt, state, ...(isNew ? { isNew } : {}) });
    }
  }
  return [...changes.values()];
}

/** An ended attempt whose index is pending again shows as pending: its Pod's end is in the attempt's record. */
const STATE_AFTER: Record<Exclude<TransitionOp, Lasting | 'released'>, IndexState> = {
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
};

type Lasting = 'stopping' | 'podDeleted' | 'evicted' | 'renonce';
/** The Pod's state stays what it was. */
const isLasting = (op: TransitionOp): op is Lasting =>
  op === 'renonce' || op === 'stopping' || op === 'podDeleted' || op === 'evicted';

function stateAfter(step: Step, before: PodChange['state'] | undefined): PodChange['state'] {
  if (isLasting(step.op)) return before ?? 'stopping';
  if (step.op === 'released' || ('gone' in step && step.gone === true)) return 'gone';
  return STATE_AFTER[step.op];
}

/** A Pod of which a row of the feed tells. */
export type PodChange = {
  readonly index: number;
  readonly attempt: number;
  /** `stopping`: it is being deleted, and its state is what it was; `gone`: there is no such Pod any more. */
  readonly state: IndexState | 'stopping' | 'gone';
  /** Nobody has been told of it before. */
  readonly isNew?: true | undefined;
};

/** As feeds keep them: steps from one index to the next take less room. */
export const inOrderOfPods = <P extends Pick<PodChange, 'index' | 'attempt'>>(pods: readonly P[]): readonly P[] =>
  pods.toSorted((a, b) => a.index - b.index || a.attempt - b.attempt);

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
