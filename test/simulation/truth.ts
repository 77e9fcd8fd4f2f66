import type { EpochMs } from '../../shared/domain/brand.ts';
import type { TaskView } from '../../shared/domain/task.ts';
import type { TransitionOp } from '../../shared/domain/transition.ts';

/** What the board says became of an attempt. */
export type Outcome = {
  readonly op: TransitionOp;
  /** the board had wished it to end */
  readonly wished: boolean;
  /** the Job had failed: what still ran then counts as failed */
  readonly failing: boolean;
  readonly at: EpochMs;
};

/** ECS tells of a stopped task for an hour; who could not ask before that has to guess. */
const ECS_REMEMBERS_MS = 60 * 60_000;

/** Compares what ECS's tasks came to with what the board says of their attempts. */
export function lies(tasks: readonly TaskView[], outcomes: ReadonlyMap<string, Outcome>) {
  const found: { readonly guarantee: string; readonly what: string }[] = [];
  for (const { id, ending, times } of tasks) {
    if (ending === null) continue;
    const key = `${id.index}/${id.attempt}`;
    const outcome = outcomes.get(key);
    if (outcome === undefined) {
      found.push({
        guarantee: 'G2',
        what: `a task of attempt ${key} ended (${ending.cause}), which the board does not know`,
      });
      continue;
    }
    const truth = truthOf(ending.cause, outcome);
    if (truth.includes(outcome.op)) continue;
    const forgotten = times.stoppedAt !== null && outcome.at >= times.stoppedAt + ECS_REMEMBERS_MS;
    if (forgotten && [...truthOf('Infrastructure', outcome), 'released'].includes(outcome.op)) continue;
    const guarantee = ending.cause === 'Completed' ? 'G2' : 'G5';
    found.push({
      guarantee,
      what: `a task of attempt ${key} ended (${ending.cause}), but the board says ${outcome.op}`,
    });
  }
  return found;
}

/** The specification of what an end counts as, by what ended the task and what the board wished. */
function truthOf(
  cause: NonNullable<TaskView['ending']>['cause'],
  { wished, failing }: Outcome,
): readonly TransitionOp[] {
  switch (cause) {
    case 'Completed':
      return ['succeeded'];
    case 'Error':
    case 'OOMKilled':
      return ['failed'];
    case 'Stopped':
      return failing || !wished ? ['failed'] : ['released'];
    case 'Spot':
    case 'Infrastructure':
    case 'StartFailed':
      return failing ? ['failed'] : wished ? ['released'] : ['lost', 'lostToSpot'];
    default:
      return cause satisfies never;
  }
}
