import type { EpochMs } from '../../../domain/base/time.ts';
import { invariant } from '../../../domain/base/invariant.ts';
import { CAUSE_WORDS } from '../../../domain/planner/ending.ts';
import type { Judgement } from '../../../domain/planner/plan.ts';
import { type IndexRecord, type IndexState, isInherited } from '../../../domain/scoreboard/index-record.ts';
import type { Verdict } from '../../../domain/scoreboard/status.ts';
import type { TaskView } from '../../../domain/task/task.ts';
import { type JobStatus, type TimelineEntry, secondsSince } from './timeline.ts';
import type { HowEnded, VirtualWorld } from './virtual-world.ts';
import { waitsFor } from './waits-for.ts';

/** What became of a simulated Job. */
export type SimulatedOutcome = {
  readonly report: Report;
  readonly end: End;
  /** By attempt of the report: what its end counted as, and by which rule; null: it was not counted yet. */
  readonly judgements: readonly (Judgement | null)[];
  /** By index (or slot): what it came to. */
  readonly board: readonly (IndexState | 'inherited')[];
};

/** What `muster simulate -o json` prints; all times in seconds since the Job was created. */
export type Report = {
  readonly final: JobStatus;
  readonly timeline: readonly TimelineEntry[];
  readonly attempts: readonly AttemptReport[];
  /** Of all tasks that have ended, from RUNNING to STOPPED. */
  readonly taskSeconds: number;
  /** null: the Job does not end. */
  readonly makespanSec: number | null;
};

export type AttemptReport = {
  readonly index: number;
  /** From 0, as in the script: the index's first task. */
  readonly attempt: number;
  /** null: it never ran. */
  readonly startSec: number | null;
  /** null: it still runs. */
  readonly endSec: number | null;
  /** One of {@link CAUSE_WORDS}, or Running. */
  readonly cause: string;
  readonly exitCode: number | null;
  /** Of a Job with a work list: the index's items, a line each. */
  readonly item?: string;
};

export type End =
  /** `decidedBy`: the index whose end decided; null: none did alone. */
  | { readonly kind: 'complete' | 'failed'; readonly decidedBy: number | null }
  | { readonly kind: 'deleted' }
  /** What it would wait for, for ever. */
  | { readonly kind: 'endless'; readonly waitsFor: string };

/** What was written down while a simulated Job ran. */
export type SimulatedCourse = {
  readonly start: EpochMs;
  readonly timeline: readonly TimelineEntry[];
  /** By {@link launchKey}: which of its index's tasks it was, from 0. */
  readonly tryOf: ReadonlyMap<string, number>;
  /** By index: its items. null: the Job has no work list. */
  readonly itemsOf: ((index: number) => readonly string[]) | null;
  readonly overAt: EpochMs | null;
  /** A Job that has finished may be deleted afterwards. */
  readonly finished: { readonly status: JobStatus; readonly verdict: Verdict } | null;
  /** Why the world has stopped. */
  readonly ended: HowEnded;
};

/** Reports what became of the Job of `world`. */
export function outcomeOf(world: VirtualWorld, course: SimulatedCourse): SimulatedOutcome {
  const view = world.view(({ chunks }) => chunks.map((_, no) => no));
  const { start, timeline, overAt, finished, ended } = course;
  const final = finished?.status ?? timeline.at(-1)?.status;
  invariant(view !== null && final !== undefined, 'a simulated Job is there to the end');
  const tasks = [...world.tasks.all.values()].map(({ view: task }) => task);
  const rows = tasks
    .map((task) => ({
      row: attemptReport(task, course),
      ranMs: ranMsOf(task),
      judgement: world.judgements.get(task.arn) ?? null,
    }))
    .sort((a, b) => a.row.index - b.row.index || a.row.attempt - b.row.attempt);
  return {
    report: {
      final,
      timeline,
      attempts: rows.map(({ row }) => row),
      taskSeconds: rows.reduce((sum, { ranMs }) => sum + ranMs, 0) / 1000,
      makespanSec: overAt === null ? null : secondsSince(start, overAt),
    },
    end:
      finished !== null
        ? { kind: finished.verdict.kind, decidedBy: finished.verdict.decidedBy }
        : view.status.phase.kind === 'deleted'
          ? { kind: 'deleted' }
          : { kind: 'endless', waitsFor: waitsFor(view, tasks, ended) },
    judgements: rows.map(({ judgement }) => judgement),
    board: Array.from({ length: view.status.size }, (_, index) => shownState(view.board.record(index))),
  };
}

const attemptReport = (
  { id, times, ending, stage }: TaskView,
  { start, tryOf, itemsOf }: SimulatedCourse,
): AttemptReport => ({
  index: id.index,
  attempt: tryOf.get(launchKey(id)) ?? 0,
  startSec: times.startedAt === null ? null : secondsSince(start, times.startedAt),
  endSec: times.stoppedAt === null ? null : secondsSince(start, times.stoppedAt),
  cause: ending === null ? (stage === 'starting' ? 'Starting' : 'Running') : CAUSE_WORDS[ending.cause],
  exitCode: ending?.exitCode ?? null,
  ...(itemsOf === null ? {} : { item: itemsOf(id.index).join('\n') }),
});

const ranMsOf = ({ times: { startedAt, stoppedAt } }: TaskView): number =>
  startedAt === null || stoppedAt === null ? 0 : stoppedAt - startedAt;

const shownState = (record: IndexRecord | null): IndexState | 'inherited' =>
  record === null ? 'pending' : isInherited(record) ? 'inherited' : record.state;

/** What tells launches of one Job apart. */
export const launchKey = ({ index, attempt, nonce }: { index: number; attempt: number; nonce: number }): string =>
  `${index}/${attempt}/${nonce}`;
