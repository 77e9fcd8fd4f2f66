import * as z from 'zod';
import { type EpochMs, asEpochMs, later } from '../../domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../domain/base/ids.ts';
import { decisiveContainer, hasRun, isUnstartable } from '../../domain/task/decisive-container.ts';
import { endingOf } from '../../domain/planner/ending.ts';
import { MAIN_VARIABLE } from '../../domain/task/launch-overrides.ts';
import { parseGroup } from '../../domain/task/task-group.ts';
import { FILES_CONTAINER, type TaskView } from '../../domain/task/task.ts';

/**
 * Reads an ECS task: the `detail` of an "ECS Task State Change" event, or a task of DescribeTasks as the SDK returns
 * it. `groupPrefix` marks our tasks. Returns null for any other task. Throws (ZodError) for a task of ours that is not
 * as ECS documents it.
 */
export function parseTask(raw: unknown, groupPrefix: string): TaskView | null {
  const { group } = GroupSchema.parse(raw);
  const id = group === undefined ? null : parseGroup(groupPrefix, group);
  if (id === null) return null;
  const task = TaskSchema.parse(raw);
  const times = { createdAt: task.createdAt ?? null, startedAt: task.startedAt ?? null, stoppedAt: endOf(task) };
  const stage = stageOf(task);
  return {
    arn: task.taskArn,
    job: task.startedBy,
    id,
    version: task.version,
    stage,
    ending: stage === 'stopped' ? endingOf(stopMarks(task)) : null,
    times: stage === 'stopped' ? times : { ...times, stoppedAt: null },
    privateIp: privateIpOf(task),
  };
}

/** Throws (ZodError) unless `raw` is an EventBridge event of ECS about a task's state; returns its `detail`. */
export const taskEventDetail = (raw: unknown): unknown => EventSchema.parse(raw).detail;

/** Whether `raw` comes from EventBridge, not from Muster. */
export const isEventBridgeEvent = (raw: unknown): boolean =>
  typeof raw === 'object' && raw !== null && 'detail-type' in raw;

/** ISO text in events, a Date from the SDK. */
const At = z
  .union([z.date(), z.string()])
  .transform((value) => (value instanceof Date ? value.getTime() : Date.parse(value)))
  .refine(Number.isFinite, 'not a time')
  .transform(asEpochMs);

const GroupSchema = z.object({ group: z.string().optional() });

const ContainerSchema = z.object({
  name: z.string(),
  lastStatus: z.string().optional(),
  exitCode: z.int().optional(),
  reason: z.string().optional(),
  networkInterfaces: z.array(z.object({ privateIpv4Address: z.string().optional() })).optional(),
});
type Container = z.output<typeof ContainerSchema>;

const OverrideSchema = z.object({
  name: z.string(),
  environment: z.array(z.object({ name: z.string(), value: z.string().optional() })).default([]),
});

const TaskSchema = z.object({
  taskArn: z
    .string()
    .regex(/^arn:[^:]+:ecs:[^:]*:[^:]*:task\/.+$/)
    .transform(asTaskArn),
  startedBy: z.string().min(1).transform(asJobUid),
  version: z.number(),
  lastStatus: z.string(),
  desiredStatus: z.string().optional(),
  stopCode: z.string().optional(),
  stoppedReason: z.string().optional(),
  createdAt: At.optional(),
  startedAt: At.optional(),
  stoppedAt: At.optional(),
  stoppingAt: At.optional(),
  executionStoppedAt: At.optional(),
  containers: z.array(ContainerSchema).default([]),
  overrides: z.object({ containerOverrides: z.array(OverrideSchema).default([]) }).optional(),
});
type EcsTask = z.output<typeof TaskSchema>;

const EventSchema = z.object({
  source: z.literal('aws.ecs'),
  'detail-type': z.literal('ECS Task State Change'),
  detail: z.object({}).loose(),
});

/** A Spot notice has the status RUNNING and the desired status STOPPED: the task is stopping. */
function stageOf(task: EcsTask): TaskView['stage'] {
  switch (task.lastStatus) {
    case 'STOPPED':
    case 'DELETED':
      return 'stopped';
    case 'DEPROVISIONING':
      return hasEndedByItself(task) ? 'stopped' : 'stopping';
    case 'DEACTIVATING':
    case 'STOPPING':
      return 'stopping';
    default:
      if (task.desiredStatus === 'STOPPED') return 'stopping';
      return task.lastStatus === 'RUNNING' ? 'running' : 'starting';
  }
}

/**
 * The main container has exited by itself, and nothing of the task runs any more: all that is left to do is to take its network
 * interface away (ECS developer guide, task lifecycle). What ECS says then, it says again with STOPPED, 10 to 30 s later
 * (aws.md 1.7). Anything else is decided by STOPPED: a stop that somebody asked for, what infrastructure did, and a task that
 * lacks one of these marks.
 */
function hasEndedByItself(task: EcsTask): boolean {
  return (
    task.desiredStatus === 'STOPPED' &&
    task.stopCode === 'EssentialContainerExited' &&
    task.executionStoppedAt !== undefined &&
    task.containers.every(({ lastStatus }) => lastStatus === 'STOPPED') &&
    hasRunMain(task)
  );
}

function hasRunMain(task: EcsTask): boolean {
  const main = mainContainer(task);
  return main !== undefined && hasRun(main);
}

/**
 * When its containers had ended, so that all that ECS says of one end has one time. ECS may give whole seconds, which would be
 * before the start of a short task.
 */
function endOf({ startedAt, executionStoppedAt, stoppedAt, stoppingAt }: EcsTask): EpochMs | null {
  const endedAt = executionStoppedAt ?? stoppedAt ?? stoppingAt ?? null;
  return endedAt === null || startedAt === undefined ? endedAt : later(endedAt, startedAt);
}

function stopMarks(task: EcsTask) {
  const main = mainContainer(task) ?? null;
  const ours = oursOf(task);
  const others = task.containers.filter((each) => each !== main && ours.includes(each.name));
  const decisive = decisiveContainer(main, others, task.stoppedReason);
  const { stopCode = null } = task;
  // To ECS, the agent's 143 for what waited in vain is the end of an essential container.
  const hasNotStarted = stopCode === 'EssentialContainerExited' && decisive !== null && isUnstartable(decisive);
  const unwritten = unwrittenFiles(task, main);
  if (
    unwritten !== null &&
    (hasNotStarted || stopCode === 'EssentialContainerExited' || stopCode === 'TaskFailedToStart')
  )
    return {
      stopCode: 'TaskFailedToStart',
      stoppedReason: task.stoppedReason ?? null,
      exitCode: null,
      container: null,
      started: task.startedAt !== undefined,
      containerReason: unwritten,
    };
  return {
    stopCode: hasNotStarted ? 'TaskFailedToStart' : stopCode,
    stoppedReason: task.stoppedReason ?? null,
    exitCode: decisive?.exitCode ?? null,
    container: decisive?.name ?? null,
    started: task.startedAt !== undefined,
    containerReason: decisive?.reason ?? null,
  };
}

/**
 * Why no container of the Pod has run: the one that writes the files of its volumes has failed, or cannot start. null: it is
 * not to blame, or there is none.
 */
function unwrittenFiles({ containers }: EcsTask, main: Container | null): string | null {
  const writer = containers.find(({ name }) => name === FILES_CONTAINER);
  if (writer === undefined || (main !== null && (hasRun(main) || isUnstartable(main)))) return null;
  const { exitCode, reason = '' } = writer;
  if (exitCode === 0 || (exitCode === undefined && reason === '')) return null;
  const code = exitCode === undefined ? '' : `, exit code ${exitCode}`;
  const said = reason === '' ? '' : `: ${reason}`;
  return `the files of its volumes could not be written (container ${FILES_CONTAINER}${code})${said}`;
}

/**
 * The one that RunTask's overrides mark, or the only one. It is not simply the first in the list, which may include a GuardDuty
 * agent. Tasks that earlier versions have started have no mark: their main container is the first in the overrides.
 */
function mainContainer(task: EcsTask): Container | undefined {
  const { containers, overrides } = task;
  const ours = oursOf(task);
  if (ours.length === 0) return containers.length === 1 ? containers[0] : undefined;
  const marked = overrides?.containerOverrides.find(isMarked)?.name;
  return containers.find(({ name }) => name === (marked ?? ours[0]));
}

const oursOf = ({ overrides }: EcsTask): readonly string[] =>
  (overrides?.containerOverrides ?? []).map(({ name }) => name);

const isMarked = ({ name, environment }: z.output<typeof OverrideSchema>): boolean =>
  environment.some((variable) => variable.name === MAIN_VARIABLE && variable.value === name);

const privateIpOf = ({ containers }: EcsTask): string | null =>
  containers.flatMap((c) => c.networkInterfaces ?? []).find((n) => n.privateIpv4Address !== undefined)
    ?.privateIpv4Address ?? null;
