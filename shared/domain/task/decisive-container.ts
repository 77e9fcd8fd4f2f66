/** A container of a stopped task, as ECS shows it. */
export type SeenContainer = {
  readonly name: string;
  readonly exitCode?: number | undefined;
  readonly reason?: string | undefined;
};

/**
 * The container that decided how a task ended. The main one, if it has run. Otherwise what kept it from running: the one that
 * it waited for in vain, an init container that failed, or a container that could not start. ECS lists containers in any order.
 *
 * @param main null: ECS does not show it
 * @param others the Pod's other containers; an agent's end decides nothing
 * @param taskReason ECS's `stoppedReason`
 * @returns `main` without an exit code if it has not run and nobody is to blame; null: there is nothing to go by
 */
export function decisiveContainer(
  main: SeenContainer | null,
  others: readonly SeenContainer[],
  taskReason = '',
): SeenContainer | null {
  if (main !== null && hasRun(main)) return main;
  const awaited = main === null ? null : blamedBy(main, others);
  if (awaited !== null) return awaited;
  if (main !== null && isUnstartable(main)) return main;
  const failed = others.filter((each) => hasRun(each) && each.exitCode !== 0);
  return (
    failed.find((each) => !wasStopped(each)) ??
    others.find(isUnstartable) ??
    // What else ran was stopped with the task, if ECS says why that could not start.
    (START_ERROR.test(taskReason) ? null : failed[0]) ??
    (main === null ? null : { ...main, exitCode: undefined })
  );
}

/** It has an exit code of its own, not the one that ECS's agent makes up. */
export const hasRun = (container: SeenContainer): boolean =>
  container.exitCode !== undefined && !waitedInVain(container);

/** It never ran, and its reason says why. */
export const isUnstartable = (container: SeenContainer): boolean =>
  container.exitCode === undefined && (container.reason ?? '') !== '' && !waitedInVain(container);

/**
 * It waited for another container, which will not come to what it waits for. ECS's agent then gives it the exit code 143, as if
 * it had been stopped, and this reason (amazon-ecs-agent, pull request 3218).
 */
const waitedInVain = ({ reason = '' }: SeenContainer): boolean => /dependency graph/i.test(reason);

/** `… container ordering dependency [prepare(busybox) (STOPPED->RUNNING) - Exit: 7] for target [main(busybox) …` */
const AWAITED = /dependency \[([^\s([\]]+)/;

/** The container that others wait for, at the end of the chain; null: it is not named, or has not failed. */
function blamedBy(main: SeenContainer, others: readonly SeenContainer[]): SeenContainer | null {
  let left = others;
  let blamed = main;
  while (waitedInVain(blamed)) {
    const name = AWAITED.exec(blamed.reason ?? '')?.[1];
    const next = left.find((each) => each.name === name);
    if (next === undefined) return null;
    left = left.filter((each) => each !== next);
    blamed = next;
  }
  return blamed === main || blamed.exitCode === 0 ? null : blamed;
}

/** SIGTERM or SIGKILL, not for memory: most likely it was stopped with the task. */
const wasStopped = ({ exitCode, reason = '' }: SeenContainer): boolean =>
  (exitCode === 143 || exitCode === 137) && !OUT_OF_MEMORY.test(reason);

/** "OutOfMemoryError: container killed due to memory usage"; the case differs by platform version. */
export const OUT_OF_MEMORY = /out ?of ?memory/i;

/** `CannotPullContainerError: …`, `ResourceInitializationError: …` */
const START_ERROR = /^\w+Error: /;
