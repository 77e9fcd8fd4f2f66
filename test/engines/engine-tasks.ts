import { randomUUID } from 'node:crypto';
import { CreateClusterCommand, type RegisterTaskDefinitionCommandInput } from '@aws-sdk/client-ecs';
import { createEcsTasks } from '../../shared/adapters/aws/ecs/ecs-tasks.ts';
import { createEcsClients, sdkEcsCalls } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import type { TaskContainer, TaskDefinition } from '../../shared/domain/task/task.ts';
import type { Launch, Tasks } from '../../shared/ports/tasks.ts';
import { REGION, asSigned, authorizationFor } from './engine-client.ts';

/** The cluster of these tests; the embedded ECS has it from the start. */
export const CLUSTER = 'engines';

export type TasksAt = {
  readonly tasks: Tasks;
  /** The same tasks' adapter, told to use a cluster that there is not. */
  readonly inNoCluster: Tasks;
  readonly ourDefinition: TaskDefinition;
  /** A launch of a Job of its own, with a registered definition. */
  launchOf(more?: Partial<Launch>): Promise<Launch>;
  close(): void;
};

/** The adapter that dispatch has, at an engine's ECS. */
export async function tasksAt(endpoint: string): Promise<TasksAt> {
  const { launching, other } = createEcsClients({ region: REGION, endpoint });
  for (const client of [launching, other]) asSigned(client, 'ecs');
  await other.send(new CreateClusterCommand({ clusterName: CLUSTER })).catch(notServed);
  const sdk = sdkEcsCalls({ launching, other });
  const calls = {
    ...sdk,
    registerTaskDefinition: async (input: RegisterTaskDefinitionCommandInput) =>
      sdk.registerTaskDefinition(withContainerMemory(input)),
  };
  const subnets = [await idOf(endpoint, 'Subnets', /subnet-[0-9a-f]+/)];
  const securityGroups = [await idOf(endpoint, 'SecurityGroups', /sg-[0-9a-f]+/)];
  const at = (cluster: string): Tasks =>
    createEcsTasks({
      calls,
      placement: {
        cluster,
        subnets,
        securityGroups,
        assignPublicIp: 'ENABLED',
        capacity: 'FARGATE',
      },
      definitions: {
        region: REGION,
        executionRoleArn: 'arn:aws:iam::123456789012:role/exec',
        taskRoleArn: null,
        taskRoles: null,
        logGroup: '/muster/tasks',
      },
    });
  const tasks = at(CLUSTER);
  const ourDefinition = { ...DEFINITION, family: `muster-${randomUUID().slice(0, 8)}` };
  return {
    tasks,
    inNoCluster: at('nowhere'),
    ourDefinition,
    async launchOf(more = {}) {
      const prepared = await tasks.prepare(ourDefinition);
      if (prepared.kind !== 'ready') throw new Error(`the definition is ${prepared.kind}: ${prepared.reason}`);
      return {
        job: { uid: asJobUid(randomUUID()), namespace: 'default', name: 'tiles' },
        id: { index: 7, attempt: 2, nonce: 1 },
        template: prepared.template,
        env: [{ name: 'JOB_COMPLETION_INDEX', value: '7' }],
        ...more,
      };
    },
    close() {
      launching.destroy();
      other.destroy();
    },
  };
}

/**
 * moto adds up the memory of containers and fails where one has none (moto/ecs/models.py,
 * `_calculate_task_resource_requirements`). On AWS, a Fargate task's own memory is enough (ECS API reference, ContainerDefinition).
 */
const withContainerMemory = (input: RegisterTaskDefinitionCommandInput): RegisterTaskDefinitionCommandInput => ({
  ...input,
  containerDefinitions: input.containerDefinitions?.map((each) => ({ ...each, memoryReservation: 512 })),
});

/** What moto looks up in its own EC2, where a network exists from the start; engines without an EC2 take any id. */
async function idOf(endpoint: string, kind: 'Subnets' | 'SecurityGroups', id: RegExp): Promise<string> {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization: authorizationFor('ec2'),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `Action=Describe${kind}&Version=2016-11-15`,
  });
  return id.exec(await answer.text())?.[0] ?? (kind === 'Subnets' ? 'subnet-0a1b2c3d' : 'sg-0a1b2c3d');
}

/** The embedded ECS has the clusters that it is started with, and makes none. */
function notServed(error: unknown): void {
  if (!(error instanceof Error && error.name === 'UnknownOperationException')) throw error;
}

const MAIN: TaskContainer = {
  name: 'main',
  image: 'busybox',
  entryPoint: ['sh', '-c'],
  command: ['true'],
  workingDirectory: '/work',
  environment: [{ name: 'HOLD', value: '1' }],
  secrets: [],
  essential: true,
  dependsOnSuccess: [],
  dependsOnStart: [],
  stopTimeoutSec: 30,
  ports: [{ port: 8080, protocol: 'tcp' }],
  mounts: [{ volume: 'scratch', path: '/scratch', readOnly: false }],
  user: '1000:1000',
  readOnlyRoot: true,
  capabilities: { add: [], drop: ['NET_RAW'] },
  pullSecret: null,
};

const DEFINITION: Omit<TaskDefinition, 'family'> = {
  cpu: 256,
  memoryMib: 512,
  ephemeralStorageGib: null,
  architecture: 'X86_64',
  serviceAccount: null,
  volumes: ['scratch'],
  containers: [MAIN],
};
