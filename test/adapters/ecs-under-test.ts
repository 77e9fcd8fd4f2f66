import { onTestFinished } from 'vitest';
import { createEcsTasks } from '../../shared/adapters/aws/ecs/ecs-tasks.ts';
import { createEcsClients, sdkEcsCalls } from '../../shared/adapters/aws/ecs/sdk-ecs-calls.ts';
import { formatPlacement } from '../../shared/adapters/aws/ecs/run-task-request.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { TaskContainer, TaskDefinition } from '../../shared/domain/task/task.ts';
import { type Answer, type Call, scriptedAws } from './scripted-aws.ts';

export const placement = {
  cluster: 'jobs',
  subnets: ['subnet-1', 'subnet-2'],
  securityGroups: ['sg-1'],
  assignPublicIp: 'ENABLED',
  capacity: 'FARGATE',
} as const;
export const definitions = {
  region: 'eu-central-1',
  executionRoleArn: 'arn:aws:iam::123456789012:role/exec',
  taskRoleArn: null,
  taskRoles: new Map([['default/reports', 'arn:aws:iam::123456789012:role/reports']]),
  logGroup: '/muster/tasks',
};
export const ARN = asTaskArn('arn:aws:ecs:eu-central-1:123456789012:task/jobs/0f0f');
export const REVISION = 'arn:aws:ecs:eu-central-1:123456789012:task-definition/muster-9c1f:1';
export const uid = asJobUid('2f1f9a5e-8f4e-4f0e-9b0a-3d9b4a1c7e55');
export const launch = {
  job: { uid, namespace: 'default', name: 'tiles' },
  id: { index: 7, attempt: 2, nonce: 1 },
  template: { taskDefinition: REVISION, containers: ['main', 'fetch'], placement: formatPlacement(placement) },
  env: [{ name: 'JOB_COMPLETION_INDEX', value: '7' }],
};

export async function tasksThatMeet(script: (call: Call, nth: number) => Answer) {
  const aws = await scriptedAws(script);
  onTestFinished(aws.stop);
  return {
    ...aws,
    tasks: createEcsTasks({ calls: sdkEcsCalls(createEcsClients(aws.connection)), placement, definitions }),
  };
}

export const ok = (body: unknown): Answer => ({ status: 200, body });

const PLAIN = {
  secrets: [],
  dependsOnStart: [],
  ports: [],
  mounts: [],
  user: null,
  readOnlyRoot: false,
  capabilities: { add: [], drop: [] },
  pullSecret: null,
} as const satisfies Partial<TaskContainer>;

export const definition: TaskDefinition = {
  family: 'muster-9c1f',
  cpu: 256,
  memoryMib: 512,
  ephemeralStorageGib: null,
  architecture: 'X86_64',
  serviceAccount: null,
  volumes: [],
  containers: [
    {
      ...PLAIN,
      name: 'fetch',
      image: 'i:1',
      entryPoint: ['sh'],
      command: ['-c', 'true'],
      workingDirectory: '/w',
      environment: [{ name: 'A', value: 'b' }],
      essential: false,
      dependsOnSuccess: [],
      stopTimeoutSec: 30,
    },
    {
      ...PLAIN,
      name: 'main',
      image: 'i:1',
      entryPoint: [],
      command: [],
      workingDirectory: null,
      environment: [],
      essential: true,
      dependsOnSuccess: ['fetch'],
      stopTimeoutSec: 30,
    },
  ],
};
