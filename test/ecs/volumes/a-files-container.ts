import type { ContainerDefinition } from '@aws-sdk/client-ecs';
import { registerInput } from '../../../shared/adapters/aws/ecs/task-definition-request.ts';
import type { TaskContainer, TaskFile } from '../../../shared/domain/task/task.ts';

const SETTINGS = {
  region: 'us-east-1',
  executionRoleArn: 'arn:aws:iam::000000000000:role/exec',
  taskRoleArn: null,
  taskRoles: null,
  logGroup: '/muster/tasks',
};

/** The container that writes these files, as it is registered. */
export function filesContainer(files: readonly TaskFile[]): ContainerDefinition {
  const containers: readonly TaskContainer[] = [];
  const definition = {
    family: 'muster-0',
    cpu: 256,
    memoryMib: 512,
    ephemeralStorageGib: null,
    architecture: 'X86_64',
    serviceAccount: null,
    volumes: [...new Set(files.map(({ volume }) => volume))],
    files,
    containers,
  } as const;
  const [first] = registerInput(definition, SETTINGS, null).containerDefinitions ?? [];
  return first!;
}

/** A file whose content is known. */
export const aFile = (path: string, content: string | Uint8Array, mode = 0o644, volume = 'conf'): TaskFile => ({
  volume,
  path,
  mode,
  content: { kind: 'known', base64: Buffer.from(content).toString('base64') },
});

/** What makes a container wait for them. */
export const AFTER_FILES = { dependsOn: [{ containerName: 'muster-files', condition: 'SUCCESS' as const }] };
