import { CHUNK_INDEXES } from '../../domain/scoreboard/board.ts';
import { shortItem } from '../../domain/base/shown-index.ts';
import { jobItemsOf } from '../../domain/items/job-items.ts';
import { asTime } from '../../domain/base/time.ts';
import {
  type IndexSet,
  formatIndexSet,
  has,
  indexSetOf,
  intersect,
  parseStatusIndexes,
  size,
  subtract,
} from '../../domain/base/index-set.ts';
import { SHOWN_STATES, type ShownState, shownState } from '../../domain/scoreboard/shown-state.ts';
import { allIndexes } from '../../domain/manifests/selection.ts';
import { type Status, type Tally, isEnding, isOver, tally, tallyWithin } from '../../domain/scoreboard/status.ts';
import { chunksForWaits } from '../../domain/pending/waits.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { toJob } from '../../store/to-job.ts';
import { readItemValues } from '../../store/read-items.ts';
import { type JobView, type PublishingReads, type Reads, chunksForSummary, readShownJob } from '../jobs/job-view.ts';
import { type JobObject, renderJob } from '../jobs/render-job.ts';
import { renderWaits, waitsOfView } from './render-waits.ts';

/** For larger Jobs, only successes and final failures are listed by index: those are read anyway. */
const CHUNKS_MAX = 4;

/** All but waiting, which is the rest. */
const STATES = SHOWN_STATES.filter((state) => state !== 'waiting');

/**
 * A Job's progress, all of one moment: the Job itself, counts, the state of each index, and why something waits. A view that
 * combined several answers would contradict itself. null: the Job does not exist.
 */
export async function findProgress(namespace: string, name: string, reads: PublishingReads) {
  const uid = await reads.jobs.findJob(namespace, name);
  const view = uid === null ? null : await readShownJob(uid, reads, chunksForProgress);
  if (view === null) return null;
  const pace = await reads.launchPace();
  const job = renderJob({ ...view, shown: null });
  const indexes = indexesOf(view, job);
  const waits = renderWaits(view, await waitsOfView(view, pace, reads), pace);
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobProgress',
    metadata: waits.metadata,
    asOf: asTime(pace.now),
    job,
    counts: countsOf(view),
    /** By state; the others wait. null: its Pods have no indexes. */
    indexes,
    /** What some of them work on: those that run or have failed. Cut if it is long. */
    items: await itemsOf(indexes, view, reads),
    waits: { summary: waits.summary, waits: waits.waits },
  };
}

function chunksForProgress(status: Status, spec: StoredSpec): readonly number[] {
  const mixed = [...chunksForSummary(status, spec), ...chunksForWaits(status, toJob(spec).spec)];
  const all = status.chunks.length <= CHUNKS_MAX ? status.chunks.map((_, no) => no) : [];
  return [...new Set([...mixed, ...all])];
}

/** Indexes (in a Job without them: Pods) by state; `failedAttempts` counts attempts. */
function countsOf({ spec, status, board }: JobView) {
  const { completions, completionMode } = spec.manifest.spec;
  const isCut = completionMode === 'Indexed' && completions !== undefined && completions < status.size;
  const all = isCut ? tallyWithin(status.chunks, completions, (no) => board.chunk(no)) : tally(status.chunks);
  const stopping = isEnding(status.phase) ? all.starting + all.running : all.stopping;
  const running = isEnding(status.phase) ? 0 : Math.max(all.running - all.stopping, 0);
  const starting = all.starting + all.running - stopping - running;
  const again = pendingAgain({ spec, status, board });
  const busy = all.starting + all.running + all.waiting + all.held;
  const cancelled = cancelledIn(spec, all);
  const settled = all.succeeded + all.failed + all.excluded;
  const left = completions === undefined ? 0 : Math.max(completions - settled - busy - again, 0);
  const isDone = isOver(status.phase);
  return {
    succeeded: all.succeeded,
    /** Of these, how many have succeeded in the Job that this one repeats. */
    inherited: size(inheritedOf(spec)),
    running,
    starting,
    /** Including those that were already replaced. */
    stopping: stopping + status.replacedTasks.length,
    retrying: all.waiting + (isDone ? 0 : again),
    /** Indexes that are not retried. */
    failed: all.failed + (isDone ? again : 0),
    /** In a Job that is over: never tried. */
    waiting: left,
    /** Never to run in this Job; they are not among its completions. */
    excluded: all.excluded - cancelled,
    /** Without a Pod, and held back by a user. */
    held: all.held,
    /** Given up by a user; they are not among its completions. */
    cancelled,
    failedAttempts: status.failed,
  };
}

/** Of the indexes that never run, those that were not excluded from the start. */
function cancelledIn(spec: StoredSpec, { excluded }: Pick<Tally, 'excluded'>): number {
  const { completions = 0 } = spec.manifest.spec;
  return excluded - size(intersect(toJob(spec).spec.selection.excluded, allIndexes(completions)));
}

/** Without a Pod, and tried before, as far as chunks are loaded. */
function pendingAgain({ spec, status, board }: Pick<JobView, 'spec' | 'status' | 'board'>): number {
  const { completions = status.size } = spec.manifest.spec;
  let count = 0;
  for (const no of status.chunks.keys()) {
    const chunk = board.chunk(no);
    if (chunk === undefined) continue;
    for (const [offset, { failures, ignored, held }] of chunk.extras)
      if (chunk.states[offset] === 0 && !held && failures + ignored > 0 && no * CHUNK_INDEXES + offset < completions)
        count++;
  }
  return count;
}

/** The states whose indexes are named, and how many of each. */
const NAMED_STATES = ['running', 'retrying', 'failed'] as const;
const NAMED_MAX = 8;
const ITEM_COLUMNS_MAX = 80;

/** Neighbors are in one run of the list, and runs are remembered, so this costs a read for each few hundred indexes. */
async function itemsOf(indexes: ReturnType<typeof indexesOf>, { spec }: JobView, reads: Reads) {
  if (indexes === null || jobItemsOf(spec.manifest) === null) return [];
  const { completions = 0 } = spec.manifest.spec;
  const named = NAMED_STATES.flatMap((state) =>
    firstOf(parseStatusIndexes(indexes[state] ?? '', completions), NAMED_MAX).map((index) => ({ state, index })),
  );
  const items = await readItemValues(
    spec.manifest,
    named.map(({ index }) => index),
    reads,
  );
  return named.flatMap(({ state, index }) => {
    const item = items.get(index);
    return item === undefined ? [] : [{ state, index, item: shortItem(item.line, ITEM_COLUMNS_MAX) }];
  });
}

/** The lowest indexes of a set. */
function firstOf({ edges }: IndexSet, max: number): readonly number[] {
  const first: number[] = [];
  for (let i = 0; i < edges.length; i += 2)
    for (let index = edges[i] ?? 0; index < (edges[i + 1] ?? 0) && first.length < max; index++) first.push(index);
  return first;
}

function indexesOf(
  { spec, status, board }: JobView,
  { status: told }: JobObject,
): Readonly<Record<string, string>> | null {
  const { completions = 0, completionMode } = spec.manifest.spec;
  if (completionMode === 'NonIndexed') return null;
  const found = new Map<ShownState, number[]>(STATES.map((state) => [state, []]));
  const isLarge = status.chunks.length > CHUNKS_MAX;
  const { excluded } = toJob(spec).spec.selection;
  for (let index = 0; index < completions && !isLarge; index++) {
    const record = board.record(index);
    if (record === null) continue;
    const state = shownState(record, status);
    found.get(state === 'excluded' && !has(excluded, index) ? 'cancelled' : state)?.push(index);
  }
  const texts = STATES.map((state) => [state, formatIndexSet(indexSetOf(found.get(state) ?? []))] as const);
  return {
    ...Object.fromEntries<string>(texts),
    ...(isLarge ? settledIndexes(spec, told) : {}),
  };
}

/** Of a large Job, what is known without its board. */
function settledIndexes(spec: StoredSpec, { completedIndexes = '', failedIndexes = '' }: JobObject['status']) {
  const { completions = 0 } = spec.manifest.spec;
  const inherited = inheritedOf(spec);
  return {
    succeeded: formatIndexSet(subtract(parseStatusIndexes(completedIndexes, completions), inherited)),
    failed: failedIndexes,
    inherited: formatIndexSet(inherited),
    excluded: formatIndexSet(toJob(spec).spec.selection.excluded),
  };
}

/** Those of the Job's indexes that have succeeded without running in it. */
const inheritedOf = (spec: StoredSpec): IndexSet =>
  intersect(toJob(spec).spec.selection.inherited, allIndexes(spec.manifest.spec.completions ?? 0));
