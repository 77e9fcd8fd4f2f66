import { type EpochMs, asTime, later } from '../../../../domain/base/time.ts';
import type { FurikoPart } from '../furiko-job.ts';
import { indexHash } from '../index-hash.ts';
import { type ParallelIndex, indexCount, parallelIndexAt } from '../parallel-index.ts';
import type { IndexRecord } from '../../../../domain/scoreboard/index-record.ts';
import type { Status } from '../../../../domain/scoreboard/status.ts';
import { type Course, courseOf } from './course.ts';
import { type Counters, type IndexStanding, countIndexes, indexStanding, isRunning } from './index-standing.ts';
import { type JobStanding, type Latest, standingOfJob } from './job-condition.ts';
import { type TaskFacts, type TaskRef, taskRef } from './task-ref.ts';

/** A Job with more indexes is shown without its tasks and indexes: an answer must come within a second. */
export const SHOWN_INDEXES_MAX = 1000;

/** What a Job's status is made of. */
export type FurikoStanding = {
  readonly part: FurikoPart;
  readonly createdAt: EpochMs;
  readonly status: Status;
  /** The board; null: there is no such record yet. */
  readonly record: (index: number) => IndexRecord | null;
  /** In any order; none of a Job with more than {@link SHOWN_INDEXES_MAX} indexes. */
  readonly tasks: readonly TaskFacts[];
};

/** A Job's status as Furiko has it. */
export type FurikoStatus = JobStanding & {
  readonly startTime?: string;
  readonly createdTasks: number;
  readonly runningTasks: number;
  readonly tasks?: readonly TaskRef[];
  /** Ours: it has more than are shown. */
  readonly tasksTruncated?: true;
  /** Only if it has a parallelism block. */
  readonly parallelStatus?: {
    readonly complete: boolean;
    readonly successful?: boolean;
    readonly indexes: readonly (IndexStanding & { readonly index: ParallelIndex; readonly hash: string })[];
    readonly indexesTruncated?: true;
  };
};

const NOT_MADE: IndexStanding = { state: 'NotCreated', createdTasks: 0 };

/** The status that Furiko would have written for a Job, but for what docs/furiko.md lists. */
export function furikoStatus(standing: FurikoStanding): FurikoStatus {
  const { part, createdAt, status, tasks } = standing;
  const { parallelism } = part.spec.template;
  const course = courseOf(status, parallelism);
  const { indexes, counters, runningTasks } = indexesOf(standing, course);
  const isTruncated = counters.indexes > SHOWN_INDEXES_MAX;
  const refs = tasks
    .toSorted((a, b) => a.createdAt - b.createdAt || a.index - b.index || a.attempt - b.attempt)
    .map((task) => taskRef(task, { parallelism, course, phase: status.phase }));
  const latest = latestOf(tasks);
  return {
    ...standingOfJob({ part, createdAt, course, counters, latest }),
    ...(status.startTime === null ? {} : { startTime: asTime(status.startTime) }),
    createdTasks: counters.tasks,
    runningTasks,
    ...(isTruncated ? { tasksTruncated: true } : refs.length === 0 ? {} : { tasks: refs }),
    ...(parallelism === undefined
      ? {}
      : {
          parallelStatus: {
            ...completion(course),
            indexes: indexes.map((each, no) => {
              const index = parallelIndexAt(parallelism, no);
              return { index, hash: indexHash(index), ...each };
            }),
            ...(isTruncated ? { indexesTruncated: true } : {}),
          },
        }),
  };
}

/** All indexes are counted; `indexes` has them unless they are too many to be shown. */
function indexesOf({ part, record }: FurikoStanding, course: Course) {
  const count = indexCount(part.spec.template.parallelism);
  const indexes: IndexStanding[] = [];
  let runningTasks = 0;
  const all = function* (): Generator<IndexStanding> {
    for (let index = 0; index < count; index++) {
      const found = record(index);
      const standing = found === null ? NOT_MADE : indexStanding(found, course);
      if (found !== null && isRunning(found)) runningTasks++;
      if (count <= SHOWN_INDEXES_MAX) indexes.push(standing);
      yield standing;
    }
  };
  const counters: Counters = countIndexes(all());
  return { indexes, counters, runningTasks };
}

/** By the strategy: a Job that was killed is not complete. */
function completion(course: Course): { readonly complete: boolean; readonly successful?: boolean } {
  if (course.kind !== 'decided' || course.result === 'Killed') return { complete: false };
  return { complete: true, successful: course.result === 'Success' };
}

function latestOf(tasks: readonly TaskFacts[]): Latest {
  const newest = (timeOf: (task: TaskFacts) => EpochMs | null): EpochMs | null =>
    tasks.reduce<EpochMs | null>((last, task) => {
      const at = timeOf(task);
      return at === null ? last : last === null ? at : later(last, at);
    }, null);
  return {
    created: newest(({ createdAt }) => createdAt),
    running: newest((task) => (task.kind === 'live' ? task.runningAt : task.record.times.startedAt)),
    finished: newest((task) => (task.kind === 'live' ? null : (task.record.times.stoppedAt ?? task.createdAt))),
  };
}
