import type {
  ContainerDefinition,
  RegisterTaskDefinitionCommandInput,
  TaskDefinition as Registered,
  Volume,
} from '@aws-sdk/client-ecs';
import type { SecretSource } from '../../../domain/task/container-env.ts';
import { type AccountRole, type TaskRoles, accountRole } from '../../../domain/task/task-roles.ts';
import {
  CONTAINER_LABELS,
  subPathExprLabel,
  subPathLabel,
  tmpfsVolumeLabel,
} from '../../../domain/task/container-labels.ts';
import { inOneGroup, withoutGroups } from '../../../domain/task/volumes/one-group.ts';
import { splitVolumes } from '../../../domain/task/volumes/split-volumes.ts';
import {
  FILES_CONTAINER,
  type PullSecret,
  type TaskContainer,
  type TaskDefinition,
  type TaskFile,
  type TaskFileSystem,
  type TaskTmpfs,
  type VolumeGroup,
  fileVariable,
  hasFilesContainer,
} from '../../../domain/task/task.ts';
import {
  configMapParameter,
  objectReference,
  pullCopyName,
  secretName,
  secretReference,
} from '../../../names/secrets.ts';
import { volumeVariable } from '../../../domain/task/volumes/volume-variable.ts';
import { FILE_PLAN, FOLDER_PLAN, folderPlanOf, planOf } from './file-plan.ts';
import { FILES_IMAGE, FILES_ROOT, filesScript } from './files-script.ts';

/** What every task definition of an installation shares. */
export type DefinitionSettings = {
  readonly region: string;
  readonly executionRoleArn: string;
  /** null: tasks have no AWS permissions of their own. */
  readonly taskRoleArn: string | null;
  /** null: this installation has no roles and accepts any account. */
  readonly taskRoles: TaskRoles | null;
  readonly logGroup: string;
  /** The image of the container that writes files; omitted: {@link FILES_IMAGE}. */
  readonly filesImage?: string | undefined;
  /** This ECS mounts parts of volumes: that of this machine does. */
  readonly mountsParts?: boolean;
  /** In which groups programs can be beside that of their user; omitted: in none, as on Fargate. */
  readonly groups?: Groups | undefined;
  /** Commands can be run in tasks, by ECS Exec: what they leave behind is then reaped. */
  readonly exec?: boolean;
};

/** `ofUser`: they are those of one user, whatever a Pod says, and so are their volumes. */
export type Groups = 'any' | 'ofUser';

/** Log streams are named `<prefix>/<container>/<task id>`. */
export const LOG_STREAM_PREFIX = 'muster';

/** Whose permissions the containers of a definition have; null: nobody's. */
export type TaskRole = AccountRole | { readonly kind: 'role'; readonly arn: string | null };

/**
 * The role of a definition's service account.
 *
 * @param named the role that the stored ServiceAccount names; null: none
 */
export function taskRoleOf(
  { serviceAccount }: TaskDefinition,
  { taskRoles, taskRoleArn }: DefinitionSettings,
  named: string | null = null,
): TaskRole {
  if (serviceAccount === null || taskRoles === null) return { kind: 'role', arn: taskRoleArn };
  return accountRole(serviceAccount, named, taskRoles);
}

/** Pure: how a task definition is registered for Fargate. `taskRoleArn`: see {@link taskRoleOf}. */
export function registerInput(
  template: TaskDefinition,
  settings: DefinitionSettings,
  taskRoleArn: string | null,
): RegisterTaskDefinitionCommandInput {
  const grouped = groupedBy(template, settings);
  const definition = settings.mountsParts === true ? grouped : splitVolumes(grouped);
  const { ephemeralStorageGib, volumes } = definition;
  const places = volumePlaces(definition, settings);
  const containers = hasFilesContainer(definition) ? withFiles(definition, settings) : definition.containers;
  const ports = new Set<string>();
  return {
    family: definition.family,
    requiresCompatibilities: ['FARGATE'],
    networkMode: 'awsvpc',
    cpu: String(definition.cpu),
    memory: String(definition.memoryMib),
    ...(ephemeralStorageGib === null ? {} : { ephemeralStorage: { sizeInGiB: ephemeralStorageGib } }),
    ...(definition.architecture === 'X86_64'
      ? {}
      : { runtimePlatform: { cpuArchitecture: definition.architecture, operatingSystemFamily: 'LINUX' } }),
    ...(volumes.length === 0 ? {} : { volumes: volumes.map((name) => ({ name, ...places.get(name) })) }),
    executionRoleArn: settings.executionRoleArn,
    ...(taskRoleArn === null ? {} : { taskRoleArn }),
    containerDefinitions: containers.map((container) => containerInput(container, settings, ports)),
  };
}

function groupedBy(template: TaskDefinition, { groups }: DefinitionSettings): TaskDefinition {
  if (groups === 'any') return template;
  return groups === 'ofUser' ? withoutGroups(template) : inOneGroup(template);
}

/** What a volume is that is not on the task's disk. */
type VolumePlace = Omit<Volume, 'name'>;

const volumePlaces = (
  { hostPaths = [], fileSystems = [], attached }: TaskDefinition,
  settings: DefinitionSettings,
): ReadonlyMap<string, VolumePlace> =>
  new Map<string, VolumePlace>([
    ...hostPaths.map(({ volume, path }) => [volume, { host: { sourcePath: path } }] as const),
    ...fileSystems.map((fileSystem) => [fileSystem.volume, fileSystemPlace(fileSystem, settings)] as const),
    ...(attached === undefined ? [] : [[attached.volume, { configuredAtLaunch: true }] as const]),
  ]);

/** ECS takes no folder beside an access point, and neither that nor IAM without encryption on the way. */
function fileSystemPlace(fileSystem: TaskFileSystem, settings: DefinitionSettings): VolumePlace {
  if (fileSystem.service === 's3files') return bucketPlace(fileSystem, settings);
  const { fileSystemId, rootDirectory, accessPointId, transitEncryption, iam } = fileSystem;
  return {
    efsVolumeConfiguration: {
      fileSystemId,
      ...(accessPointId === null ? { rootDirectory } : {}),
      ...(transitEncryption || accessPointId !== null || iam ? { transitEncryption: 'ENABLED' } : {}),
      ...(accessPointId === null && !iam
        ? {}
        : {
            authorizationConfig: {
              ...(accessPointId === null ? {} : { accessPointId }),
              ...(iam ? { iam: 'ENABLED' } : {}),
            },
          }),
    },
  };
}

/** A file system of S3 Files in the tasks' account and Region (S3 Files API, GetAccessPoint, for the forms of its ARNs). */
function bucketPlace(
  { fileSystemId, rootDirectory, accessPointId }: TaskFileSystem,
  { executionRoleArn, region }: DefinitionSettings,
): VolumePlace {
  const [, partition = 'aws', , , account = ''] = executionRoleArn.split(':');
  const fileSystemArn = `arn:${partition}:s3files:${region}:${account}:file-system/${fileSystemId}`;
  return {
    s3filesVolumeConfiguration: {
      fileSystemArn,
      ...(accessPointId === null
        ? { rootDirectory }
        : { accessPointArn: `${fileSystemArn}/access-point/${accessPointId}` }),
    },
  };
}

/** All containers wait for one that writes the files of their volumes, and gives these to their groups. */
const withFiles = (definition: TaskDefinition, settings: DefinitionSettings): readonly TaskContainer[] => [
  filesContainer(definition, settings),
  ...definition.containers.map((each) => ({
    ...each,
    dependsOnSuccess: [FILES_CONTAINER, ...each.dependsOnSuccess],
  })),
];

/** It writes as root, and nothing but volumes. */
function filesContainer(
  { files: wanted = [], volumeGroups = [] }: TaskDefinition,
  { filesImage = FILES_IMAGE }: DefinitionSettings,
): TaskContainer {
  const files = wanted.map((file) => readableBy(file, volumeGroups));
  const folders = volumeGroups.map(({ volume, group }) => ({
    group,
    mode: files.some((file) => file.volume === volume) ? MODES.ofFiles : MODES.empty,
    volume,
  }));
  const { plan, known } = planOf(files);
  return {
    name: FILES_CONTAINER,
    image: filesImage,
    entryPoint: ['sh', '-c', filesScript({ hasFolders: folders.length > 0, hasFiles: files.length > 0 })],
    command: [FILES_CONTAINER, FILES_ROOT],
    workingDirectory: null,
    environment: [
      ...(folders.length === 0 ? [] : [{ name: FOLDER_PLAN, value: folderPlanOf(folders) }]),
      ...(files.length === 0 ? [] : [{ name: FILE_PLAN, value: plan }, ...known]),
    ],
    secrets: files.flatMap(({ content }, nth) =>
      content.kind === 'secret' ? [{ name: fileVariable(nth), from: content.from }] : [],
    ),
    essential: false,
    dependsOnSuccess: [],
    dependsOnStart: [],
    stopTimeoutSec: FILES_STOP_SEC,
    ports: [],
    mounts: [...new Set([...files, ...volumeGroups].map(({ volume }) => volume))].map((volume) => ({
      volume,
      path: `${FILES_ROOT}/${volume}`,
      readOnly: false,
    })),
    user: '0',
    readOnlyRoot: true,
    capabilities: { add: [], drop: [] },
    pullSecret: null,
  };
}

/**
 * Of the folders of volumes that belong to a group, as the kubelet has them (`SetVolumeOwnership`): every user may write to an empty
 * one, and what is made in them belongs to the group.
 */
const MODES = { ofFiles: 0o2755, empty: 0o2777 } as const;

/** Files of a volume with a group are for their owner and the group to read, whatever else their mode says. */
const readableBy = (file: TaskFile, groups: readonly VolumeGroup[]): TaskFile =>
  groups.some(({ volume }) => volume === file.volume) ? { ...file, mode: file.mode | 0o440 } : file;

/** A task that is stopped meanwhile need not wait for its files. */
const FILES_STOP_SEC = 2;

/**
 * `portsTaken` holds the ports of earlier containers. A task's containers share one address, and ECS accepts each port
 * once.
 */
function containerInput(
  container: TaskContainer,
  settings: DefinitionSettings,
  portsTaken: Set<string>,
): ContainerDefinition {
  const { mounts, dependsOnSuccess, dependsOnStart, user, readOnlyRoot, pullSecret, tmpfs = [] } = container;
  // If a volume is mounted twice, the variable holds the first path.
  const places = new Map(
    [...mounts, ...tmpfs]
      .toReversed()
      .map(({ volume, podVolume = volume, path }) => [volumeVariable(podVolume), path] as const),
  );
  const environment = [...container.environment, ...[...places].map(([name, value]) => ({ name, value }))];
  const ports = container.ports.filter(({ port, protocol }) => {
    const key = `${port}/${protocol}`;
    return portsTaken.has(key) ? false : portsTaken.add(key);
  });
  return {
    name: container.name,
    image: container.image,
    essential: container.essential,
    ...(container.entryPoint.length === 0 ? {} : { entryPoint: [...container.entryPoint] }),
    ...(container.command.length === 0 ? {} : { command: [...container.command] }),
    ...(container.workingDirectory === null ? {} : { workingDirectory: container.workingDirectory }),
    environment: environment.map(({ name, value }) => ({ name, value })),
    ...(container.secrets.length === 0
      ? {}
      : { secrets: container.secrets.map(({ name, from }) => ({ name, valueFrom: valueFromOf(from, settings) })) }),
    ...(dependsOnSuccess.length + dependsOnStart.length === 0
      ? {}
      : {
          dependsOn: [
            ...dependsOnSuccess.map((name) => ({ containerName: name, condition: 'SUCCESS' as const })),
            ...dependsOnStart.map((name) => ({ containerName: name, condition: 'START' as const })),
          ],
        }),
    stopTimeout: container.stopTimeoutSec,
    ...(ports.length === 0
      ? {}
      : { portMappings: ports.map(({ port, protocol }) => ({ containerPort: port, protocol })) }),
    ...(mounts.length === 0
      ? {}
      : {
          mountPoints: mounts.map(({ volume, path, readOnly }) => ({
            sourceVolume: volume,
            containerPath: path,
            readOnly,
          })),
        }),
    ...(user === null ? {} : { user }),
    ...(readOnlyRoot ? { readonlyRootFilesystem: true } : {}),
    ...linuxParametersOf(container, settings),
    ...(pullSecret === null ? {} : { repositoryCredentials: { credentialsParameter: credentialsOf(pullSecret) } }),
    ...(container.interactive === true ? { interactive: true } : {}),
    ...(container.terminal === true ? { pseudoTerminal: true } : {}),
    ...labelsOf(container),
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': settings.logGroup,
        'awslogs-region': settings.region,
        'awslogs-stream-prefix': LOG_STREAM_PREFIX,
        mode: 'blocking', // since 2025-06 the default drops lines under load
      },
    },
  };
}

const credentialsOf = ({ namespace, name, copy }: PullSecret): string =>
  copy === undefined ? secretName(namespace, name) : pullCopyName({ namespace, name, ...copy });

function linuxParametersOf(
  { capabilities: { add, drop }, tmpfs = [] }: TaskContainer,
  { exec = false }: DefinitionSettings,
): Pick<ContainerDefinition, 'linuxParameters'> {
  const capabilities =
    add.length + drop.length === 0
      ? {}
      : {
          capabilities: {
            ...(add.length === 0 ? {} : { add: [...add] }),
            ...(drop.length === 0 ? {} : { drop: [...drop] }),
          },
        };
  const linuxParameters = {
    ...capabilities,
    ...(tmpfs.length === 0 ? {} : { tmpfs: tmpfs.map(tmpfsInput) }),
    ...(exec ? { initProcessEnabled: true } : {}),
  };
  return Object.keys(linuxParameters).length === 0 ? {} : { linuxParameters };
}

/** In Kubernetes, programs can be run from it; ECS takes Docker's defaults, among them noexec. */
const tmpfsInput = ({ path, sizeMib, readOnly }: TaskTmpfs) => ({
  containerPath: path,
  size: sizeMib,
  mountOptions: ['exec', ...(readOnly ? ['ro'] : [])],
});

function labelsOf({
  labels,
  groups = [],
  mounts,
  tmpfs = [],
}: TaskContainer): Pick<ContainerDefinition, 'dockerLabels'> {
  const names = [
    ...(groups.length === 0 ? [] : [[CONTAINER_LABELS.groups, groups.join(',')] as const]),
    ...tmpfs.map(({ volume }, nth) => [tmpfsVolumeLabel(nth), volume] as const),
    ...mounts.flatMap(({ subPath, subPathExpr }, nth) => [
      ...(subPath === undefined ? [] : [[subPathLabel(nth), subPath] as const]),
      ...(subPathExpr === undefined ? [] : [[subPathExprLabel(nth), subPathExpr] as const]),
    ]),
  ];
  return labels === undefined && names.length === 0
    ? {}
    : { dockerLabels: { ...labels, ...Object.fromEntries(names) } };
}

/**
 * Parameters in the task's own Region are referenced by name. A key of a secret needs the ARN, which we know except for
 * its suffix.
 */
function valueFromOf({ kind, namespace, name, key, object }: SecretSource, settings: DefinitionSettings): string {
  const [, partition = 'aws', , , account = ''] = settings.executionRoleArn.split(':');
  const place = { partition, region: settings.region, account };
  if (object !== undefined) return objectReference(place, { namespace, name, key, version: object.version });
  if (kind === 'configMap') return configMapParameter(namespace, name, key);
  return secretReference(place, namespace, name, key);
}

/**
 * Whether a registered definition of the same family is still right. The family's name has the Pod template's hash, but
 * roles, log group, the image that writes files, who can be in groups, and whether commands can be run belong to the installation and
 * may have changed since.
 */
export function stillFits(registered: Registered, wanted: RegisterTaskDefinitionCommandInput): boolean {
  if (registered.status !== 'ACTIVE') return false;
  const streams = (containers: readonly ContainerDefinition[] = []) =>
    JSON.stringify(
      containers.map(({ name, image, dockerLabels, logConfiguration, linuxParameters }) => [
        name,
        name === FILES_CONTAINER ? image : null,
        dockerLabels?.[CONTAINER_LABELS.groups],
        logConfiguration?.options?.['awslogs-group'],
        logConfiguration?.options?.['awslogs-region'],
        linuxParameters?.initProcessEnabled ?? false,
      ]),
    );
  return (
    registered.executionRoleArn === wanted.executionRoleArn &&
    registered.taskRoleArn === wanted.taskRoleArn &&
    streams(registered.containerDefinitions) === streams(wanted.containerDefinitions)
  );
}

/** Container names for a launch template: first the one that decides the outcome, then the others in order. */
export function mainFirst(containers: readonly TaskContainer[]): readonly string[] {
  const names = containers.map(({ name }) => name);
  const main = containers.find(({ essential }) => essential)?.name;
  return main === undefined ? names : [main, ...names.filter((name) => name !== main)];
}
