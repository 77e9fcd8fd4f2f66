import type { Fate } from '../../../adapters/memory/memory-tasks.ts';
import { type StopMarks, endingOf } from '../../../domain/planner/ending.ts';
import { has } from '../../../domain/base/index-set.ts';
import { unreachable } from '../../../domain/base/invariant.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import { DEFAULT_RUN_MS, type Exit, type FateRule, type Script, type ScriptError } from './script.ts';

/**
 * Which try of which index (or slot) a task is; tries are counted from 0, restarts of the same Pod included. `items`: those of
 * the index, as lines.
 */
export type Try = { readonly index: number; readonly attempt: number; readonly items: readonly string[] };

type Template = Pick<JobManifest['spec']['template']['spec'], 'containers' | 'initContainers'>;

/** How a try goes where no rule matches. */
const DEFAULT: Pick<FateRule, 'runMs' | 'exit'> = { runMs: DEFAULT_RUN_MS, exit: { kind: 'exits', exitCode: 0 } };

/** The script of one task, as ECS reports it and parsed as in production. */
export function fateOf({ attempts, limits }: Script, { index, attempt, items }: Try, template: Template): Fate {
  const { runMs, exit } =
    attempts.find(
      (rule) =>
        (rule.indexes === null || has(rule.indexes, index)) &&
        (rule.attempts === null || has(rule.attempts, attempt)) &&
        (rule.item === null || items.includes(rule.item)),
    ) ?? DEFAULT;
  return {
    startMs: limits.startMs + (exit.kind === 'TaskFailedToStart' ? runMs : 0),
    runMs: exit.kind === 'never' ? Number.POSITIVE_INFINITY : runMs,
    stopMs: limits.stopMs,
    ending: endingOf(marksOf(exit, template)),
  };
}

/** What ECS says of such an end (aws.md 1.8). */
function marksOf(exit: Exit, { containers, initContainers = [] }: Template): StopMarks {
  const main = containers[0]?.name ?? null;
  const mainExits = (exitCode: number, containerReason: string | null = null): StopMarks => ({
    stopCode: 'EssentialContainerExited',
    stoppedReason: 'Essential container in task exited',
    exitCode,
    container: main,
    containerReason,
    started: true,
  });
  switch (exit.kind) {
    case 'exits':
      return mainExits(exit.exitCode);
    case 'containersExit': {
      // The main container decides, unless one that must end before it has failed.
      const failed = initContainers.find(({ name }) => (exit.exitCodes.get(name) ?? 0) !== 0);
      if (failed === undefined) return mainExits(main === null ? 0 : (exit.exitCodes.get(main) ?? 0));
      return {
        stopCode: 'TaskFailedToStart',
        stoppedReason: 'Container dependency failed',
        exitCode: exit.exitCodes.get(failed.name) ?? null,
        container: failed.name,
        containerReason: null,
        started: false,
      };
    }
    case 'OutOfMemory':
      return mainExits(exit.exitCode ?? 137, 'OutOfMemoryError: container killed due to memory usage');
    case 'SpotInterruption':
      return taken('SpotInterruption', 'Your Spot Task was interrupted.', exit.exitCode, main);
    case 'InfrastructureHealth':
      return taken('InfrastructureHealth', 'The host of the task has failed.', exit.exitCode, main);
    case 'TaskFailedToStart':
      return taken('TaskFailedToStart', 'CannotPullContainerError: the image cannot be pulled', null, main);
    case 'never': // never visible: such a task ends only when it is stopped
      return mainExits(143);
    default:
      return unreachable(exit);
  }
}

const taken = (
  stopCode: string,
  stoppedReason: string,
  exitCode: number | null,
  container: string | null,
): StopMarks => ({
  stopCode,
  stoppedReason,
  exitCode,
  container,
  containerReason: null,
  started: stopCode !== 'TaskFailedToStart',
});

/** What only the script and the Job together show: a container or a work list that the Job does not have. */
export function scriptErrors(
  { attempts }: Script,
  { containers, initContainers = [] }: Template,
  hasItems: boolean,
): readonly ScriptError[] {
  const names = [...containers, ...initContainers].map(({ name }) => name);
  return attempts.flatMap(({ item, exit }, i) => [
    ...(item === null || hasItems ? [] : [{ path: `attempts[${i}].item`, message: 'the Job has no work list' }]),
    ...(exit.kind !== 'containersExit'
      ? []
      : [...exit.exitCodes.keys()]
          .filter((name) => !names.includes(name))
          .map((name) => ({
            path: `attempts[${i}].exitCodes.${name}`,
            message: `the Job has no such container, but ${names.join(', ')}`,
          }))),
  ]);
}
