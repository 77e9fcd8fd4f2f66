import type { Definition } from './definition.ts';
import { executionStoppedAtMs } from './task-life.ts';
import type { ContainerRecord, Overrides, StopCause, TaskRecord } from './task-record.ts';

/** The AWS account, Region, and network that these tasks appear to be in. */
export type TaskPlace = { readonly region: string; readonly account: string };

export const clusterArn = ({ region, account }: TaskPlace, cluster: string): string =>
  `arn:aws:ecs:${region}:${account}:cluster/${cluster}`;
export const taskArn = ({ region, account }: TaskPlace, cluster: string, id: string): string =>
  `arn:aws:ecs:${region}:${account}:task/${cluster}/${id}`;
export const definitionArn = (
  { region, account }: TaskPlace,
  { family, revision }: { readonly family: string; readonly revision: number },
): string => `arn:aws:ecs:${region}:${account}:task-definition/${family}:${revision}`;

/** A task as DescribeTasks and events show it; `Time` is Date in one and text in the other. Unknown members are absent. */
export type RenderedTask<Time> = {
  attachments: RenderedAttachment[];
  attributes: { name: string; value: string }[];
  availabilityZone: string;
  capacityProviderName?: string;
  clusterArn: string;
  connectivity?: 'CONNECTED';
  connectivityAt?: Time;
  containers: RenderedContainer[];
  cpu: string;
  createdAt: Time;
  desiredStatus: 'RUNNING' | 'STOPPED';
  enableExecuteCommand: boolean;
  ephemeralStorage: { sizeInGiB: number };
  executionStoppedAt?: Time;
  group: string;
  launchType: 'FARGATE';
  lastStatus: TaskRecord['lastStatus'];
  memory: string;
  overrides: Overrides;
  platformVersion: string;
  startedAt?: Time;
  startedBy?: string;
  stopCode?: StopCause['code'];
  stoppedAt?: Time;
  stoppedReason?: string;
  stoppingAt?: Time;
  taskArn: string;
  taskDefinitionArn: string;
  updatedAt?: Time;
  version: number;
};

type RenderedAttachment = { id: string; type: string; status: string; details: { name: string; value: string }[] };

type RenderedContainer = {
  containerArn: string;
  taskArn: string;
  name: string;
  image: string;
  runtimeId?: string;
  lastStatus: 'PENDING' | 'RUNNING' | 'STOPPED';
  exitCode?: number;
  reason?: string;
  networkInterfaces: { attachmentId: string; privateIpv4Address: string }[];
  cpu: string;
};

export type RenderStyle<Time> = {
  readonly stamp: (ms: number) => Time;
  /** API answers say `ElasticNetworkInterface`, events say `eni`. */
  readonly attachmentType: 'ElasticNetworkInterface' | 'eni';
  readonly updatedAtMs?: number;
};

/** Renders a task record; see {@link RenderedTask}. */
export function renderTask<Time>(
  task: TaskRecord,
  definition: Definition,
  place: TaskPlace,
  style: RenderStyle<Time>,
): RenderedTask<Time> {
  const { stamp } = style;
  const arn = taskArn(place, task.cluster, task.id);
  const stoppedExecutionMs = executionStoppedAtMs(task);
  const ended = task.lastStatus === 'DEPROVISIONING' || task.lastStatus === 'STOPPED';
  const placed = task.lastStatus !== 'PROVISIONING';
  return {
    attachments: [attachment(task, style.attachmentType)],
    attributes: [{ name: 'ecs.cpu-architecture', value: process.arch === 'arm64' ? 'arm64' : 'x86_64' }],
    availabilityZone: `${place.region}a`,
    ...(task.capacityProvider === null ? {} : { capacityProviderName: task.capacityProvider }),
    clusterArn: clusterArn(place, task.cluster),
    ...(placed ? { connectivity: 'CONNECTED', connectivityAt: stamp(task.createdAtMs) } : {}),
    containers: task.containers.map((container, n) => renderContainer(task, definition, arn, container, n)),
    cpu: task.cpu,
    createdAt: stamp(task.createdAtMs),
    desiredStatus: task.stop !== null || ended ? 'STOPPED' : 'RUNNING',
    enableExecuteCommand: false,
    ephemeralStorage: task.overrides.ephemeralStorage ?? definition.ephemeralStorage ?? INCLUDED_STORAGE,
    ...(ended && stoppedExecutionMs !== null ? { executionStoppedAt: stamp(stoppedExecutionMs) } : {}),
    group: task.group,
    launchType: 'FARGATE',
    lastStatus: task.lastStatus,
    memory: task.memory,
    overrides: task.overrides,
    platformVersion: '1.4.0',
    ...(task.startedAtMs === null ? {} : { startedAt: stamp(task.startedAtMs) }),
    ...(task.startedBy === null ? {} : { startedBy: task.startedBy }),
    ...(task.stop === null
      ? {}
      : { stopCode: task.stop.code, stoppedReason: task.stop.reason, stoppingAt: stamp(task.stop.atMs) }),
    ...(task.stoppedAtMs === null ? {} : { stoppedAt: stamp(task.stoppedAtMs) }),
    taskArn: arn,
    taskDefinitionArn: definitionArn(place, task.definition),
    ...(style.updatedAtMs === undefined ? {} : { updatedAt: stamp(style.updatedAtMs) }),
    version: task.version,
  };
}

/** What every Fargate task has. */
const INCLUDED_STORAGE = { sizeInGiB: 20 };

function renderContainer(
  task: TaskRecord,
  definition: Definition,
  arn: string,
  container: ContainerRecord,
  n: number,
): RenderedContainer {
  const defined = definition.containerDefinitions.find(({ name }) => name === container.name);
  return {
    containerArn: `${arn.replace(':task/', ':container/')}/${uuidFrom(task.id, n + 1)}`,
    taskArn: arn,
    name: container.name,
    image: defined?.image ?? '',
    ...(container.startedAtMs === null ? {} : { runtimeId: `${task.id}-${String(n + 1).padStart(10, '0')}` }),
    lastStatus: container.status === 'running' ? 'RUNNING' : container.status === 'stopped' ? 'STOPPED' : 'PENDING',
    ...(container.exitCode === null ? {} : { exitCode: container.exitCode }),
    ...(container.reason === null ? {} : { reason: container.reason.slice(0, REASON_CHARS_MAX) }),
    networkInterfaces:
      task.lastStatus === 'PROVISIONING'
        ? []
        : [{ attachmentId: uuidFrom(task.id, 0), privateIpv4Address: task.privateIp }],
    cpu: '0',
  };
}

/** ECS cuts a container's reason at this length (ECS API, Container.reason). */
const REASON_CHARS_MAX = 1024;

/** The network interface of a task: only the subnet until it is placed, as in a RunTask answer. */
function attachment(task: TaskRecord, type: string): RenderedAttachment {
  const id = uuidFrom(task.id, 0);
  const subnet = { name: 'subnetId', value: task.subnetId };
  if (task.lastStatus === 'PROVISIONING') return { id, type, status: 'PRECREATED', details: [subnet] };
  const digits = task.id.slice(0, 10);
  return {
    id,
    type,
    status: task.lastStatus === 'STOPPED' ? 'DELETED' : 'ATTACHED',
    details: [
      subnet,
      { name: 'networkInterfaceId', value: `eni-0${task.id.slice(0, 16)}` },
      { name: 'macAddress', value: `0e:${(digits.match(/../g) ?? []).join(':')}` },
      { name: 'privateDnsName', value: `ip-${task.privateIp.replaceAll('.', '-')}.ec2.internal` },
      { name: 'privateIPv4Address', value: task.privateIp },
    ],
  };
}

/** A task's other identifiers are derived from its id, so none of them has to be stored. */
function uuidFrom(taskId: string, n: number): string {
  return `${taskId.slice(0, 8)}-${taskId.slice(8, 12)}-4${taskId.slice(13, 16)}-a${taskId.slice(17, 20)}-${taskId.slice(20, 30)}${n.toString(16).padStart(2, '0')}`;
}
