import { isEssential, type ContainerDefinition, type Definition } from './definition.ts';
import type { ContainerRecord, LastStatus, StopCause, TaskRecord } from './task-record.ts';

/** What happened to a task. */
export type TaskFact =
  | { readonly kind: 'placed' }
  | { readonly kind: 'starting'; readonly container: string }
  | { readonly kind: 'started'; readonly container: string; readonly atMs: number }
  | { readonly kind: 'ended'; readonly container: string; readonly end: ContainerEnd }
  | { readonly kind: 'stop'; readonly cause: StopCause };

export type ContainerEnd =
  /** `reason`: what the platform adds, such as that it ran out of memory */
  | { readonly kind: 'exited'; readonly exitCode: number; readonly atMs: number; readonly reason?: string }
  /** it could not start at all */
  | { readonly kind: 'unstartable'; readonly reason: string; readonly atMs: number }
  /** its watcher is gone, so its end is unknown */
  | { readonly kind: 'lost'; readonly reason: string; readonly atMs: number };

/**
 * A task after a fact, and the states that it passes through, in order, each one version higher: what ECS publishes, one
 * event each. None if no outside observer could see a difference. Pure.
 */
export function live(
  task: TaskRecord,
  definition: Definition,
  fact: TaskFact,
): { readonly task: TaskRecord; readonly passed: readonly TaskRecord[] } {
  if (task.lastStatus === 'STOPPED') return { task, passed: [] };
  const passed: TaskRecord[] = [];
  let current = task;
  for (const step of ladder(settle(fold(task, definition, fact), definition), definition)) {
    const visible = !same(step, current);
    current = visible ? { ...step, version: current.version + 1 } : { ...step, version: current.version };
    if (visible) passed.push(current);
  }
  return { task: current, passed };
}

/**
 * A task after a restart, from its record and what the disk says about its containers: as if everything had been reported
 * again, in the original order. A recorded stop stays the cause of the end. Pure.
 */
export function afterRestart(
  record: TaskRecord,
  definition: Definition,
  found: readonly TaskFact[],
): { readonly task: TaskRecord; readonly passed: readonly TaskRecord[] } {
  const containers = record.containers.map(
    (container): ContainerRecord =>
      container.status === 'stopped' ? container : { ...container, status: 'pending', startedAtMs: null },
  );
  const lastStatus = record.lastStatus === 'RUNNING' ? 'RUNNING' : 'PENDING';
  let task: TaskRecord = { ...record, containers, lastStatus, version: record.version + RESTART_VERSIONS };
  const passed: TaskRecord[] = [];
  const facts = [...found].sort((a, b) => timeOf(a) - timeOf(b));
  for (const fact of record.stop === null ? facts : [...facts, { kind: 'stop', cause: record.stop } as const]) {
    const next = live(task, definition, fact);
    task = next.task;
    passed.push(...next.passed);
  }
  return { task, passed };
}

/** After a restart: whether none of its containers has ever begun, and nothing has stopped it. Pure. */
export const hasNotBegun = ({ stop, containers }: TaskRecord, found: readonly TaskFact[]): boolean =>
  found.length === 0 && stop === null && containers.every(({ status }) => status !== 'stopped');

/** A task after a restart that has not begun, and waits for its place again. Pure. */
export const unplaced = (record: TaskRecord): TaskRecord => ({
  ...record,
  containers: record.containers.map((container) => ({ ...container, status: 'pending', startedAtMs: null })),
  lastStatus: 'PROVISIONING',
  version: record.version + RESTART_VERSIONS,
});

/** More versions than a task can pass through between two writes of its record, so no version repeats. */
const RESTART_VERSIONS = 100;

function timeOf(fact: TaskFact): number {
  if (fact.kind === 'started') return fact.atMs;
  return fact.kind === 'ended' ? fact.end.atMs : 0;
}

function fold(task: TaskRecord, definition: Definition, fact: TaskFact): TaskRecord {
  switch (fact.kind) {
    case 'placed':
      return task.lastStatus === 'PROVISIONING' ? { ...task, lastStatus: 'PENDING' } : task;
    case 'starting':
      return change(task, fact.container, (container) =>
        container.status === 'pending' ? { ...container, status: 'starting' } : container,
      );
    case 'started':
      return change(task, fact.container, (container) =>
        container.status === 'pending' || container.status === 'starting'
          ? { ...container, status: 'running', startedAtMs: fact.atMs }
          : container,
      );
    case 'ended':
      return foldEnd(task, definition, fact.container, fact.end);
    case 'stop':
      return foldStop(task, task.stop ?? fact.cause);
  }
}

/** A container that has not started never will. */
function foldStop(task: TaskRecord, stop: StopCause): TaskRecord {
  const containers = task.containers.map(
    (container): ContainerRecord => (container.status === 'pending' ? { ...container, status: 'stopped' } : container),
  );
  return { ...task, stop, containers };
}

function foldEnd(task: TaskRecord, definition: Definition, name: string, end: ContainerEnd): TaskRecord {
  const before = task.containers.find((container) => container.name === name);
  if (before === undefined || before.status === 'stopped') return task;
  const endedAtMs = Math.max(end.atMs, before.startedAtMs ?? task.createdAtMs);
  const ended = change(task, name, (container) => ({
    ...container,
    status: 'stopped',
    endedAtMs,
    exitCode: exitCodeOf(task, end),
    reason: end.reason ?? null,
  }));
  const cause = causeOf(definition, name, end, endedAtMs);
  return cause === null || task.stop !== null ? ended : foldStop(ended, cause);
}

/** A container that vanished after a stop request was killed: docker reports 128 + SIGKILL. */
function exitCodeOf(task: TaskRecord, end: ContainerEnd): number | null {
  if (end.kind === 'exited') return end.exitCode;
  return end.kind === 'lost' && task.stop !== null ? 137 : null;
}

function causeOf(definition: Definition, name: string, end: ContainerEnd, atMs: number): StopCause | null {
  if (end.kind === 'lost') return { code: 'InfrastructureHealth', reason: `InternalError: ${end.reason}`, atMs };
  if (!definition.containerDefinitions.some((container) => container.name === name && isEssential(container)))
    return null;
  if (end.kind === 'unstartable') return { code: 'TaskFailedToStart', reason: end.reason, atMs };
  return { code: 'EssentialContainerExited', reason: 'Essential container in task exited', atMs };
}

/**
 * Ends containers whose dependencies can never be met. ECS's agent gives them 143, as if they had been stopped, and names
 * the dependency in the reason (amazon-ecs-agent, pull request 3218).
 */
function settle(task: TaskRecord, definition: Definition): TaskRecord {
  for (const container of definition.containerDefinitions) {
    const record = task.containers.find(({ name }) => name === container.name);
    if (task.stop !== null || record?.status !== 'pending') continue;
    const hopeless = container.dependsOn?.find((need) => verdict(task, need) === 'never');
    if (hopeless === undefined) continue;
    const atMs = task.containers.find(({ name }) => name === hopeless.containerName)?.endedAtMs ?? task.createdAtMs;
    const reason = inVain(task, definition, container, hopeless);
    const ended = change(task, container.name, (c) => ({
      ...c,
      status: 'stopped',
      exitCode: 143,
      endedAtMs: atMs,
      reason,
    }));
    const cause = causeOf(definition, container.name, { kind: 'exited', exitCode: 143, atMs }, atMs);
    return settle(cause === null ? ended : foldStop(ended, cause), definition);
  }
  return task;
}

/** The agent's own words for it (`agent/engine/dependencygraph/graph.go`). */
function inVain(
  task: TaskRecord,
  { containerDefinitions }: Definition,
  target: ContainerDefinition,
  need: Need,
): string {
  const needed = task.containers.find(({ name }) => name === need.containerName);
  const image = containerDefinitions.find(({ name }) => name === need.containerName)?.image ?? '';
  const exitCode = needed?.exitCode ?? null;
  const dependency = `${need.containerName}(${image}) (STOPPED->RUNNING)${exitCode === null ? '' : ` - Exit: ${exitCode}`}`;
  const why = exitCode === null ? 'because dependency will never start' : 'as dependency did not exit successfully.';
  return `CannotStartContainerError: dependency graph: failed to resolve container ordering dependency [${dependency}] for target [${target.name}(${target.image}) (NONE->RUNNING)] ${why}`;
}

/** The statuses that follow from the containers' states, each with its fields. */
function* ladder(task: TaskRecord, definition: Definition): Generator<TaskRecord> {
  const status = statusOf(task, definition);
  if (status !== 'STOPPED') {
    yield {
      ...task,
      lastStatus: status,
      startedAtMs: status === 'RUNNING' ? (task.startedAtMs ?? lastStartMs(task)) : task.startedAtMs,
    };
    return;
  }
  yield { ...task, lastStatus: 'DEPROVISIONING' };
  yield {
    ...task,
    lastStatus: 'STOPPED',
    stoppedAtMs: executionStoppedAtMs(task) ?? task.stop?.atMs ?? task.createdAtMs,
  };
}

function statusOf(task: TaskRecord, definition: Definition): LastStatus {
  if (task.containers.every((container) => container.status === 'stopped')) return 'STOPPED';
  if (task.stop !== null || task.lastStatus === 'RUNNING') return task.lastStatus;
  const essential = new Set(definition.containerDefinitions.filter(isEssential).map((container) => container.name));
  const hasRun = (container: ContainerRecord): boolean => container.startedAtMs !== null;
  if (task.containers.every((container) => !essential.has(container.name) || hasRun(container))) return 'RUNNING';
  return task.containers.some(hasRun) ? 'ACTIVATING' : task.lastStatus;
}

const lastStartMs = (task: TaskRecord): number =>
  Math.max(task.createdAtMs, ...task.containers.map((container) => container.startedAtMs ?? 0));

/** When the last container ended; null if none ran. */
export function executionStoppedAtMs(task: TaskRecord): number | null {
  const endsMs = task.containers.flatMap((container) => container.endedAtMs ?? []);
  return endsMs.length === 0 ? null : Math.max(...endsMs);
}

/** `starting` is internal between us and the driver: no caller can see it. */
function same(a: TaskRecord, b: TaskRecord): boolean {
  const seen = (status: ContainerRecord['status']): string => (status === 'starting' ? 'pending' : status);
  return (
    a.lastStatus === b.lastStatus &&
    a.stop === b.stop &&
    a.containers.every((container, n) => seen(container.status) === seen(b.containers[n]?.status ?? 'pending'))
  );
}

/** Containers that may start now: no stop was requested, and their dependencies are met. Pure. */
export function startable(task: TaskRecord, definition: Definition): readonly ContainerDefinition[] {
  if (task.stop !== null || task.lastStatus === 'PROVISIONING') return [];
  return definition.containerDefinitions.filter(
    (container) =>
      task.containers.some(({ name, status }) => name === container.name && status === 'pending') &&
      (container.dependsOn ?? []).every((need) => verdict(task, need) === 'met'),
  );
}

/** Containers that must end now. A container that others depend on ends after them, as in ECS. Pure. */
export function stoppable(task: TaskRecord, definition: Definition): readonly ContainerDefinition[] {
  if (task.stop === null) return [];
  const alive = new Set(
    task.containers.filter(({ status }) => status === 'starting' || status === 'running').map(({ name }) => name),
  );
  const needed = new Set(
    definition.containerDefinitions.flatMap((container) =>
      alive.has(container.name) ? (container.dependsOn ?? []).map((need) => need.containerName) : [],
    ),
  );
  return definition.containerDefinitions.filter(({ name }) => alive.has(name) && !needed.has(name));
}

type Need = NonNullable<ContainerDefinition['dependsOn']>[number];

function verdict(task: TaskRecord, { containerName, condition }: Need): 'met' | 'wait' | 'never' {
  const needed = task.containers.find(({ name }) => name === containerName);
  if (needed === undefined) return 'never';
  const ended = needed.status === 'stopped';
  if (condition === 'START') return needed.startedAtMs !== null ? 'met' : ended ? 'never' : 'wait';
  if (!ended) return 'wait';
  if (condition === 'COMPLETE') return needed.exitCode !== null ? 'met' : 'never';
  return needed.exitCode === 0 ? 'met' : 'never';
}

const change = (task: TaskRecord, name: string, to: (container: ContainerRecord) => ContainerRecord): TaskRecord => ({
  ...task,
  containers: task.containers.map((container) => (container.name === name ? to(container) : container)),
});
