import * as z from 'zod';

const NAME = /^[A-Za-z0-9_-]{1,255}$/;
const NAME_WORDS = 'up to 255 letters (uppercase and lowercase), numbers, underscores, and hyphens are allowed';

const DependencySchema = z.object({
  containerName: z.string(),
  condition: z.enum(['START', 'COMPLETE', 'SUCCESS', 'HEALTHY']),
});

const LogConfigurationSchema = z.looseObject({
  logDriver: z.string(),
  options: z.record(z.string(), z.string()).optional(),
});

const MountPointSchema = z.object({
  sourceVolume: z.string(),
  containerPath: z.string().min(1),
  readOnly: z.boolean().optional(),
});

const TmpfsSchema = z.object({
  containerPath: z.string().min(1),
  /** MiB */
  size: z.number().int().min(1),
  mountOptions: z.array(z.string()).optional(),
});

const LinuxParametersSchema = z.looseObject({
  capabilities: z.object({ add: z.array(z.string()).optional(), drop: z.array(z.string()).optional() }).optional(),
  tmpfs: z.array(TmpfsSchema).optional(),
});

/** The members that affect this emulation; all others are stored and returned. */
const ContainerDefinitionSchema = z.looseObject({
  name: z.string().regex(NAME, `Container.name contains invalid characters: ${NAME_WORDS}`),
  image: z.string().min(1, 'Container.image should not be null or empty'),
  essential: z.boolean().optional(),
  entryPoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: z.array(z.object({ name: z.string().min(1), value: z.string().default('') })).optional(),
  workingDirectory: z.string().optional(),
  dependsOn: z.array(DependencySchema).optional(),
  stopTimeout: z.number().int().min(0).max(120, 'stopTimeout must be at most 120 seconds on Fargate').optional(),
  logConfiguration: LogConfigurationSchema.optional(),
  secrets: z.array(z.object({ name: z.string().min(1), valueFrom: z.string().min(1) })).optional(),
  mountPoints: z.array(MountPointSchema).optional(),
  user: z.string().optional(),
  dockerLabels: z.record(z.string(), z.string()).optional(),
  repositoryCredentials: z.looseObject({ credentialsParameter: z.string() }).optional(),
  readonlyRootFilesystem: z.boolean().optional(),
  interactive: z.boolean().optional(),
  pseudoTerminal: z.boolean().optional(),
  linuxParameters: LinuxParametersSchema.optional(),
});

export const EphemeralStorageSchema = z.object({ sizeInGiB: z.number().int().min(21).max(200) });

/** The request of RegisterTaskDefinition. Errors use ECS's own text where it is known. */
export const DefinitionRequestSchema = z.looseObject({
  family: z.string().regex(NAME, `Family contains invalid characters: ${NAME_WORDS}`),
  containerDefinitions: z
    .array(ContainerDefinitionSchema)
    .min(1, 'Container list cannot be empty.')
    .max(10, 'at most 10 containers'),
  networkMode: z.string().optional(),
  requiresCompatibilities: z.array(z.string()).optional(),
  cpu: z.string().optional(),
  memory: z.string().optional(),
  volumes: z
    .array(
      z.looseObject({
        name: z.string().regex(NAME),
        host: z.looseObject({ sourcePath: z.string().optional() }).optional(),
        efsVolumeConfiguration: z.looseObject({ fileSystemId: z.string() }).optional(),
        s3filesVolumeConfiguration: z.looseObject({ fileSystemArn: z.string() }).optional(),
      }),
    )
    .optional(),
  ephemeralStorage: EphemeralStorageSchema.optional(),
  runtimePlatform: z
    .looseObject({
      cpuArchitecture: z.enum(['X86_64', 'ARM64']).optional(),
      operatingSystemFamily: z.string().optional(),
    })
    .optional(),
  tags: z
    .array(z.object({ key: z.string().optional(), value: z.string().optional() }))
    .max(50)
    .optional(),
});

export const DefinitionSchema = DefinitionRequestSchema.omit({ tags: true }).extend({
  revision: z.number().int().min(1),
  registeredAtMs: z.number(),
  /** omitted: it is ACTIVE */
  deregisteredAtMs: z.number().optional(),
  tags: z.array(z.object({ key: z.string().optional(), value: z.string().optional() })),
});

export type ContainerDefinition = z.infer<typeof ContainerDefinitionSchema>;
export type Tmpfs = z.infer<typeof TmpfsSchema>;
export type DefinitionRequest = z.infer<typeof DefinitionRequestSchema>;
export type Definition = z.infer<typeof DefinitionSchema>;

/** Essential by default; when an essential container ends, the task ends. */
export const isEssential = (container: ContainerDefinition): boolean => container.essential ?? true;

/** Seconds between SIGTERM and SIGKILL; Fargate's default is 30. */
export const stopTimeoutSec = (container: ContainerDefinition): number => container.stopTimeout ?? 30;

/** What is wrong with a definition as a whole, in one sentence; null if nothing is. */
export function definitionProblem(definition: DefinitionRequest): string | null {
  const containers = definition.containerDefinitions;
  const names = new Set(containers.map((container) => container.name));
  if (names.size < containers.length) return 'Duplicate container name found.';
  if (!containers.some(isEssential)) return 'At least one container must be essential.';
  if (JSON.stringify(definition).length > DEFINITION_CHARS_MAX)
    return 'Actual length of the task definition exceeds the limit of 64 KiB.';
  return (
    secretProblem(containers) ?? dependencyProblem(containers) ?? mountProblem(definition) ?? fargateProblem(definition)
  );
}

function secretProblem(containers: readonly ContainerDefinition[]): string | null {
  for (const { environment = [], secrets = [] } of containers) {
    const names = new Set(environment.map(({ name }) => name));
    for (const { name } of secrets) {
      if (names.has(name))
        return `The secret name must be unique and not shared with any new or existing environment variables set on the container, such as '${name}'.`;
      names.add(name);
    }
  }
  return null;
}

function mountProblem({ containerDefinitions, volumes = [] }: DefinitionRequest): string | null {
  const known = new Set(volumes.map(({ name }) => name));
  for (const { mountPoints = [] } of containerDefinitions)
    for (const { sourceVolume } of mountPoints)
      if (!known.has(sourceVolume)) return `Unknown volume '${sourceVolume}'.`;
  return null;
}

/** A task definition's size limit (ECS service quotas). */
const DEFINITION_CHARS_MAX = 64 * 1024;

function dependencyProblem(containers: readonly ContainerDefinition[]): string | null {
  for (const container of containers) {
    for (const { containerName, condition } of container.dependsOn ?? []) {
      const needed = containers.find((candidate) => candidate.name === containerName);
      if (needed === undefined)
        return `Container '${container.name}' depends on container '${containerName}', which is not in the definition.`;
      if (condition === 'HEALTHY')
        return `Container '${container.name}' depends on HEALTHY: health checks are not run by the embedded ECS.`;
      if (condition !== 'START' && isEssential(needed))
        return 'A dependency container with SUCCESS or COMPLETE condition cannot be an essential container.';
    }
  }
  return hasCircle(containers) ? 'The container dependencies form a circle.' : null;
}

/** Removes containers whose dependencies are all gone until none is left to remove; the remaining ones form a cycle. */
function hasCircle(containers: readonly ContainerDefinition[]): boolean {
  let left = containers;
  for (;;) {
    const names = new Set(left.map((container) => container.name));
    const stuck = left.filter((container) =>
      container.dependsOn?.some(({ containerName }) => names.has(containerName)),
    );
    if (stuck.length === left.length) return left.length > 0;
    left = stuck;
  }
}

function fargateProblem(definition: DefinitionRequest): string | null {
  if (!definition.requiresCompatibilities?.includes('FARGATE')) return null;
  if (definition.networkMode !== 'awsvpc') return "Fargate only supports network mode 'awsvpc'.";
  if (definition.cpu === undefined) return 'Fargate requires task definition to have cpu.';
  if (definition.memory === undefined) return 'Fargate requires task definition to have memory.';
  const added = definition.containerDefinitions.flatMap(
    ({ linuxParameters }) => linuxParameters?.capabilities?.add ?? [],
  );
  if (added.some((name) => name !== 'SYS_PTRACE')) return 'Fargate only supports adding the SYS_PTRACE capability.';
  return fargateSize(definition.cpu, definition.memory) === null
    ? 'No Fargate configuration exists for given values.'
    : null;
}

/** vCPU shares and MiB of a Fargate size, as ECS shows them; null if Fargate does not have this size. */
export function fargateSize(cpu: string, memory: string): { readonly cpu: number; readonly memoryMiB: number } | null {
  const shares = amount(cpu, 'vcpu', 1024);
  const memoryMiB = amount(memory, 'gb', 1024);
  if (shares === null || memoryMiB === null) return null;
  const size = FARGATE_SIZES.get(shares);
  return size?.includes(memoryMiB) === true ? { cpu: shares, memoryMiB } : null;
}

/** `512`, `.5 vCPU`, `0.5 GB`: ECS accepts plain shares and MiB as well as units. */
function amount(text: string, unit: string, perUnit: number): number | null {
  const match = /^\s*(\d*\.?\d+)\s*([A-Za-z]*)\s*$/.exec(text);
  if (match === null) return null;
  const [, number = '', word = ''] = match;
  if (word === '') return Number(number);
  return word.toLowerCase() === unit ? Number(number) * perUnit : null;
}

const gib = (from: number, to: number, step: number): number[] =>
  Array.from({ length: (to - from) / step + 1 }, (_, n) => (from + n * step) * 1024);

/** CPU shares → MiB of memory, Linux (ECS developer guide, "Task definition differences for Fargate"). */
const FARGATE_SIZES: ReadonlyMap<number, readonly number[]> = new Map([
  [256, [512, 1024, 2048]],
  [512, gib(1, 4, 1)],
  [1024, gib(2, 8, 1)],
  [2048, gib(4, 16, 1)],
  [4096, gib(8, 30, 1)],
  [8192, gib(16, 60, 4)],
  [16384, gib(32, 120, 8)],
  [32768, [60, 120, 244].map((size) => size * 1024)],
]);
