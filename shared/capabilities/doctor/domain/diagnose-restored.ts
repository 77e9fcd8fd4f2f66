import type { Probe } from '../../../domain/base/probed.ts';
import { formatIndexSet, indexSetOf } from '../../../domain/base/index-set.ts';
import { type Status, tally } from '../../../domain/scoreboard/status.ts';
import type { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import type { JobIdentity } from '../../../domain/manifests/job.ts';
import type { ItemOf } from '../../../domain/base/shown-index.ts';
import type { ActiveAttempt, ProbedTask } from './diagnose-tasks.ts';
import { type Finding, atTime, indexesText, notChecked, subjectOfJob } from './finding.ts';

/** A Job of a table that was restored: its rows are older than what its tasks have done. */
export type RestoredJob = {
  readonly identity: JobIdentity;
  readonly status: Status;
  /** With the chunks that have active attempts, and those that have pending indexes, as many as are read. */
  readonly board: WorkingBoard;
  /** null: not asked for. */
  readonly tasks: Probe<ProbedTask> | null;
  /** Some chunks with pending indexes were not read. */
  readonly hasMore: boolean;
  readonly itemOf: ItemOf;
};

/**
 * What a restore to an earlier moment means for an open Job: as of when it is, which indexes run again for sure, and which do if they
 * have run since. What succeeded by then is never run again.
 */
export function diagnoseRestored({ identity, status, board, tasks, hasMore, itemOf }: RestoredJob): readonly Finding[] {
  const subject = subjectOfJob(identity);
  if (tasks?.kind === 'failed') return [notChecked(subject, 'its tasks', tasks.reason)];
  const of = (indexes: readonly number[]) => ({
    subject,
    since: status.now,
    details: { indexes: formatIndexSet(indexSetOf(indexes)) },
  });
  const { succeeded } = tally(status.chunks);
  const findings: Finding[] = [
    {
      ...of([]),
      severity: 'info',
      kind: 'Rewound',
      what: `its rows are as of ${atTime(status.now).slice('at '.length)}: ${succeeded} of ${status.size} had succeeded by then, and are not run again`,
      remedy: '',
    },
  ];
  const again = tasks === null ? [] : runAgain(tasks.value);
  if (again.length > 0)
    findings.push({
      ...of(again),
      severity: 'warning',
      kind: 'RunsAgain',
      what: `${indexesText(again, itemOf)}: active then, and ECS does not know how the task ended: it runs again`,
      remedy: 'Suspend the Job if its program must not run twice, and see what these indexes have left behind.',
    });
  const maybe = notStarted(status.size, board);
  if (maybe.length > 0)
    findings.push({
      ...of(maybe),
      severity: 'warning',
      kind: 'MayRunAgain',
      what: `${indexesText(maybe, itemOf)}${hasMore ? ', and those of further chunks' : ''}: not started then; whichever has started since runs again, unless ECS still knows its task`,
      remedy: 'The same. ECS knows a task for an hour after its end.',
    });
  return findings;
}

/** Indexes that the next launches are for, or whose launch had no answer yet, as far as their chunks were read. */
function notStarted(size: number, board: WorkingBoard): readonly number[] {
  const indexes: number[] = [];
  for (let index = 0; index < size; index++) {
    const record = board.record(index);
    if (record !== null && (record.state === 'claimed' || (record.state === 'pending' && !record.held)))
      indexes.push(index);
  }
  return indexes;
}

/** Attempts whose task is gone, or was stopped by other than its own end. */
function runAgain({ attempts, tasks, missing }: ProbedTask): readonly number[] {
  const isGone = ({ slot }: ActiveAttempt): boolean => {
    if (slot?.state !== 'launched') return false;
    const cause = tasks.get(slot.taskArn)?.ending?.cause;
    return missing.has(slot.taskArn) || cause === 'Stopped' || cause === 'Infrastructure' || cause === 'Spot';
  };
  return attempts.filter((attempt) => isGone(attempt)).map(({ id }) => id.index);
}
