import { FILE_NAME_BYTES_MAX, escapeName, type StreamName } from '../../logs/stream-files.ts';
import type { ContainerDefinition } from '../definition.ts';

/** The awslogs driver's stream: `<prefix>/<container>/<task id>`. Without it, the output stays in the task's folder. */
export function logStream({ name, logConfiguration }: ContainerDefinition, taskId: string): StreamName | null {
  const options = logConfiguration?.logDriver === 'awslogs' ? logConfiguration.options : undefined;
  const group = options?.['awslogs-group'];
  const prefix = options?.['awslogs-stream-prefix'];
  return group === undefined || prefix === undefined ? null : { group, stream: `${prefix}/${name}/${taskId}` };
}

/** Why the output of a container cannot be kept; null if it can. */
export function logNameFault(container: ContainerDefinition): string | null {
  const log = logStream(container, '0'.repeat(32));
  if (container.logConfiguration?.logDriver === 'awslogs' && log === null)
    return `container ${container.name}: awslogs needs awslogs-group and awslogs-stream-prefix`;
  if (log !== null && [log.group, log.stream].some((name) => escapeName(name).length > FILE_NAME_BYTES_MAX))
    return `container ${container.name}: the names of its log group and stream are too long to be kept as files`;
  return null;
}
