import { parseStatusIndexes } from '../shared/domain/index-set.ts';
import { type Job, type JobWaits, type Pod, conditionOf } from './api-objects.ts';
import { attemptOf, stateOf } from './pod-attempt.ts';
import { type IndexBoard, type IndexState, codeOf } from './render/grid.ts';
import { type Sample, addSample, paceOf } from './render/pace.ts';
import type { Counts, JobProgress, Phase } from './render/progress.ts';

/**
 * All that was heard of one Job. The Job says what has succeeded and how many there are of everything; which index is at
 * work is known from Pods, where they are followed.
 */
export class JobState {
  readonly #indexes = new Map<number, { readonly attempt: number; readonly state: IndexState }>();
  #job: Job;
  #samples: readonly Sample[];
  #waits: JobWaits | null = null;
  #lost: string | null = null;

  constructor(job: Job, nowMs: number) {
    this.#job = job;
    this.#samples = addSample([], { atMs: nowMs, succeeded: job.status.succeeded });
  }

  get job(): Job {
    return this.#job;
  }

  hearJob(job: Job, nowMs: number): void {
    this.#job = job;
    this.#lost = null;
    this.#samples = addSample(this.#samples, { atMs: nowMs, succeeded: job.status.succeeded });
  }

  hearPod(pod: Pod, type: 'ADDED' | 'MODIFIED' | 'DELETED'): void {
    const read = attemptOf(pod);
    if (read === null || read.index === null) return;
    const { index, attempt } = read;
    const known = this.#indexes.get(index);
    if (known !== undefined && known.attempt > attempt) return; // an older attempt's end
    if (type === 'DELETED') this.#indexes.delete(index);
    else this.#indexes.set(index, { attempt, state: stateOf(pod) });
  }

  /** A list of all Pods follows: what is not in it is not there. */
  forgetPods(): void {
    this.#indexes.clear();
  }

  /** null: it cannot be known. */
  hearWaits(waits: JobWaits | null): void {
    this.#waits = waits;
  }

  /** There is something that may have a reason not to run. */
  mayWait(): boolean {
    return !isOver(phaseOf(this.#job)) && waitingIn(this.#counts()) > 0;
  }

  hearNothing(why: string): void {
    this.#lost = why;
  }

  progress(): JobProgress {
    const { metadata, status, spec } = this.#job;
    const phase = phaseOf(this.#job);
    return {
      namespace: metadata.namespace,
      name: metadata.name,
      phase,
      message: isOver(phase) ? '' : messageOf(this.#job), // whoever says that it is over says why
      total: spec.completions ?? null,
      counts: this.#counts(),
      board: this.#board(phase),
      startedAtMs: status.startTime ?? null,
      endedAtMs: endOf(this.#job),
      rate: paceOf(this.#samples),
      waits: this.#waitsInWords(),
      lost: this.#lost,
    };
  }

  #counts(): Counts {
    const { status, spec } = this.#job;
    const total = spec.completions ?? null;
    const starting = Math.max(status.active - status.ready, 0);
    const busy = status.active + status.terminating;
    return {
      succeeded: status.succeeded,
      running: status.active - starting,
      starting,
      stopping: status.terminating,
      waiting: total === null || isOver(phaseOf(this.#job)) ? 0 : Math.max(total - status.succeeded - busy, 0),
      failed: status.failed,
    };
  }

  #waitsInWords(): JobProgress['waits'] {
    const text = this.#waits?.summary ?? null;
    if (text === null || !this.mayWait()) return null;
    return { text, causes: (this.#waits?.waits ?? []).map(({ cause }) => cause).join(' ') };
  }

  #board(phase: Phase): IndexBoard | null {
    const { spec, status } = this.#job;
    if (spec.completionMode === 'NonIndexed') return null;
    const size = spec.completions ?? 0;
    const board = new Uint8Array(size);
    for (const [index, { state }] of this.#indexes) if (index < size) board[index] = codeOf(endState(state, phase));
    fill(board, status.failedIndexes, 'failed');
    fill(board, status.completedIndexes, 'succeeded');
    return board;
  }
}

function fill(board: IndexBoard, indexes: string, state: IndexState): void {
  const { edges } = parseStatusIndexes(indexes, board.length);
  for (let i = 0; i < edges.length; i += 2) board.fill(codeOf(state), edges[i], edges[i + 1]);
}

/** Pods are heard of a moment before or after their Job: a Job that is over has none at work, and retries none. */
function endState(state: IndexState, phase: Phase): IndexState {
  // Counted is what the Job says: a Pod's success is shown when it is.
  if (state === 'succeeded') return isOver(phase) ? 'waiting' : 'running';
  if (!isOver(phase)) return state;
  return state === 'retrying' ? 'failed' : 'waiting';
}

export type Verdict = 'complete' | 'failed';

/** What has become of a Job; null: it is not over. */
export function verdictOf(job: Job): Verdict | null {
  if (conditionOf(job, 'Complete') !== undefined) return 'complete';
  return conditionOf(job, 'Failed') === undefined ? null : 'failed';
}

function phaseOf(job: Job): Phase {
  const verdict = verdictOf(job);
  if (verdict !== null) return verdict;
  if (job.metadata.deletionTimestamp !== undefined) return 'ending';
  if (conditionOf(job, 'FailureTarget') !== undefined || conditionOf(job, 'SuccessCriteriaMet') !== undefined)
    return 'ending';
  if (conditionOf(job, 'Suspended') !== undefined) return 'suspended';
  return job.status.startTime === undefined ? 'waiting' : 'running';
}

const waitingIn = ({ starting, waiting }: Counts): number => starting + waiting;

const isOver = (phase: Phase): boolean => phase === 'complete' || phase === 'failed';

/** Why a Job failed or is about to, in the server's words. */
export function messageOf(job: Job): string {
  const why = conditionOf(job, 'Failed') ?? conditionOf(job, 'FailureTarget');
  if (why === undefined) return '';
  return why.reason === '' ? why.message : `${why.reason}: ${why.message}`;
}

/** When a Job was over; null: it is not. A failed one has no completionTime. */
export const endOf = (job: Job): number | null =>
  job.status.completionTime ?? conditionOf(job, 'Failed')?.lastTransitionTime ?? null;
