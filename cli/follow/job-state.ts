import { parseStatusIndexes } from '../../shared/domain/base/index-set.ts';
import { indexText } from '../../shared/domain/base/shown-index.ts';
import { ANNOTATIONS, HELD_CONDITION } from '../../shared/domain/manifests/annotations.ts';
import { indexesToSucceed } from '../../shared/domain/manifests/selection.ts';
import { type Job, type JobFailures, type Progress, conditionOf } from '../client/api-objects.ts';
import { endOf, failureOf, verdictOf } from '../client/job-end.ts';
import { INDEX_STATES, type IndexBoard, type IndexState, codeOf } from '../render/grid.ts';
import type { NamedIndexes } from '../render/named-indexes.ts';
import { dependenciesOf } from '../../shared/domain/manifests/job-graph.ts';
import { type Sample, addSample, paceOf } from '../render/pace.ts';
import type { JobProgress, Phase } from '../render/progress.ts';

/** All that is known about one Job. Each picture shows one moment. */
export class JobState {
  #progress: Progress;
  #samples: readonly Sample[];
  #failures: JobFailures | null = null;
  #lost: string | null = null;

  constructor(progress: Progress, nowMs: number) {
    this.#progress = progress;
    this.#samples = addSample([], { atMs: nowMs, succeeded: progress.counts.succeeded });
  }

  hearProgress(progress: Progress, nowMs: number): void {
    this.#progress = progress;
    this.#lost = null;
    this.#samples = addSample(this.#samples, { atMs: nowMs, succeeded: progress.counts.succeeded });
  }

  /** null: the server does not report it. */
  hearFailures(failures: JobFailures | null): void {
    this.#failures = failures;
  }

  hearNothing(why: string): void {
    this.#lost = why;
  }

  /** Something may have a reason not to run, with times that change. */
  mayWait(): boolean {
    const { counts, job } = this.#progress;
    return !isOver(phaseOf(job)) && counts.starting + counts.waiting + counts.retrying > 0;
  }

  /** Changes when there are more failures; 0 if there are none. */
  failedSoFar(): number {
    const { failedAttempts, retrying, failed } = this.#progress.counts;
    return failedAttempts + retrying + failed;
  }

  progress(): JobProgress {
    const { job, counts } = this.#progress;
    const { metadata, status, spec } = job;
    const phase = phaseOf(job);
    return {
      namespace: metadata.namespace,
      name: metadata.name,
      phase,
      message: isOver(phase) ? '' : failureOf(job) || achievementOf(job), // the verdict includes the reason
      total: spec.completions === undefined ? null : spec.completions - counts.excluded - counts.cancelled,
      counts,
      board: boardOf(this.#progress),
      named: namedOf(this.#progress),
      startedAtMs: status.startTime ?? null,
      endedAtMs: endOf(job),
      rate: paceOf(this.#samples),
      waits: isOver(phase) ? null : waitsOf(this.#progress),
      failure: isOver(phase) || this.#failures === null ? null : firstFailure(this.#failures),
      dependencies: dependenciesOf(metadata.annotations),
      lost: this.#lost,
    };
  }
}

/** Why remaining work waits. A server that says nothing more of it says in a condition which Jobs are waited for. */
function waitsOf({ job, waits: { summary, waits } }: Progress): JobProgress['waits'] {
  if (summary !== null) return { text: summary, causes: waits.map(({ cause }) => cause).join(' ') };
  const held = conditionOf(job, HELD_CONDITION);
  return held === undefined ? null : { text: held.message, causes: held.message };
}

/** Progress from the Job alone, for a server that reports nothing more. */
export function progressOf(job: Job): Progress {
  const { metadata, status, spec } = job;
  const starting = Math.max(status.active - status.ready, 0);
  const busy = status.active + status.terminating;
  const completions = spec.completions ?? 0;
  const total = indexesToSucceed(completions, metadata.annotations[ANNOTATIONS.indexes], status.completedIndexes);
  return {
    job,
    counts: {
      succeeded: status.succeeded,
      running: status.active - starting,
      starting,
      stopping: status.terminating,
      retrying: 0,
      failed: 0,
      waiting: Math.max(total - status.succeeded - busy, 0),
      inherited: 0, // the Job alone does not tell
      excluded: completions - total,
      held: 0,
      cancelled: 0,
      failedAttempts: status.failed,
    },
    indexes:
      spec.completionMode === 'NonIndexed'
        ? null
        : { succeeded: status.completedIndexes, failed: status.failedIndexes },
    items: [],
    waits: { summary: null, waits: [] },
  };
}

/** The states that are shown with items, the most urgent last: it stands next to the cause of a failure. */
const NAMED_STATES = ['running', 'retrying', 'failed'] as const;

const namedOf = ({ items, counts }: Progress): readonly NamedIndexes[] =>
  NAMED_STATES.map((state) => ({
    state,
    count: counts[state],
    first: items.filter((each) => each.state === state),
  }));

/** An example of a failure: from the first group that failed by itself. */
function firstFailure({ groups }: JobFailures): JobProgress['failure'] {
  const group = groups.find(({ stoppedWithJob }) => !stoppedWithJob) ?? groups[0];
  if (group === undefined) return null;
  const { cause, count, example } = group;
  const { index, item = null } = example;
  const who = index === undefined ? `Pod ${example.pod}` : indexText(index, item);
  const more = count === 1 ? '' : `; so did ${count - 1} more`;
  return { text: `${who}, attempt ${example.attempt} failed: ${cause}${more}`, log: example.log };
}

function boardOf({ indexes, job }: Progress): IndexBoard | null {
  if (indexes === null) return null;
  const board = new Uint8Array(job.spec.completions ?? 0);
  for (const state of INDEX_STATES) fill(board, indexes[state] ?? '', state);
  return board;
}

function fill(board: IndexBoard, indexes: string, state: IndexState): void {
  const { edges } = parseStatusIndexes(indexes, board.length);
  for (let i = 0; i < edges.length; i += 2) board.fill(codeOf(state), edges[i], edges[i + 1]);
}

/** How far a Job has come, in one word. */
export function phaseOf(job: Job): Phase {
  const verdict = verdictOf(job);
  if (verdict !== null) return verdict;
  if (job.metadata.deletionTimestamp !== undefined) return 'ending';
  if (conditionOf(job, 'FailureTarget') !== undefined) return 'ending';
  if (conditionOf(job, 'SuccessCriteriaMet') !== undefined) return goesOn(job) ? 'running' : 'ending';
  if (conditionOf(job, 'Suspended') !== undefined) return 'suspended';
  if (conditionOf(job, HELD_CONDITION) !== undefined) return 'held';
  return job.status.startTime === undefined ? 'waiting' : 'running';
}

/** Its success policy is met, and its Pods are not stopped. */
const goesOn = (job: Job): boolean => conditionOf(job, 'SuccessCriteriaMet') !== undefined && job.status.active > 0;

const isOver = (phase: Phase): boolean => phase === 'complete' || phase === 'failed';

/** That a Job has succeeded whose Pods go on, in the server's words; empty: it has not, or they do not. */
function achievementOf(job: Job): string {
  const met = conditionOf(job, 'SuccessCriteriaMet');
  return met === undefined || !goesOn(job) ? '' : `${met.reason}: ${met.message}; its Pods go on`;
}
