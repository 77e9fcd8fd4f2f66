import type { ContainerSessions } from '../../container-sessions.ts';
import type { ContainerUsage } from '../../../shared/domain/task/container-usage.ts';
import type { EngineLeftover } from '../../../shared/ports/gathered/engine-leftovers.ts';
import type { ContainerDefinition, Definition } from '../definition.ts';
import type { ContainerEnd } from '../task-life.ts';
import type { Overrides, StopCause, TaskRecord } from '../task-record.ts';

/** One container of one task, starting or running. */
export type ContainerRun = {
  readonly task: TaskRecord;
  readonly container: ContainerDefinition;
  /** What the task is made of; known to `start` only. */
  readonly definition?: Pick<Definition, 'volumes' | 'containerDefinitions'>;
};

/**
 * Runs containers. A driver decides nothing: task-life decides which container starts or ends and when. The driver reports
 * what happened, once and in order, never from inside `start` or `signal`.
 */
export type Driver = {
  /** Gets ready, and finds what an earlier run has left. Called once, before all others. */
  open(): Promise<void>;
  /** Why this driver cannot run the definition, as a sentence for its author; null if it can. */
  refusal(definition: Pick<Definition, 'containerDefinitions'>): string | null;
  /**
   * Why the task cannot be set up, so that none of its containers starts; null if it can. Called once, before the first
   * container starts.
   */
  setupProblem(definition: Pick<Definition, 'containerDefinitions' | 'volumes'>): string | null;
  /** An address for a new task's containers; no other task of this driver has it. */
  privateIp(): string;
  start(run: ContainerRun): void;
  /** SIGTERM is a request, SIGKILL is not. A container that has not started yet will not start. */
  signal(run: ContainerRun, signal: 'SIGTERM' | 'SIGKILL'): void;
  /** After a restart: the state of a container. Reports on a running one from now on. Starts nothing. */
  inspect(run: ContainerRun): FoundContainer;
  /** After a restart: every container that still counts has been inspected. */
  settle(): void;
  /** The task has ended, and its end is on disk: nothing will be asked of its containers. */
  over(task: TaskRecord): void;
  /** Releases everything of the task. */
  forget(task: TaskRecord): void;
  /** Sessions in containers that run; absent: there are none. The run knows its definition. */
  readonly sessions?: ContainerSessions<ContainerRun> | undefined;
  /** What containers have used, in their order; null: one has ended. Absent: nothing measures it. */
  readonly usage?: ((runs: readonly ContainerRun[]) => Promise<readonly (Used | null)[]>) | undefined;
  /** What is kept outside this process that no task needs; absent: nothing ever is. */
  leftovers?(): Promise<readonly EngineLeftover[]>;
  /** Stops all reports. Ends leftover processes of tasks that have ended. */
  close(): Promise<void>;
};

/** CPU time since a container began, and memory now. */
export type Used = Pick<ContainerUsage, 'cpuNanos' | 'memoryBytes'>;

export type FoundContainer =
  | { readonly kind: 'absent' }
  | { readonly kind: 'running'; readonly startedAtMs: number }
  | { readonly kind: 'ended'; readonly startedAtMs: number; readonly end: ContainerEnd };

export type Reports = {
  started(taskId: string, container: string, atMs: number): void;
  ended(taskId: string, container: string, end: ContainerEnd): void;
  /** The task's capacity is taken away: it must stop, as with Spot. */
  interrupted(taskId: string, cause: Omit<StopCause, 'atMs'>): void;
};

/** The command line of a container; without an entry point its command alone, since there is no image with another. An override replaces `command`, never the entry point. */
export function commandOf(container: ContainerDefinition, overrides: Overrides): readonly string[] {
  return [...(container.entryPoint ?? []), ...(overrideOf(container, overrides)?.command ?? container.command ?? [])];
}

/** The environment from the definition and the override. The override wins, then the later entry. */
export function environmentOf(container: ContainerDefinition, overrides: Overrides): ReadonlyMap<string, string> {
  const entries = [...(container.environment ?? []), ...(overrideOf(container, overrides)?.environment ?? [])];
  return new Map(entries.map(({ name, value }) => [name, value]));
}

/** What a launch changes in a container of the definition. */
export const overrideOf = (container: ContainerDefinition, overrides: Overrides) =>
  overrides.containerOverrides?.find(({ name }) => name === container.name);
