import type { JobUid, TaskArn } from '../base/ids.ts';
import { invariant } from '../base/invariant.ts';
import type { SecretSource } from './container-env.ts';
import type { AttemptId, AttemptTimes, Ending } from '../base/fact.ts';

/** A Fargate size in ECS's units: 1024 per vCPU, and MiB. */
export type TaskSize = {
  readonly cpu: number;
  readonly memoryMib: number;
  /** null: Fargate's own 20 GiB. */
  readonly ephemeralStorageGib: number | null;
};

/** What a Pod requests: thousandths of a CPU, and MiB of memory. 0: nothing. */
export type PodRequests = { readonly milliCpu: number; readonly memoryMib: number };

/** What a pod template becomes: the same for all indexes and attempts, so it is registered once per content hash. */
export type TaskDefinition = TaskSize & {
  /** `muster-<hash of everything below>`: equal templates share one family. */
  readonly family: string;
  readonly architecture: 'X86_64' | 'ARM64';
  /** The service account whose permissions the containers have; null: the installation's default for all. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | null;
  /** Shared by the containers that mount them. On the task's disk: empty at the start, deleted with the task. */
  readonly volumes: readonly string[];
  /** Those of the volumes that are on the machine that runs the task. Omitted: none. */
  readonly hostPaths?: readonly { readonly volume: string; readonly path: string }[];
  readonly containers: readonly TaskContainer[];
  /** What volumes hold before the first container starts. Omitted: nothing. */
  readonly files?: readonly TaskFile[];
  /** Those of the volumes that are file systems of AWS. Omitted: none. */
  readonly fileSystems?: readonly TaskFileSystem[];
  /** The volume that is an EBS volume of the task. Omitted: none is. */
  readonly attached?: AttachedVolume;
  /** Those of the volumes that belong to a group. Omitted: none, they are root's. */
  readonly volumeGroups?: readonly VolumeGroup[];
};

/** The group of a volume that is made for the task. */
export type VolumeGroup = {
  readonly volume: string;
  readonly group: number;
  /** The same where a program can be in one group only. Omitted: `group`. */
  readonly inOneGroup?: number;
};

/** A file of a volume, before the first container starts. */
export type TaskFile = {
  readonly volume: string;
  /** Within the volume. */
  readonly path: string;
  /** Permissions: 0644 is 420. */
  readonly mode: number;
  readonly content:
    | { readonly kind: 'known'; readonly base64: string }
    /** Set at launch, in the override of {@link FILES_CONTAINER}, by {@link fileVariable} of the file's place in the list. */
    | { readonly kind: 'late' }
    | { readonly kind: 'secret'; readonly from: SecretSource }
    /** Signed as it is written. Fargate has nothing that could. */
    | { readonly kind: 'token' };
};

/** The first container of a task whose volumes hold files, or belong to a group: it sees to both. */
export const FILES_CONTAINER = 'muster-files';

/** Whether a task has a {@link FILES_CONTAINER}. */
export const hasFilesContainer = ({ files = [], volumeGroups = [] }: TaskDefinition): boolean =>
  files.length + volumeGroups.length > 0;

/** The variable that has the content of the `nth` file. */
export const fileVariable = (nth: number): string => `MUSTER_FILE_${nth}`;

/** An EBS volume that is made for a task, and goes with it. `type`: EBS's name for it. */
export type AttachedVolume = { readonly volume: string; readonly type: string; readonly sizeGib: number };

/** How a file system of EFS or S3 Files is mounted (ECS, EFSVolumeConfiguration, S3FilesVolumeConfiguration). */
export type TaskFileSystem = {
  readonly volume: string;
  readonly service: 'efs' | 's3files';
  readonly fileSystemId: string;
  readonly rootDirectory: string;
  readonly accessPointId: string | null;
  readonly transitEncryption: boolean;
  readonly iam: boolean;
};

/** What tasks run on: Spot is cheaper and may be interrupted. */
export type Capacity = 'spot' | 'onDemand';

export type TaskContainer = {
  readonly name: string;
  readonly image: string;
  /** Kubernetes' `command`. */
  readonly entryPoint: readonly string[];
  /** Kubernetes' `args`. */
  readonly command: readonly string[];
  readonly workingDirectory: string | null;
  readonly environment: readonly { readonly name: string; readonly value: string }[];
  /** Variables whose values ECS reads when the task starts. */
  readonly secrets: readonly { readonly name: string; readonly from: SecretSource }[];
  readonly essential: boolean;
  /** Names of containers that must have exited with 0 before this one starts (init containers). */
  readonly dependsOnSuccess: readonly string[];
  /** Names of containers that must have been started before this one (sidecars); they are stopped after it. */
  readonly dependsOnStart: readonly string[];
  readonly stopTimeoutSec: number;
  readonly ports: readonly { readonly port: number; readonly protocol: 'tcp' | 'udp' }[];
  readonly mounts: readonly TaskMount[];
  /** Volumes in memory, which only this container has. Omitted: none. */
  readonly tmpfs?: readonly TaskTmpfs[];
  /** `uid` or `uid:gid`; null: the image's own. */
  readonly user: string | null;
  /** The same where its programs can be in one group only. Omitted: `user`. */
  readonly userInOneGroup?: string;
  /** The groups of its programs beside that of its user. Omitted: none. */
  readonly groups?: readonly number[];
  readonly readOnlyRoot: boolean;
  readonly capabilities: { readonly add: readonly string[]; readonly drop: readonly string[] };
  /** Holds the registry's credentials; null: the execution role's. */
  readonly pullSecret: PullSecret | null;
  /** Its input stays open for those who attach. Omitted: it has none. */
  readonly interactive?: true;
  /** Its program has a terminal. Omitted: it has none. */
  readonly terminal?: true;
  /** What Fargate has no field for, and an engine on this machine heeds: see `container-labels.ts`. Omitted: nothing. */
  readonly labels?: Readonly<Record<string, string>>;
};

/** A Secret with which an image is pulled. */
export type PullSecret = {
  readonly namespace: string;
  readonly name: string;
  /** Of a stored Secret: which of its copies for pulls. Omitted: what somebody made by hand, as it is now. */
  readonly copy?: PullCopy;
};

/** The credentials of some registries in one version of a Secret. */
export type PullCopy = {
  readonly version: string;
  /** A hash of what the Secret says of the registries: see {@link pullCopyOf}. */
  readonly registry: string;
};

/** Which copy has the credentials that a Secret has for these registries. */
export const pullCopyOf = (
  { version, registry }: { readonly version: string; readonly registry: string },
  hash: (text: string) => string,
): PullCopy => ({ version, registry: hash(registry).slice(0, REGISTRY_CHARS) });

/** Enough that no two registries of one Secret look alike. */
const REGISTRY_CHARS = 16;

export type TaskMount = {
  readonly volume: string;
  readonly path: string;
  readonly readOnly: boolean;
  /** What of the volume is mounted; neither: all of it. */
  readonly subPath?: string;
  /** The same with variables of the container (`$(POD_NAME)`), which are filled in as it starts: on this machine alone. */
  readonly subPathExpr?: string;
  /** The Pod's volume, if the task has a part of it under a name of its own; omitted: `volume`. */
  readonly podVolume?: string;
};

export type TaskTmpfs = TaskMount & { readonly sizeMib: number };

/** What one Job's RunTask calls have in common, frozen at its first launch so that a repeated call is identical. */
export type LaunchTemplate = {
  /** ARN with revision. */
  readonly taskDefinition: string;
  /** Containers that get a launch's variables; the main one first. */
  readonly containers: readonly string[];
  /** Set by the adapter: cluster, subnets, and whatever else a RunTask call needs. */
  readonly placement: string;
  /** The end of the names of the Job's tasks; omitted: they have none. */
  readonly zone?: string | undefined;
  /** How many indexes the Job had then; omitted: it has none, or its manifest leaves no room for it. */
  readonly completions?: number | undefined;
  /** The task definitions of the images that the Job's items say; omitted: they say none. */
  readonly variants?: readonly TemplateVariant[] | undefined;
  /** Which versions of what its Pods name outside of themselves it is made from; omitted: they name nothing. */
  readonly sources?: string | undefined;
  /** What of ConfigMaps is put together with words at each launch; omitted: nothing. */
  readonly texts?: readonly ConfigTexts[] | undefined;
};

/** Keys of a ConfigMap. */
export type ConfigTexts = { readonly name: string; readonly keys: Readonly<Record<string, string>> };

/** All else is the same: an image cannot be overridden at launch (aws.md 1.1). */
export type TemplateVariant = { readonly image: string; readonly taskDefinition: string };

/**
 * What a RunTask call is made from.
 *
 * @param image that the item says; null: it says none
 * @throws InvariantError for an image without a variant
 */
export function templateOf({ variants = [], ...template }: LaunchTemplate, image: string | null): LaunchTemplate {
  if (image === null) return template;
  const variant = variants.find((each) => each.image === image);
  invariant(variant !== undefined, 'a template has a variant for every image of the list');
  return { ...template, taskDefinition: variant.taskDefinition };
}

/** What every family's name begins with; then comes a hash in hexadecimal digits. */
export const FAMILY_PREFIX = 'muster-';

/** The families of a template's task definitions. */
export const familiesOf = ({ taskDefinition, variants = [] }: LaunchTemplate): readonly string[] =>
  [taskDefinition, ...variants.map((variant) => variant.taskDefinition)].map((each) =>
    familyOf({ taskDefinition: each }),
  );

/** The family of a task definition, from its ARN. */
export const familyOf = ({ taskDefinition }: Pick<LaunchTemplate, 'taskDefinition'>): string =>
  taskDefinition.slice(taskDefinition.lastIndexOf('/') + 1, taskDefinition.lastIndexOf(':'));

/** An ECS task as an event or DescribeTasks shows it, with the fields that Muster reads. */
export type TaskView = {
  readonly arn: TaskArn;
  readonly job: JobUid;
  readonly id: AttemptId;
  /** Compares only views of this ARN. */
  readonly version: number;
  /** `stopped`: nothing of it runs, and how it ended is known. That may be before ECS says STOPPED. */
  readonly stage: 'starting' | 'running' | 'stopping' | 'stopped';
  /** null before that. */
  readonly ending: Ending | null;
  readonly times: AttemptTimes;
  readonly privateIp: string | null;
};
