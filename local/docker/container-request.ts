import { CONTAINER_LABELS } from '../../shared/domain/task/container-labels.ts';
import type { ContainerDefinition, Tmpfs } from '../ecs/definition.ts';
import { fargateSize } from '../ecs/definition.ts';
import { type ContainerRun, environmentOf, overrideOf } from '../ecs/driver/driver.ts';
import { addressVariables } from '../ecs/driver/task-network.ts';
import { ACCESS_FOLDER } from '../tokens/task-tokens.ts';
import { WORKSPACE } from '../ecs/driver/workspace-path.ts';
import { LABELS } from './names.ts';

/** What a container gets from this machine. */
export type Place = {
  readonly installation: string;
  /** No container may have more. */
  readonly cpus: number;
  /** Variables of every container, unless it sets them itself. */
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly (readonly [name: string, value: string])[];
  /** The folder that is mounted at {@link WORKSPACE}. */
  readonly workspaceDir: string;
  /** The folder that is mounted at {@link ACCESS_FOLDER}, unless a volume is; null: none. */
  readonly accessDir: string | null;
  /** Volumes of the engine begin with this. */
  readonly volumePrefix: string;
  /** Where the container's mount points are on this machine, in their order; null: a volume of the engine. */
  readonly mounts: readonly (string | null)[];
  /** The groups of its programs beside that of its user. */
  readonly groups: readonly number[];
  /** The container has its own network, or that of the container that holds it for its task. */
  readonly network: OwnNetwork | { readonly kind: 'shared'; readonly sandbox: string };
};

export type OwnNetwork = { readonly kind: 'own'; readonly name: string };

/** How a container is created (Docker Engine API, ContainerCreate). Pure. */
export function containerRequest(run: ContainerRun, place: Place): object {
  const { task, container } = run;
  const { capabilities, tmpfs = [] } = container.linuxParameters ?? {};
  const size = fargateSize(task.cpu, task.memory);
  const command = overrideOf(container, task.overrides)?.command ?? container.command;
  return {
    Image: container.image,
    Env: [...variablesOf(run, place)].map(([name, value]) => `${name}=${value}`),
    Labels: labelsOf(run, place.installation),
    ...(container.entryPoint === undefined ? {} : { Entrypoint: container.entryPoint }),
    ...(command === undefined ? {} : { Cmd: command }),
    ...(container.workingDirectory === undefined ? {} : { WorkingDir: container.workingDirectory }),
    ...(container.user === undefined ? {} : { User: container.user }),
    ...inputOf(container),
    ...(place.network.kind === 'own' ? networkOf(run, place.network) : {}),
    HostConfig: {
      NetworkMode: place.network.kind === 'own' ? place.network.name : `container:${place.network.sandbox}`,
      ...(size === null ? {} : limitsOf(size, memoryLimit(run), place.cpus)),
      ...(container.readonlyRootFilesystem === true ? { ReadonlyRootfs: true } : {}),
      ...(capabilities?.add === undefined ? {} : { CapAdd: capabilities.add }),
      ...(capabilities?.drop === undefined ? {} : { CapDrop: capabilities.drop }),
      ...(place.groups.length === 0 ? {} : { GroupAdd: place.groups.map(String) }),
      ...(tmpfs.length === 0 ? {} : { Tmpfs: Object.fromEntries(tmpfs.map(tmpfsEntry)) }),
      Mounts: [
        { Type: 'bind', Source: place.workspaceDir, Target: WORKSPACE },
        ...accessOf(container, place),
        ...volumesOf(container, place),
      ],
      LogConfig: ALL_LINES,
    },
  };
}

/** An engine keeps an input open, and closes it, as a kubelet does. */
const inputOf = ({ interactive, pseudoTerminal, dockerLabels = {} }: ContainerDefinition) => ({
  ...(interactive === true ? { OpenStdin: true, StdinOnce: dockerLabels[CONTAINER_LABELS.stdinOnce] === 'true' } : {}),
  ...(pseudoTerminal === true ? { Tty: true } : {}),
});

/** Holds the network of a task with several containers while they come and go. Pure. */
export const sandboxRequest = (
  run: ContainerRun,
  image: string,
  installation: string,
  network: OwnNetwork,
): object => ({
  Image: image,
  Labels: { [LABELS.installation]: installation, [LABELS.task]: run.task.id },
  StopSignal: 'SIGKILL',
  ...networkOf(run, network),
  HostConfig: { NetworkMode: network.name, LogConfig: ALL_LINES },
});

/** The engine's own settings may drop old lines; then those that are not copied yet would be missing. */
const ALL_LINES = { Type: 'json-file', Config: { 'max-size': '1024g' } } as const;

const labelsOf = ({ task, container }: ContainerRun, installation: string) => ({
  [LABELS.installation]: installation,
  [LABELS.task]: task.id,
  [LABELS.container]: container.name,
});

function variablesOf(run: ContainerRun, { environment, secrets }: Place): ReadonlyMap<string, string> {
  const { task, container } = run;
  const given = environmentOf(container, task.overrides);
  return new Map([
    ...Object.entries(environment),
    ['MUSTER_WORKSPACE', WORKSPACE],
    ['MUSTER_ADDRESS', task.privateIp],
    ...secrets,
    ...given,
    ...addressVariables(task, given),
  ]);
}

/** No swap: a program that takes more memory than it asked for ends, as on Fargate. */
const limitsOf = (
  { cpu, memoryMiB }: { readonly cpu: number; readonly memoryMiB: number },
  limit: number,
  cpus: number,
) => {
  const bytes = Math.max(MEMORY_BYTES_MIN, Math.min(memoryMiB * MIB, limit));
  return { NanoCpus: Math.round(Math.min(cpu / 1024, cpus) * 1e9), Memory: bytes, MemorySwap: bytes };
};
const MIB = 1024 * 1024;
/** An engine takes no less. */
const MEMORY_BYTES_MIN = 6 * MIB;

/** What the Pod allows the container in bytes, unless the launch gives its task another size. */
function memoryLimit({ task: { overrides }, container: { dockerLabels = {} } }: ContainerRun): number {
  const bytes = overrides.memory === undefined ? Number(dockerLabels[CONTAINER_LABELS.memoryLimit]) : Number.NaN;
  return Number.isFinite(bytes) ? bytes : Infinity;
}

const volumesOf = ({ mountPoints = [] }: ContainerDefinition, { volumePrefix, mounts, installation }: Place) =>
  mountPoints.map(({ sourceVolume, containerPath, readOnly = false }, nth) => {
    const path = mounts[nth] ?? null;
    return {
      ...(path === null
        ? {
            Type: 'volume',
            Source: `${volumePrefix}${sourceVolume}`,
            VolumeOptions: { Labels: { [LABELS.installation]: installation } },
          }
        : { Type: 'bind', Source: path }),
      Target: containerPath,
      ReadOnly: readOnly,
    };
  });

/** A Pod that mounts something there itself keeps it, as upstream's admission of ServiceAccounts has it. */
const accessOf = ({ mountPoints = [], linuxParameters }: ContainerDefinition, { accessDir }: Place) =>
  accessDir === null ||
  [...mountPoints, ...(linuxParameters?.tmpfs ?? [])].some(({ containerPath }) => containerPath === ACCESS_FOLDER)
    ? []
    : [{ Type: 'bind', Source: accessDir, Target: ACCESS_FOLDER, ReadOnly: true }];

const tmpfsEntry = ({ containerPath, size, mountOptions = [] }: Tmpfs) =>
  [containerPath, [`size=${size}m`, ...mountOptions].join(',')] as const;

/** Its address, and the names by which other tasks find it. */
function networkOf({ task, container }: ContainerRun, { name }: OwnNetwork) {
  const hostname = environmentOf(container, task.overrides).get('MUSTER_HOSTNAME');
  const label = hostname?.split('.')[0];
  return {
    ...(label === undefined ? {} : { Hostname: label }),
    NetworkingConfig: {
      EndpointsConfig: {
        [name]: {
          IPAMConfig: { IPv4Address: task.privateIp },
          ...(hostname === undefined ? {} : { Aliases: [hostname] }),
        },
      },
    },
  };
}
