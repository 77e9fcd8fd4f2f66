import type {
  ContainerDefinition,
  RegisterTaskDefinitionCommandInput,
  TaskDefinition as Registered,
} from '@aws-sdk/client-ecs';
import type { TaskContainer, TaskDefinition } from '../../domain/task.ts';

/** What every task definition of an installation shares. */
export type DefinitionSettings = {
  readonly region: string;
  readonly executionRoleArn: string;
  /** null: tasks have no AWS permissions of their own. */
  readonly taskRoleArn: string | null;
  readonly logGroup: string;
};

/** Log streams are named `<prefix>/<container>/<task id>`. */
export const LOG_STREAM_PREFIX = 'muster';

/** Pure: how a task definition is registered for Fargate. */
export function registerInput(
  definition: TaskDefinition,
  settings: DefinitionSettings,
): RegisterTaskDefinitionCommandInput {
  return {
    family: definition.family,
    requiresCompatibilities: ['FARGATE'],
    networkMode: 'awsvpc',
    cpu: String(definition.cpu),
    memory: String(definition.memoryMib),
    executionRoleArn: settings.executionRoleArn,
    ...(settings.taskRoleArn === null ? {} : { taskRoleArn: settings.taskRoleArn }),
    containerDefinitions: definition.containers.map((container) => containerInput(container, settings)),
  };
}

function containerInput(container: TaskContainer, { logGroup, region }: DefinitionSettings): ContainerDefinition {
  return {
    name: container.name,
    image: container.image,
    essential: container.essential,
    ...(container.entryPoint.length === 0 ? {} : { entryPoint: [...container.entryPoint] }),
    ...(container.command.length === 0 ? {} : { command: [...container.command] }),
    ...(container.workingDirectory === null ? {} : { workingDirectory: container.workingDirectory }),
    environment: container.environment.map(({ name, value }) => ({ name, value })),
    ...(container.dependsOnSuccess.length === 0
      ? {}
      : {
          dependsOn: container.dependsOnSuccess.map((name) => ({ containerName: name, condition: 'SUCCESS' as const })),
        }),
    stopTimeout: container.stopTimeoutSec,
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': logGroup,
        'awslogs-region': region,
        'awslogs-stream-prefix': LOG_STREAM_PREFIX,
        mode: 'blocking', // the default has dropped lines under load since 2025-06
      },
    },
  };
}

/**
 * Whether a registered definition of the same family still fits: the family names the Pod template's hash, but roles and
 * log group are the installation's and may have changed since.
 */
export function stillFits(registered: Registered, wanted: RegisterTaskDefinitionCommandInput): boolean {
  if (registered.status !== 'ACTIVE') return false;
  const streams = (containers: readonly ContainerDefinition[] = []) =>
    JSON.stringify(
      containers.map(({ name, logConfiguration }) => [
        name,
        logConfiguration?.options?.['awslogs-group'],
        logConfiguration?.options?.['awslogs-region'],
      ]),
    );
  return (
    registered.executionRoleArn === wanted.executionRoleArn &&
    registered.taskRoleArn === wanted.taskRoleArn &&
    streams(registered.containerDefinitions) === streams(wanted.containerDefinitions)
  );
}

/** Names for a launch template: the container that decides the outcome first, then the others as they are. */
export function mainFirst(containers: readonly TaskContainer[]): readonly string[] {
  const names = containers.map(({ name }) => name);
  const main = containers.find(({ essential }) => essential)?.name;
  return main === undefined ? names : [main, ...names.filter((name) => name !== main)];
}
