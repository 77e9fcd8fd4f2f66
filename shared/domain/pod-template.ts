import { invariant } from './invariant.ts';
import type { Container, JobManifest, Resources } from './manifest.ts';
import { parseQuantity } from './quantity.ts';
import type { TaskContainer, TaskDefinition } from './task.ts';
import { expandVariables } from './variable-expansion.ts';

/** A task definition's limits (aws.md 1.5, 1.6). */
export const TASK_CONTAINERS_MAX = 10;
const STOP_TIMEOUT_MIN_SEC = 2;
export const STOP_TIMEOUT_MAX_SEC = 120;

export type PodTemplateOptions = {
  /** A content hash as a short text of letters and digits: equal texts share one task definition family. */
  readonly hash: (text: string) => string;
};

/**
 * What ECS registers for a Job's pod template. Pure: equal templates give equal definitions, family included.
 *
 * Init containers run one after the other (each waits for SUCCESS of the one before), then all containers start. The
 * Pod ends with its *first* container: only that one is essential, and its exit code is the attempt's. ECS stops a task
 * as soon as any essential container has ended, even with 0, so further containers cannot be essential without
 * cutting the first one short, and Kubernetes' "succeeded when all have exited with 0" has no form in ECS.
 * They run beside the first and are stopped with it; admission warns of it.
 *
 * @throws InvariantError for a template that admission would have refused as too large
 */
export function taskDefinitionOf(manifest: JobManifest, { hash }: PodTemplateOptions): TaskDefinition {
  const { containers, initContainers = [], terminationGracePeriodSeconds } = manifest.spec.template.spec;
  const size = fargateSizeOf(manifest);
  invariant(size.kind === 'fits', 'admission refuses what is larger than Fargate');
  const stopTimeoutSec = Math.min(Math.max(terminationGracePeriodSeconds, STOP_TIMEOUT_MIN_SEC), STOP_TIMEOUT_MAX_SEC);
  const lastInit = initContainers.at(-1);
  const body = {
    cpu: size.cpu,
    memoryMib: size.memoryMib,
    containers: [
      ...initContainers.map((container, i) =>
        taskContainer(container, { essential: false, after: initContainers[i - 1], stopTimeoutSec }),
      ),
      ...containers.map((container, i) =>
        taskContainer(container, { essential: i === 0, after: lastInit, stopTimeoutSec }),
      ),
    ],
  };
  return { family: `muster-${hash(JSON.stringify(body))}`, ...body };
}

/** The container whose end is the attempt's end, and whose exit code decides it. */
export function mainContainer(manifest: JobManifest): Container {
  const main = manifest.spec.template.spec.containers[0];
  invariant(main !== undefined, 'a Pod has a container');
  return main;
}

function taskContainer(
  { name, image, command = [], args = [], workingDir, env = [] }: Container,
  { essential, after, stopTimeoutSec }: { essential: boolean; after: Container | undefined; stopTimeoutSec: number },
): TaskContainer {
  const variables = new Map<string, string>();
  for (const { name: key, value } of env) variables.set(key, expandVariables(value, variables));
  return {
    name,
    image,
    entryPoint: command.map((word) => expandVariables(word, variables)),
    command: args.map((word) => expandVariables(word, variables)),
    workingDirectory: workingDir === undefined || workingDir === '' ? null : workingDir,
    environment: [...variables].map(([key, value]) => ({ name: key, value })),
    essential,
    dependsOnSuccess: after === undefined ? [] : [after.name],
    stopTimeoutSec,
  };
}

const MIB = 2 ** 20;
const gib = (from: number, to: number, step = 1): readonly number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, i) => (from + i * step) * 1024);

/** Fargate's sizes on Linux: CPU units and the memory (MiB) that each may have (aws.md 1.5). Smallest first. */
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

/**
 * The smallest Fargate size that holds the Pod; 0.25 vCPU and 512 MiB when nothing is asked for. As in Kubernetes the
 * containers' needs add up, and no init container may need more than that, for they run alone.
 */
export function fargateSizeOf({ spec }: Pick<JobManifest, 'spec'>): FargateSize {
  const { containers, initContainers = [] } = spec.template.spec;
  const cpus = Math.max(sum(containers.map(cpuNeed)), ...initContainers.map(cpuNeed));
  const bytes = Math.max(sum(containers.map(memoryNeed)), ...initContainers.map(memoryNeed));
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

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const amount = (resources: Resources | undefined, name: keyof Resources): number | undefined => {
  const text = resources?.[name];
  return text === undefined ? undefined : (parseQuantity(text) ?? 0);
};

/** The share that Kubernetes guarantees is the request; a limit alone stands for both. */
const cpuNeed = ({ resources }: Container): number =>
  amount(resources?.requests, 'cpu') ?? amount(resources?.limits, 'cpu') ?? 0;

/** A task with less memory than a limit that the user wrote down would be killed before it. */
const memoryNeed = ({ resources }: Container): number =>
  Math.max(amount(resources?.requests, 'memory') ?? 0, amount(resources?.limits, 'memory') ?? 0);
