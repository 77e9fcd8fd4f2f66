import { randomUUID } from 'node:crypto';
import { AwsError } from '../wire/aws-error.ts';
import { fargateSize, type Definition } from './definition.ts';
import { commandOf, type Driver } from './driver/driver.ts';
import type { RunTaskRequest } from './requests.ts';
import type { Launch, TaskRecord } from './task-record.ts';

/** The limit on overrides as JSON, including formatting (ECS API reference, RunTask). */
const OVERRIDES_CHARS_MAX = 8_192;

/** Throws ECS's error for a request whose members are each valid, but not together or not for this definition. */
export function checkRunTask(request: RunTaskRequest, definition: Definition): void {
  const invalid = (message: string): never => {
    throw new AwsError('InvalidParameterException', message);
  };
  const { overrides, capacityProviderStrategy: strategy, launchType, networkConfiguration } = request;
  if (overrides !== undefined && JSON.stringify(overrides).length > OVERRIDES_CHARS_MAX)
    invalid(`Container Overrides length must be at most ${OVERRIDES_CHARS_MAX}`);
  for (const { name } of overrides?.containerOverrides ?? []) {
    if (!definition.containerDefinitions.some((container) => container.name === name))
      invalid(`Override for container named ${name} is not a container in the TaskDefinition.`);
  }
  if (launchType !== undefined && strategy !== undefined)
    invalid('Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.');
  if (strategy !== undefined && strategy.every(({ weight = 0, base = 0 }) => weight === 0 && base === 0))
    invalid('At least one capacity provider must have a weight greater than zero.');
  if (definition.networkMode === 'awsvpc' && networkConfiguration?.awsvpcConfiguration === undefined)
    invalid("Network Configuration must be provided when networkMode 'awsvpc' is specified.");
  const [cpu, memory] = sizeOf(request, definition);
  if (fargateSize(cpu, memory) === null) invalid('No Fargate configuration exists for given values.');
}

/** Why the driver cannot run a request; null if it can. */
export function driverRefusal(
  request: RunTaskRequest,
  definition: Definition,
  driver: Pick<Driver, 'refusal'>,
): string | null {
  const containerDefinitions = definition.containerDefinitions.map((container) => ({
    ...container,
    entryPoint: [],
    command: [...commandOf(container, request.overrides ?? {})],
  }));
  return driver.refusal({ containerDefinitions });
}

const sizeOf = ({ overrides }: RunTaskRequest, definition: Definition): readonly [cpu: string, memory: string] => [
  overrides?.cpu ?? definition.cpu ?? '256',
  overrides?.memory ?? definition.memory ?? '512',
];

/** vCPU of one task of a request. */
export function vcpuOf(request: RunTaskRequest, definition: Definition): number {
  return (fargateSize(...sizeOf(request, definition))?.cpu ?? 0) / 1024;
}

/** The capacity a task uses: the strategy's heaviest provider; null if only a launch type (or nothing) was given. */
export function capacityProviderOf({ capacityProviderStrategy }: RunTaskRequest): string | null {
  const sorted = [...(capacityProviderStrategy ?? [])].sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0));
  return sorted[0]?.capacityProvider ?? null;
}

/** The size of a task of a request, and its tags, which say what it is made of. */
function grantedSize(request: RunTaskRequest, definition: Definition): Pick<TaskRecord, 'cpu' | 'memory' | 'tags'> {
  const [cpu, memory] = sizeOf(request, definition);
  const size = fargateSize(cpu, memory);
  const own = request.tags ?? [];
  return {
    cpu: String(size?.cpu ?? cpu),
    memory: String(size?.memoryMiB ?? memory),
    tags: request.propagateTags === 'TASK_DEFINITION' ? [...definition.tags, ...own] : own,
  };
}

/** Random; the last part of the ARN: 32 hex digits. */
export const newTaskId = (): string => randomUUID().replaceAll('-', '');

/** The first record of one task of a launch. */
export function newTask(
  id: string,
  request: RunTaskRequest,
  definition: Definition,
  launch: Launch,
  { cluster, privateIp, nowMs }: { readonly cluster: string; readonly privateIp: string; readonly nowMs: number },
): TaskRecord {
  return {
    schema: 1,
    id,
    cluster,
    definition: { family: definition.family, revision: definition.revision },
    launch,
    group: request.group ?? `family:${definition.family}`,
    startedBy: request.startedBy ?? null,
    capacityProvider: capacityProviderOf(request),
    ...grantedSize(request, definition),
    overrides: { containerOverrides: [], ...request.overrides },
    subnetId: request.networkConfiguration?.awsvpcConfiguration?.subnets[0] ?? 'subnet-local',
    privateIp,
    createdAtMs: nowMs,
    version: 1,
    lastStatus: 'PROVISIONING',
    containers: definition.containerDefinitions.map(({ name }) => ({
      name,
      status: 'pending',
      exitCode: null,
      reason: null,
      startedAtMs: null,
      endedAtMs: null,
    })),
    startedAtMs: null,
    stop: null,
    stoppedAtMs: null,
  };
}
