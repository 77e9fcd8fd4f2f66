import {
  type IndexSet,
  NO_INDEXES,
  formatIndexSet,
  indexSetOf,
  intervalsWithin,
  union,
} from '../../domain/base/index-set.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { normal, withEvent } from '../../domain/events/job-events.ts';
import { CHUNK_INDEXES } from '../../domain/scoreboard/board.ts';
import { type IndexAction, type IndexEffect, changeIndex } from '../../domain/scoreboard/index-changes.ts';
import { extendJournal, foldJournal } from '../../domain/scoreboard/journal.ts';
import { type JobEvent, summariesFor } from '../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import { FOLD_AT_ENTRIES } from '../../domain/base/timing.ts';
import { boardSize, isOwn } from '../../domain/manifests/job.ts';
import type { Asker, IndexChanges, SeenJob, WantedIndexes } from '../../ports/job-commands.ts';
import { ANNOTATIONS } from '../../domain/manifests/annotations.ts';
import { annotationPath } from '../../schema/job/selection-rules.ts';
import { type FieldError, invalid } from '../../schema/object/field-error.ts';
import { chunksAt } from '../../store/chunks-at.ts';
import { isOneRevision } from '../../store/read-job.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';
import { TRIES_MAX, liveJob, nextVersion, publishAndWake, publishedSeq } from './live-job.ts';

/** By what came of it. */
type Effects = Record<IndexEffect, IndexSet>;

const NO_EFFECTS: Effects = { done: NO_INDEXES, later: NO_INDEXES, already: NO_INDEXES, settled: NO_INDEXES };

type Stepped = { readonly kind: 'ok'; readonly effects: Effects; readonly seen: SeenJob } | Refused;
type Refused = Exclude<IndexChanges, { readonly kind: 'changed' }>;

/**
 * Holds, releases, cancels, or requeues some of a Job's indexes: one conditional commit for each chunk of the board, so a request
 * that was answered is stored, and one that was cut off can be repeated. The next pass stops what has to be stopped.
 */
export async function changeIndexes(
  uid: JobUid,
  wanted: WantedIndexes,
  deps: Deps,
  by: Asker = null,
): Promise<IndexChanges> {
  let effects = NO_EFFECTS;
  let last: SeenJob | null = null;
  let isSaid = false;
  const asked = eventOf(wanted, by);
  for (const no of chunksOf(wanted.indexes)) {
    const step = await retryOnConflict(`Job ${uid}`, TRIES_MAX, async () =>
      changeChunk(uid, no, wanted, isSaid ? null : asked, deps),
    );
    if (step.kind !== 'ok') return step;
    // What watchers are to learn of is in STATUS until it is published, and a million indexes would not fit.
    if (step.seen.status.journal.entries.length > FOLD_AT_ENTRIES && !wanted.isDry)
      await deps.publisher.publish(step.seen.spec.identity, step.seen.status);
    effects = merged(effects, step.effects);
    isSaid ||= step.effects.done.edges.length + step.effects.later.edges.length > 0;
    last = step.seen;
  }
  if (last !== null && isSaid && !wanted.isDry) await publishAndWake(last.spec.identity, last.status, deps);
  return { kind: 'changed', effects };
}

function chunksOf({ edges }: IndexSet): readonly number[] {
  const last = edges.at(-1) ?? 0;
  const chunks = Array.from({ length: Math.ceil(last / CHUNK_INDEXES) }, (_, no) => no);
  return chunks.filter((no) => withinChunk({ edges }, no).length > 0);
}

const withinChunk = (set: IndexSet, no: number) => intervalsWithin(set, no * CHUNK_INDEXES, (no + 1) * CHUNK_INDEXES);

/** One chunk's part, with the Event that says it; null: it was said. 'conflict': others committed meanwhile. */
async function changeChunk(
  uid: JobUid,
  no: number,
  { action, indexes, isDry }: WantedIndexes,
  asked: JobEvent | null,
  deps: Deps,
): Promise<Stepped | 'conflict'> {
  const seen = await liveJob(uid, deps);
  if (seen === null) return { kind: 'gone' };
  const { spec, status } = seen;
  if (!isOneRevision(spec, status)) return 'conflict';
  const refused = refusalOf(seen, action, indexes);
  if (refused !== null) return refused;
  const job = toJob(spec);
  const { selection } = job.spec;
  const size = boardSize(job.spec, status.size);
  const grown = { ...status, size, chunks: summariesFor(size, status.chunks, selection) };
  const { chunks, mismatch } = await chunksAt(
    uid,
    grown,
    { nos: [no], selection },
    { jobs: deps.jobs, cache: deps.cache.chunks },
  );
  if (mismatch !== null) return 'conflict';
  const board = new WorkingBoard(grown, chunks);
  const effects = applied(board, action, withinChunk(indexes, no));
  if (isDry || board.transitions.length === 0) return { kind: 'ok', effects, seen };
  const {
    folds,
    journal,
    chunks: summaries,
  } = foldJournal(board, extendJournal(grown.journal, board.transitions), publishedSeq(seen, deps));
  const next = {
    ...nextVersion(grown, deps.clock.now()),
    chunks: summaries,
    journal,
    restarts: board.restarts,
    // What is to be stopped is stopped by the next pass, not in the round after this one.
    stopRound: null,
  };
  const said = asked === null ? next : withEvent(next, asked);
  const committed = await deps.jobs.commitPass(uid, said, folds);
  if (committed.kind === 'lost') return 'conflict';
  for (const { no: of, expectedVersion, chunk } of folds) deps.cache.chunks.set(uid, of, expectedVersion + 1, chunk);
  return { kind: 'ok', effects, seen: { spec, status: said } };
}

function applied(board: WorkingBoard, action: IndexAction, intervals: readonly (readonly [number, number])[]): Effects {
  const found: Record<IndexEffect, number[]> = { done: [], later: [], already: [], settled: [] };
  for (const [first, after] of intervals)
    for (let index = first; index < after; index++) found[changeIndex(board, action, index)].push(index);
  return {
    done: indexSetOf(found.done),
    later: indexSetOf(found.later),
    already: indexSetOf(found.already),
    settled: indexSetOf(found.settled),
  };
}

const merged = (a: Effects, b: Effects): Effects => ({
  done: union(a.done, b.done),
  later: union(a.later, b.later),
  already: union(a.already, b.already),
  settled: union(a.settled, b.settled),
});

/** Why nothing can be done to these indexes of this Job; null: it can. */
function refusalOf({ spec: { manifest }, status }: SeenJob, action: IndexAction, indexes: IndexSet): Refused | null {
  const { completionMode, completions = 0, managedBy } = manifest.spec;
  const bad = (fault: FieldError): Refused => ({ kind: 'invalid', errors: [fault] });
  if (completionMode !== 'Indexed')
    return bad(
      invalid(
        'spec.completionMode',
        completionMode,
        'must be Indexed: the Pods of this Job have no indexes to choose from',
      ),
    );
  if (!isOwn(manifest))
    return bad(
      invalid(
        'spec.managedBy',
        managedBy,
        'another controller runs this Job, and only that one can change its indexes',
      ),
    );
  const gang = manifest.metadata.annotations?.[ANNOTATIONS.gang];
  if (action === 'hold' && gang !== undefined)
    return bad(
      invalid(
        annotationPath(ANNOTATIONS.gang),
        gang,
        'its indexes run together, so none of them can be held back alone',
      ),
    );
  const last = (indexes.edges.at(-1) ?? 0) - 1;
  if (last >= completions)
    return bad(invalid('indexes', formatIndexSet(indexes), `index ${last} does not exist: 0 to ${completions - 1} do`));
  const { kind } = status.phase;
  return kind === 'running' || kind === 'suspended' || kind === 'regrouping' ? null : { kind: 'over', phase: kind };
}

const REASONS: Readonly<Record<IndexAction, string>> = {
  hold: 'IndexesHeld',
  release: 'IndexesReleased',
  cancel: 'IndexesCancelled',
  requeue: 'IndexesRequeued',
};

/** Event messages of Kubernetes have 1,024 characters at most; a list of indexes is as long as its gaps are many. */
const EVENT_CHARS_MAX = 200;

function eventOf({ action, indexes }: WantedIndexes, by: Asker): JobEvent {
  const text = formatIndexSet(indexes);
  const shown = text.length <= EVENT_CHARS_MAX ? text : `${text.slice(0, EVENT_CHARS_MAX - 1)}…`;
  return normal(REASONS[action], `${by ?? 'A user'} asked to ${action} indexes ${shown}`);
}
