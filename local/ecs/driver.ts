import type { ContainerDefinition, Definition } from './definition.ts';
import type { ContainerEnd } from './task-life.ts';
import type { Overrides, StopCause, TaskRecord } from './task-record.ts';

/** One container of one task, about to run or running. */
export type ContainerRun = { readonly task: TaskRecord; readonly container: ContainerDefinition };

/**
 * What really runs containers. A driver decides nothing: which container starts or ends when is decided by task-life, what
 * happened is reported, once and in order, never from inside `start` or `signal`.
 */
export type Driver = {
  /** Why this driver cannot run the definition, in a sentence for its author; null if it can. */
  refusal(definition: Pick<Definition, 'containerDefinitions'>): string | null;
  /** Why the task cannot be set up, so that none of its containers starts; null: it can. Asked once, before the first starts. */
  setupProblem(definition: Pick<Definition, 'containerDefinitions'>): string | null;
  /** An address under which a new task's containers are reached; no other task of this driver has it. */
  privateIp(): string;
  start(run: ContainerRun): void;
  /** SIGTERM is a request, SIGKILL is not. A container that has not been started yet is not started any more. */
  signal(run: ContainerRun, signal: 'SIGTERM' | 'SIGKILL'): void;
  /** After a restart: what became of a container. One that runs is reported on from now on. Starts nothing. */
  inspect(run: ContainerRun): Found;
  /** Nothing of the task is needed any more. */
  forget(task: TaskRecord): void;
  /** No report after this. Ends what may still run of tasks that have ended. */
  close(): Promise<void>;
};

export type Found =
  | { readonly kind: 'absent' }
  | { readonly kind: 'running'; readonly startedAtMs: number }
  | { readonly kind: 'ended'; readonly startedAtMs: number; readonly end: ContainerEnd };

export type Reports = {
  started(taskId: string, container: string, atMs: number): void;
  ended(taskId: string, container: string, end: ContainerEnd): void;
  /** The ground is taken from under the task: it is told to stop, as by Spot. */
  interrupted(taskId: string, cause: Omit<StopCause, 'atMs'>): void;
};

/** The command line of a container; an override replaces `command`, never the entry point. */
export function commandOf(container: ContainerDefinition, overrides: Overrides): readonly string[] {
  return [...(container.entryPoint ?? []), ...(overrideOf(container, overrides)?.command ?? container.command ?? [])];
}

/** The environment that the definition and the override give; the override wins, then the later entry. */
export function environmentOf(container: ContainerDefinition, overrides: Overrides): ReadonlyMap<string, string> {
  const entries = [...(container.environment ?? []), ...(overrideOf(container, overrides)?.environment ?? [])];
  return new Map(entries.map(({ name, value }) => [name, value]));
}

const overrideOf = (container: ContainerDefinition, overrides: Overrides) =>
  overrides.containerOverrides?.find(({ name }) => name === container.name);
