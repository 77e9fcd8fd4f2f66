import { CHUNK_INDEXES, isStopped } from '../../domain/scoreboard/board.ts';
import { asTime } from '../../domain/base/time.ts';
import { formatIndexSet, indexSetOf } from '../../domain/base/index-set.ts';
import type { IndexRecord } from '../../domain/scoreboard/index-record.ts';
import { planningSpec } from '../../domain/spec/job.ts';
import { type Status, isEnding, isOver, tally, tallyWithin } from '../../domain/scoreboard/status.ts';
import { chunksForWaits } from '../../domain/pending/waits.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { type JobView, type PublishingReads, chunksForSummary, readShownJob } from '../jobs/job-view.ts';
import { type JobObject, renderJob } from '../jobs/render-job.ts';
import { renderWaits, waitsOfView } from './render-waits.ts';

/** For larger Jobs, only successes and final failures are listed by index: those are read anyway. */
const CHUNKS_MAX = 4;

/** What an index is doing, as a viewer sees it. */
const STATES = ['starting', 'running', 'stopping', 'retrying', 'failed', 'succeeded'] as const;
type ShownState = (typeof STATES)[number] | 'waiting';

/**
 * A Job's progress, all of one moment: the Job itself, counts, the state of each index, and why something waits. A view that
 * combined several answers would contradict itself. null: the Job does not exist.
 */
export async function findProgress(namespace: string, name: string, reads: PublishingReads) {
  const uid = await reads.jobs.findJob(namespace, name);
  const view = uid === null ? null : await readShownJob(uid, reads, chunksForProgress);
  if (view === null) return null;
  const pace = await reads.launchPace();
  const job = renderJob(view);
  const waits = renderWaits(view, await waitsOfView(view, pace, reads), pace);
  return {
    apiVersion: 'muster.run/v1',
    kind: 'JobProgress',
    metadata: waits.metadata,
    asOf: asTime(pace.now),
    job,
    counts: countsOf(view),
    /** By state; the others wait. null: its Pods have no indexes. */
    indexes: indexesOf(view, job),
    waits: { summary: waits.summary, waits: waits.waits },
  };
}

function chunksForProgress(status: Status, spec: StoredSpec): readonly number[] {
  const mixed = [...chunksForSummary(status, spec), ...chunksForWaits(status, planningSpec(spec.manifest))];
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
  const busy = all.starting + all.running + all.waiting;
  const left = completions === undefined ? 0 : Math.max(completions - all.succeeded - all.failed - busy - again, 0);
  const isDone = isOver(status.phase);
  return {
    succeeded: all.succeeded,
    running,
    starting,
    /** Including those that were already replaced. */
    stopping: stopping + status.replacedTasks.length,
    retrying: all.waiting + (isDone ? 0 : again),
    /** Indexes that are not retried. */
    failed: all.failed + (isDone ? again : 0),
    /** In a Job that is over: never tried. */
    waiting: left,
    failedAttempts: status.failed,
  };
}

/** Without a Pod, and tried before, as far as chunks are loaded. */
function pendingAgain({ spec, status, board }: Pick<JobView, 'spec' | 'status' | 'board'>): number {
  const { completions = status.size } = spec.manifest.spec;
  let count = 0;
  for (const no of status.chunks.keys()) {
    const chunk = board.chunk(no);
    if (chunk === undefined) continue;
    for (const [offset, { failures, ignored }] of chunk.extras)
      if (chunk.states[offset] === 0 && failures + ignored > 0 && no * CHUNK_INDEXES + offset < completions) count++;
  }
  return count;
}

function indexesOf({ spec, status, board }: JobView, { status: told }: JobObject) {
  const { completions = 0, completionMode } = spec.manifest.spec;
  if (completionMode === 'NonIndexed') return null;
  const found = new Map<ShownState, number[]>(STATES.map((state) => [state, []]));
  const isLarge = status.chunks.length > CHUNKS_MAX;
  for (let index = 0; index < completions && !isLarge; index++) {
    const record = board.record(index);
    if (record !== null) found.get(shownState(record, status))?.push(index);
  }
  const texts = STATES.map((state) => [state, formatIndexSet(indexSetOf(found.get(state) ?? []))] as const);
  return {
    ...Object.fromEntries<string>(texts),
    ...(isLarge ? { succeeded: told.completedIndexes ?? '', failed: told.failedIndexes ?? '' } : {}),
  };
}

function shownState(record: IndexRecord, { phase }: Status): ShownState {
  const { state, failures, ignored } = record;
  const isStopping = isStopped(record) || isEnding(phase);
  switch (state) {
    case 'succeeded':
    case 'failed':
      return state;
    case 'pending':
      if (failures + ignored === 0) return 'waiting';
      return isOver(phase) ? 'failed' : 'retrying';
    case 'waiting':
      return 'retrying';
    case 'claimed':
    case 'launched':
      return isStopping ? 'stopping' : 'starting';
    case 'running':
      return isStopping ? 'stopping' : 'running';
  }
}
