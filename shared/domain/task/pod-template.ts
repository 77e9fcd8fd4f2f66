import { CONTAINER_LABELS, hostPathTypeLabel } from './container-labels.ts';
import { CAPACITY_SELECTOR } from '../manifests/annotations.ts';
import { ARCHITECTURE_SELECTOR, placeOf } from './task-place.ts';
import { wordExpander, expandedVariables, variablesOf } from './container-env.ts';
import { invariant } from '../base/invariant.ts';
import { placeholder } from '../base/late-text.ts';
import { commandLine } from './launch-overrides.ts';
import type { JobManifest } from '../manifests/manifest.ts';
import type { Container, PodSpec, Resources } from '../manifests/pod-spec.ts';
import { parseQuantity } from '../base/quantity.ts';
import { isInMemory, tmpfsOf } from './volumes/memory-volumes.ts';
import { NO_SOURCES, type PodSources } from './pod-sources.ts';
import { pullCredentialsOf } from './pull-secrets.ts';
import {
  type Capacity,
  FAMILY_PREFIX,
  type PodRequests,
  type PullSecret,
  type TaskContainer,
  type TaskDefinition,
  type TaskSize,
  pullCopyOf,
} from './task.ts';
import { groupInOne, groupsOf, identityOf, volumeGroupsOf } from './volumes/volume-groups.ts';
import { mountsOf, ownDiskOf, taskFiles, volumesOf } from './volumes/task-volumes.ts';

/**
 * How what {@link taskDefinitionOf} says is registered: raise it whenever an equal template is registered otherwise. It
 * is part of the family's name, so a definition that an earlier release has registered is not taken for one of this release.
 */
export const RENDERING = 1;

/** A task definition's limits (aws.md 1.5, 1.6). */
export const TASK_CONTAINERS_MAX = 10;
const STOP_TIMEOUT_MIN_SEC = 2;
export const STOP_TIMEOUT_MAX_SEC = 120;

/** Gibibytes of disk that every task has, and the minimum and maximum that it may request (aws.md 1.5). */
const EPHEMERAL_GIB = { included: 20, min: 21, max: 200 } as const;

export type PodTemplateOptions = {
  /** A content hash as a short text of letters and digits: equal texts share one task definition family. */
  readonly hash: (text: string) => string;
  /** What the template names outside of itself. Omitted: nothing is known of it. */
  readonly sources?: PodSources;
};

/**
 * What ECS registers for a Job's pod template. Pure: equal templates give equal definitions, including the family. What differs
 * by attempt or by Job is not in it: see launch-overrides.ts.
 *
 * Init containers run one after the other (each waits for SUCCESS of the one before), then all containers start. An init
 * container with restartPolicy Always is a sidecar: containers after it only wait for its START, and are stopped before it. The
 * Pod ends with its *first* container: only that one is essential, and its exit code is the attempt's. ECS stops a task as soon
 * as any essential container has ended, even with 0. So further containers cannot be essential without cutting the first one
 * short, and Kubernetes' "succeeded when all have exited with 0" cannot be expressed in ECS. They run next to the first and are
 * stopped with it; admission warns about it.
 *
 * @throws InvariantError for a template that admission would have refused
 */
export function taskDefinitionOf(
  manifest: JobManifest,
  { hash, sources = NO_SOURCES }: PodTemplateOptions,
): TaskDefinition {
  const { spec } = manifest.spec.template;
  const { containers, initContainers = [] } = spec;
  const { namespace } = manifest.metadata;
  const size = taskSizeOf(manifest);
  const volumeGroups = volumeGroupsOf(spec);
  const body = {
    ...size,
    architecture: placeOf(spec)?.[ARCHITECTURE_SELECTOR] === 'arm64' ? ('ARM64' as const) : ('X86_64' as const),
    serviceAccount: hasOwnAccount(spec) ? { namespace, name: spec.serviceAccountName } : null,
    ...volumesOf(spec, sources),
    ...taskFiles(manifest, sources),
    ...(volumeGroups.length === 0 ? {} : { volumeGroups }),
    containers: [
      ...initContainers.map((container, i) =>
        taskContainer(container, manifest, {
          essential: false,
          after: initContainers.slice(0, i),
          size,
          sources,
          hash,
        }),
      ),
      ...containers.map((container, i) =>
        taskContainer(container, manifest, { essential: i === 0, after: initContainers, size, sources, hash }),
      ),
    ],
  };
  return { family: `${FAMILY_PREFIX}${hash(JSON.stringify({ rendering: RENDERING, ...body }))}`, ...body };
}

/**
 * The size of the Pod's task.
 *
 * @throws InvariantError for a Pod that admission would have refused
 */
export function taskSizeOf(manifest: Templated): TaskSize {
  const size = fargateSizeOf(manifest);
  invariant(size.kind === 'fits', 'admission refuses what is larger than Fargate');
  const { cpu, memoryMib } = size;
  return { cpu, memoryMib, ephemeralStorageGib: ephemeralStorageOf(manifest.spec.template.spec) };
}

/** What has a Pod template. */
type Templated = { readonly spec: Pick<JobManifest['spec'], 'template'> };

/** What the template's nodeSelector and node affinity request; on demand by default. */
export const capacityOf = ({ spec }: Pick<JobManifest, 'spec'>): Capacity =>
  placeOf(spec.template.spec)?.[CAPACITY_SELECTOR] === 'spot' ? 'spot' : 'onDemand';

/** Every namespace has the service account `default`, so naming it says nothing. */
const hasOwnAccount = (spec: PodSpec): spec is PodSpec & { readonly serviceAccountName: string } =>
  spec.serviceAccountName !== undefined && spec.serviceAccountName !== 'default';

/** The container whose end is the attempt's end, and whose exit code decides it. */
export function mainContainer(manifest: JobManifest): Container {
  const main = manifest.spec.template.spec.containers[0];
  invariant(main !== undefined, 'a Pod has a container');
  return main;
}

/** An init container that runs next to all containers after it. */
const isSidecar = ({ restartPolicy }: Pick<Container, 'restartPolicy'>): boolean => restartPolicy === 'Always';

function taskContainer(
  container: Container,
  manifest: JobManifest,
  {
    essential,
    after,
    size,
    sources,
    hash,
  }: {
    readonly essential: boolean;
    readonly after: readonly Container[];
    readonly size: TaskSize;
    readonly sources: PodSources;
    readonly hash: PodTemplateOptions['hash'];
  },
): TaskContainer {
  const { spec } = manifest.spec.template;
  const variables = variablesOf(container, manifest, sources);
  const expand = wordExpander(variables);
  const { entryPoint, command } = commandLine(container, expand);
  const { workingDir = '', ports = [], securityContext } = container;
  const lastInit = after.findLast((before) => !isSidecar(before));
  const { add = [], drop = [] } = securityContext?.capabilities ?? {};
  const tmpfs = tmpfsOf(container, spec, size.memoryMib);
  return {
    name: container.name,
    image: container.image,
    entryPoint: entryPoint.map(placeholder),
    command: command.map(placeholder),
    workingDirectory: workingDir === '' ? null : workingDir,
    environment: expandedVariables(variables),
    secrets: [...variables].flatMap(([name, variable]) =>
      variable.kind === 'secret' ? [{ name, from: variable.from }] : [],
    ),
    essential,
    dependsOnSuccess: lastInit === undefined ? [] : [lastInit.name],
    dependsOnStart: after.filter(isSidecar).map(({ name }) => name),
    stopTimeoutSec: Math.min(Math.max(spec.terminationGracePeriodSeconds, STOP_TIMEOUT_MIN_SEC), STOP_TIMEOUT_MAX_SEC),
    ports: ports.map(({ containerPort, protocol }) => ({
      port: containerPort,
      protocol: protocol === 'UDP' ? ('udp' as const) : ('tcp' as const),
    })),
    mounts: mountsOf(container, spec, sources, expand).filter(
      ({ volume }) => !tmpfs.some((each) => each.volume === volume),
    ),
    ...(tmpfs.length === 0 ? {} : { tmpfs }),
    user: userOf(identityOf(container, spec)),
    ...groupFieldsOf(container, spec),
    readOnlyRoot: securityContext?.readOnlyRootFilesystem ?? false,
    capabilities: { add, drop },
    pullSecret: pullSecretOf(container, manifest, sources, hash),
    ...(container.stdin === true ? { interactive: true as const } : {}),
    ...(container.tty === true ? { terminal: true as const } : {}),
    ...labelsOf(container, spec),
  };
}

function pullSecretOf(
  { image }: Container,
  { metadata: { namespace }, spec: { template } }: JobManifest,
  { pulls }: PodSources,
  hash: PodTemplateOptions['hash'],
): PullSecret | null {
  const credentials = pullCredentialsOf(image, template.spec, pulls);
  if (credentials === null) return null;
  const { name, stored } = credentials;
  return { namespace, name, ...(stored === undefined ? {} : { copy: pullCopyOf(stored, hash) }) };
}

/** Nothing for most, so that their definitions stay as they were. */
function labelsOf(container: Container, { volumes = [] }: PodSpec): Pick<TaskContainer, 'labels'> {
  const memory = amount(container.resources?.limits, 'memory');
  const labels = {
    ...(memory === null ? {} : { [CONTAINER_LABELS.memoryLimit]: String(memory) }),
    ...(container.stdinOnce === true ? { [CONTAINER_LABELS.stdinOnce]: 'true' } : {}),
    ...(hasOwnPullPolicy(container) ? { [CONTAINER_LABELS.pullPolicy]: container.imagePullPolicy } : {}),
    ...Object.fromEntries(
      volumes.flatMap(({ name, hostPath }) =>
        (hostPath?.type ?? '') === '' ? [] : [[hostPathTypeLabel(name), hostPath?.type]],
      ),
    ),
  };
  return Object.keys(labels).length === 0 ? {} : { labels };
}

/**
 * Whether a Pod says more than what is filled in where it says nothing: `Always` for the tag `latest` or none, else
 * `IfNotPresent` (https://kubernetes.io/docs/concepts/containers/images/#imagepullpolicy-defaulting).
 */
function hasOwnPullPolicy({ image, imagePullPolicy }: Container): boolean {
  return (
    imagePullPolicy === 'Never' ||
    (imagePullPolicy === 'Always' && !/(^[^:@]*|:latest)$/.test(image.slice(image.lastIndexOf('/') + 1)))
  );
}

/** `uid` or `uid:gid`. */
function userOf({ runAsUser, runAsGroup }: ReturnType<typeof identityOf>): string | null {
  if (runAsUser === undefined) return null;
  return runAsGroup === undefined ? String(runAsUser) : `${runAsUser}:${runAsGroup}`;
}

/** Nothing for most, so that their definitions stay as they were. */
function groupFieldsOf(container: Container, spec: PodSpec): Pick<TaskContainer, 'groups' | 'userInOneGroup'> {
  const groups = groupsOf(spec);
  const runAsGroup = groupInOne(container, spec);
  const userInOneGroup = runAsGroup === null ? null : userOf({ ...identityOf(container, spec), runAsGroup });
  return {
    ...(groups.length === 0 ? {} : { groups }),
    ...(userInOneGroup === null ? {} : { userInOneGroup }),
  };
}

/**
 * Gibibytes of disk to request: what volumes and containers may fill. null: what every task has is enough. More than Fargate's
 * 200 is returned as it is, for admission to refuse.
 */
export function ephemeralStorageOf({ containers, initContainers = [], volumes = [] }: PodSpec): number | null {
  const asked = (container: Container): number =>
    Math.max(
      amount(container.resources?.requests, 'ephemeral-storage') ?? 0,
      amount(container.resources?.limits, 'ephemeral-storage') ?? 0,
    );
  const bytes =
    podNeed(containers, initContainers, asked) +
    sum(
      volumes
        .filter((volume) => !isInMemory(volume))
        .map((volume) => (parseQuantity(volume.emptyDir?.sizeLimit ?? '0') ?? 0) + ownDiskOf(volume)),
    );
  const gib = Math.ceil(bytes / GIB);
  return gib <= EPHEMERAL_GIB.included ? null : Math.max(gib, EPHEMERAL_GIB.min);
}

export const EPHEMERAL_GIB_MAX: number = EPHEMERAL_GIB.max;
export const EPHEMERAL_GIB_LEAST: number = EPHEMERAL_GIB.min;

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const gib = (from: number, to: number, step = 1): readonly number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, i) => (from + i * step) * 1024);

/**
 * Fargate's sizes on Linux: CPU units and the memory (MiB) that each may have (aws.md 1.5). Smallest first. One has the most of
 * both, so whatever is within either limit fits.
 */
const FARGATE_SIZES: readonly { readonly cpu: number; readonly memoryMib: readonly number[] }[] = [
  { cpu: 256, memoryMib: [512, 1024, 2048] },
  { cpu: 512, memoryMib: gib(1, 4) },
  { cpu: 1024, memoryMib: gib(2, 8) },
  { cpu: 2048, memoryMib: gib(4, 16) },
  { cpu: 4096, memoryMib: gib(8, 30) },
  { cpu: 8192, memoryMib: gib(16, 60, 4) },
  { cpu: 16_384, memoryMib: gib(32, 120, 8) },
  { cpu: 32_768, memoryMib: [60 * 1024, 120 * 1024, 244 * 1024] },
];

export type FargateSize =
  | { readonly kind: 'fits'; readonly cpu: number; readonly memoryMib: number }
  | { readonly kind: 'tooLarge'; readonly path: string; readonly message: string };

/** What the Pod requests, before it is rounded up to a Fargate size. */
export function requestsOf({ spec }: Templated): PodRequests {
  const { containers, initContainers = [] } = spec.template.spec;
  return {
    milliCpu: Math.ceil(podNeed(containers, initContainers, cpuNeed) * 1000 - 1e-9),
    memoryMib: Math.ceil(podNeed(containers, initContainers, memoryNeed) / MIB),
  };
}

/** The smallest Fargate size that holds the Pod; 0.25 vCPU and 512 MiB if it requests nothing. */
export function fargateSizeOf({ spec }: Templated): FargateSize {
  const { containers, initContainers = [] } = spec.template.spec;
  const cpus = podNeed(containers, initContainers, cpuNeed);
  const bytes = podNeed(containers, initContainers, memoryNeed);
  // A trillionth of slack, so that 0.1 + 0.2 is not more than 0.3.
  const cpuUnits = Math.ceil(cpus * 1024 - 1e-9);
  const mib = Math.ceil(bytes / MIB);
  for (const { cpu, memoryMib } of FARGATE_SIZES) {
    const memory = cpu < cpuUnits ? undefined : memoryMib.find((size) => size >= mib);
    if (memory !== undefined) return { kind: 'fits', cpu, memoryMib: memory };
  }
  return {
    kind: 'tooLarge',
    path: 'spec.template.spec.containers',
    message: `the Pod needs ${cpuUnits / 1024} CPUs and ${mib} MiB of memory; Fargate's largest sizes are 16 vCPU with 122880 MiB and 32 vCPU with 249856 MiB`,
  };
}

/**
 * As in Kubernetes (`PodRequests`): what runs at the same time adds up. An init container runs next to the sidecars before it;
 * the containers run next to all sidecars.
 */
export function podNeed(
  containers: readonly Container[],
  initContainers: readonly Container[],
  need: (container: Container) => number,
): number {
  let sidecars = 0;
  let peak = 0;
  for (const container of initContainers) {
    if (isSidecar(container)) sidecars += need(container);
    peak = Math.max(peak, isSidecar(container) ? sidecars : sidecars + need(container));
  }
  return Math.max(peak, sidecars + sum(containers.map(need)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const amount = (resources: Resources | undefined, name: keyof Resources): number | undefined => {
  const text = resources?.[name];
  return text === undefined ? undefined : (parseQuantity(text) ?? 0);
};

/** Kubernetes guarantees the request; a limit without a request counts as both. */
const cpuNeed = ({ resources }: Container): number =>
  amount(resources?.requests, 'cpu') ?? amount(resources?.limits, 'cpu') ?? 0;

/** A task with less memory than the user's limit would be killed before it reaches that limit. */
const memoryNeed = ({ resources }: Container): number =>
  Math.max(amount(resources?.requests, 'memory') ?? 0, amount(resources?.limits, 'memory') ?? 0);
