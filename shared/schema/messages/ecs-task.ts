import * as z from 'zod';
import { asEpochMs } from '../../domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../domain/base/ids.ts';
import { endingOf } from '../../domain/planner/ending.ts';
import { MAIN_VARIABLE } from '../../domain/task/launch-overrides.ts';
import { parseGroup } from '../../domain/task/task-group.ts';
import type { TaskView } from '../../domain/task/task.ts';

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
  const times = {
    createdAt: task.createdAt ?? null,
    startedAt: task.startedAt ?? null,
    stoppedAt: task.stoppedAt ?? task.executionStoppedAt ?? task.stoppingAt ?? null,
  };
  const stage = stageOf(task.lastStatus, task.desiredStatus);
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
function stageOf(lastStatus: string, desiredStatus: string | undefined): TaskView['stage'] {
  switch (lastStatus) {
    case 'STOPPED':
    case 'DELETED':
      return 'stopped';
    case 'DEACTIVATING':
    case 'STOPPING':
    case 'DEPROVISIONING':
      return 'stopping';
    default:
      if (desiredStatus === 'STOPPED') return 'stopping';
      return lastStatus === 'RUNNING' ? 'running' : 'starting';
  }
}

function stopMarks(task: EcsTask) {
  const decisive = decisiveContainer(task);
  return {
    stopCode: task.stopCode ?? null,
    stoppedReason: task.stoppedReason ?? null,
    exitCode: decisive?.exitCode ?? null,
    container: decisive?.name ?? null,
    started: task.startedAt !== undefined,
    containerReason: decisive?.reason ?? null,
  };
}

/**
 * The container that decides the outcome: the main one, or, if that has not run, one of ours that failed before it. The
 * main container is the one that RunTask's overrides mark, or the only one. It is not simply the first in the list, which may
 * include a GuardDuty agent. Tasks that earlier versions have started have no mark: their main container is the first in the
 * overrides.
 */
function decisiveContainer({ containers, overrides }: EcsTask): Container | undefined {
  const ours = (overrides?.containerOverrides ?? []).map(({ name }) => name);
  if (ours.length === 0) return containers.length === 1 ? containers[0] : undefined;
  const marked = overrides?.containerOverrides.find(isMarked)?.name;
  const main = containers.find(({ name }) => name === (marked ?? ours[0]));
  if (main?.exitCode !== undefined) return main;
  return containers.find(({ name, exitCode }) => ours.includes(name) && (exitCode ?? 0) !== 0) ?? main;
}

const isMarked = ({ name, environment }: z.output<typeof OverrideSchema>): boolean =>
  environment.some((variable) => variable.name === MAIN_VARIABLE && variable.value === name);

const privateIpOf = ({ containers }: EcsTask): string | null =>
  containers.flatMap((c) => c.networkInterfaces ?? []).find((n) => n.privateIpv4Address !== undefined)
    ?.privateIpv4Address ?? null;
