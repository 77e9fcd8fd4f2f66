import type { AttemptId } from '../base/fact.ts';
import type { WorkingBoard } from '../scoreboard/working-board.ts';
import { FRESH } from '../scoreboard/index-record.ts';
import { type LaunchTraits, launchRowOf } from '../scoreboard/launch-row.ts';
import type { Claim } from '../scoreboard/status.ts';
import type { Job } from '../manifests/job.ts';
import type { Pass } from './pass.ts';
import type { Action } from './plan.ts';
import type { Attempts } from './plan-attempts.ts';

/** What to request about attempts after the commit: launches, stops, and stops of tasks without an attempt. */
export function actionsOf({ job }: Pass, { board, folded, launches, stops, resent }: Attempts): readonly Action[] {
  return [
    ...byRow([...launches.launch, ...resent.launch]).map(
      ([row, attempts]): Action => ({
        kind: 'launch',
        row,
        attempts,
        traits: traitsOf(job, board, attempts),
        ahead: claimsBefore(resent.inFlight, attempts),
      }),
    ),
    ...stopsOf(board, distinct([...folded.deleted, ...launches.stop, ...stops.stop])),
    ...folded.orphans.map((taskArn): Action => ({ kind: 'stopTask', taskArn })),
    ...[...new Set([...folded.replaced, ...stops.stopTasks])].map(
      (taskArn): Action => ({ kind: 'stopTask', taskArn, podDeleted: true }),
    ),
  ];
}

/** How many claims are before the first of these; claims are in the order in which they were made. */
function claimsBefore(inFlight: readonly Claim[], [first]: readonly AttemptId[]): number {
  const at = inFlight.findIndex(({ index, attempt }) => index === first?.index && attempt === first.attempt);
  return Math.max(0, at);
}

const distinct = (ids: readonly AttemptId[]): readonly AttemptId[] => [
  ...new Map(ids.map((id) => [id.index, id])).values(),
];

/** One message per launch row: its slots are written together. */
function byRow(ids: readonly AttemptId[]): readonly (readonly [row: number, attempts: readonly AttemptId[]])[] {
  const rows = new Map<number, AttemptId[]>();
  for (const id of ids) {
    const row = launchRowOf(id.index);
    const attempts = rows.get(row);
    if (attempts === undefined) rows.set(row, [id]);
    else attempts.push(id);
  }
  return [...rows];
}

/** One action per launch row, but two if users have deleted some of its Pods: ECS keeps the reason with the task. */
function stopsOf(board: WorkingBoard, ids: readonly AttemptId[]): readonly Action[] {
  const isDeleted = ({ index, attempt }: AttemptId): boolean => {
    const record = board.record(index);
    return record?.attempt === attempt && record.podDeleted;
  };
  return [
    ...byRow(ids.filter((id) => !isDeleted(id))).map(([row, attempts]): Action => ({ kind: 'stop', row, attempts })),
    ...byRow(ids.filter(isDeleted)).map(
      ([row, attempts]): Action => ({ kind: 'stop', row, attempts, podDeleted: true }),
    ),
  ];
}

/**
 * An index that Spot has interrupted as often as the Job allows runs on demand. With a limit per index, the launch carries its
 * failures; a Pod carries its own restarts and those of the index before it.
 */
function traitsOf({ spec }: Job, board: WorkingBoard, ids: readonly AttemptId[]): ReadonlyMap<number, LaunchTraits> {
  const { disruptions, backoffLimitPerIndex } = spec;
  const traits = new Map<number, LaunchTraits>();
  for (const { index } of ids) {
    const { spot, failures, ignored, ...record } = board.record(index) ?? FRESH;
    const restarts = record.earlierRestarts + record.restarts;
    const onDemand = disruptions.kind === 'budget' && spot > 0 && spot >= disruptions.spotInterruptions;
    const counts = backoffLimitPerIndex === null ? { failures: 0, ignored: 0 } : { failures, ignored };
    if (onDemand || counts.failures + counts.ignored + restarts > 0)
      traits.set(index, { onDemand, ...counts, ...(restarts === 0 ? {} : { restarts }) });
  }
  return traits;
}
