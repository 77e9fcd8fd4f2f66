import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { tmpfsVolumeLabel } from '../../../shared/domain/task/container-labels.ts';
import { isWithin } from '../../../shared/domain/task/volumes/host-folders.ts';
import { volumeVariable } from '../../../shared/domain/task/volumes/volume-variable.ts';
import type { ContainerDefinition } from '../definition.ts';
import { MARK } from './processes.ts';
import { commandOf, environmentOf, type ContainerRun } from './driver.ts';
import { type HostPlaces, hostPathsOf } from './host-paths.ts';
import { mountPlaces } from './mount-places.ts';
import { type SecretStores, readSecrets } from './secret-files.ts';
import { type Mounted, processFolder } from './workspace-path.ts';
import { LAUNCHER } from './launcher.ts';
import { needsLauncher } from './shim.ts';
import { type TaskNetwork, addressVariables, networkVariables } from './task-network.ts';

export type RunnableCommand = {
  readonly kind: 'command';
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The launcher's input on fd 3; null without a launcher. */
  readonly input: string | null;
};

/** How a container runs as a process, or why it cannot, in docker's words. */
export type ProcessCommand = RunnableCommand | { readonly kind: 'impossible'; readonly reason: string };

/** The default PATH of a container: the running node first, then the system's. */
const DEFAULT_PATH = [
  dirname(process.execPath),
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
].join(delimiter);

/** The folders and files that a container's process sees or gets its variables from. */
export type Surroundings = {
  readonly workspaceDir: string;
  /** Variables of every container, unless it sets them itself. */
  readonly environment: Readonly<Record<string, string>>;
  /** Identifies this run of the container, so that its leftover processes can be found. */
  readonly mark: string;
  readonly secrets: SecretStores;
  /** the folder of the Pod's volumes; null: the container mounts none */
  readonly volumesDir: string | null;
  readonly hosts: HostPlaces;
  readonly network: TaskNetwork;
};

/**
 * What to run for a container, in which folder (its own, relative to the workspace; otherwise the workspace), and with
 * which environment: the common variables, MUSTER_WORKSPACE, its address, its own variables, and its secrets. No value is
 * in an argument, because any user can read those.
 */
export function processCommand(run: ContainerRun, surroundings: Surroundings): ProcessCommand {
  const { workspaceDir } = surroundings;
  const command = commandIn(run, surroundings);
  // The command is then not at fault, and the folder may come back: a disk, a network share.
  return command.kind === 'impossible' && !isFolder(workspaceDir)
    ? { kind: 'impossible', reason: `InternalError: the workspace ${workspaceDir} does not exist` }
    : command;
}

function commandIn(run: ContainerRun, surroundings: Surroundings): ProcessCommand {
  const { task, container } = run;
  const { workspaceDir, environment, mark, volumesDir, network } = surroundings;
  const secrets = readSecrets(container, surroundings.secrets);
  if (secrets.kind === 'missing') return { kind: 'impossible', reason: secrets.reason };
  const mounts = volumesDir === null ? NO_MOUNTS : makeVolumes(run, volumesDir, surroundings.hosts);
  if (mounts.kind === 'refused') return { kind: 'impossible', reason: mounts.reason };
  const given = environmentOf(container, task.overrides);
  const env = new Map([
    ['PATH', DEFAULT_PATH],
    ...Object.entries(environment),
    ['MUSTER_WORKSPACE', workspaceDir],
    [MARK, mark],
    ...networkVariables(task, given.get('JOB_COMPLETION_INDEX'), network),
    ...secrets.variables,
    ...given,
    ...addressVariables(task, given),
    ...mounts.variables,
  ]);
  const cwd = processFolder(workspaceDir, container.workingDirectory ?? '.', mounts.mounted);
  if (mounts.mounted.some(({ folder }) => isWithin(cwd, [folder]))) makeIfAbsent(cwd);
  const folder = statSync(cwd, { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true)
    return cannotStart(`working directory ${cwd} ${folder === undefined ? 'does not exist' : 'is not a folder'}`);
  const [program = '', ...rest] = commandOf(container, task.overrides);
  const found = findProgram(program, env.get('PATH') ?? '', cwd);
  if (found.kind === 'none') return cannotStart(found.reason);
  const variables = Object.fromEntries(env);
  if (![...env.keys()].some(needsLauncher))
    return { kind: 'command', argv: [found.file, ...rest], cwd, env: variables, input: null };
  return {
    kind: 'command',
    argv: [process.execPath, '-e', LAUNCHER, '--', found.file, ...rest],
    cwd,
    env: { PATH: DEFAULT_PATH, [MARK]: mark }, // no variables that change how node itself runs
    input: JSON.stringify(variables),
  };
}

/** Container runtimes make a working directory that is not there. That it is something else, the start reports. */
function makeIfAbsent(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The names of a container's volumes. */
export const volumesOf = (container: ContainerDefinition): readonly string[] => [
  ...(container.mountPoints ?? []).map(({ sourceVolume }) => sourceVolume),
  ...inMemoryOf(container).map(({ volume }) => volume),
];

/** Those in memory are volumes like others: no process has a tmpfs of its own. */
const inMemoryOf = ({ linuxParameters: { tmpfs = [] } = {}, dockerLabels = {} }: ContainerDefinition) =>
  tmpfs.flatMap(({ containerPath }, nth) => {
    const volume = dockerLabels[tmpfsVolumeLabel(nth)];
    return volume === undefined ? [] : [{ volume, path: containerPath }];
  });

type Mounts =
  | {
      readonly kind: 'made';
      readonly variables: readonly (readonly [name: string, folder: string])[];
      readonly mounted: readonly Mounted[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

const NO_MOUNTS: Mounts = { kind: 'made', variables: [], mounted: [] };

/**
 * Processes share one file system, so nothing can be mounted at the path that the container requests. The variable that
 * holds the mount path on AWS holds the folder instead: the part of the volume that is mounted, if one is.
 */
function makeVolumes(run: ContainerRun, dir: string, hosts: HostPlaces): Mounts {
  const { container, definition } = run;
  const hostPaths = hostPathsOf({ volumes: definition?.volumes, containerDefinitions: [container] }, hosts);
  if (hostPaths.kind === 'refused') return hostPaths;
  const found = mountPlaces(run, { hostPaths: hostPaths.places, dir, isFolder: () => true, mode: 0o700 });
  if (found.kind === 'refused') return found;
  const folderOf = (volume: string): string => hostPaths.places.get(volume) ?? join(dir, volume);
  const onDisk = (container.mountPoints ?? []).map(({ sourceVolume, containerPath }, nth) => ({
    volume: sourceVolume,
    path: containerPath,
    folder: found.places[nth] ?? folderOf(sourceVolume),
  }));
  const inMemory = inMemoryOf(container).map((each) => ({ ...each, folder: folderOf(each.volume) }));
  for (const { folder } of inMemory) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mounted = [...onDisk, ...inMemory];
  const isOnly = (volume: string): boolean => mounted.filter((each) => each.volume === volume).length === 1;
  return {
    kind: 'made',
    variables: mounted.map(({ volume, folder }) => [
      volumeVariable(volume),
      isOnly(volume) ? folder : folderOf(volume),
    ]),
    mounted,
  };
}

/** ECS's name for this kind of end. */
const cannotStart = (why: string): ProcessCommand => ({
  kind: 'impossible',
  reason: `CannotStartContainerError: ${why}`,
});

type Found = { readonly kind: 'program'; readonly file: string } | { readonly kind: 'none'; readonly reason: string };

/** The file that a command means, or why there is none. Resolved here, because a shell would treat some names as builtins. */
function findProgram(program: string, path: string, cwd: string): Found {
  const none = (reason: string): Found => ({ kind: 'none', reason });
  if (program === '') return none('the command is empty');
  if (program.includes('/')) {
    const file = resolve(cwd, program);
    if (isExecutable(file)) return { kind: 'program', file };
    return none(existsSync(file) ? notExecutable(file) : `${program}: no such file; looked for ${file}`);
  }
  const fileIn = (name: string): readonly string[] =>
    path.split(delimiter).map((folder) => join(resolve(cwd, folder), name));
  const file = fileIn(program).find(isExecutable);
  if (file !== undefined) return { kind: 'program', file };
  const useless = fileIn(program).find((candidate) => existsSync(candidate));
  if (useless !== undefined) return none(notExecutable(useless));
  // Most systems use this name, and most manifests say `python`.
  const alike = fileIn(`${program}3`).find(isExecutable);
  const hint = alike === undefined ? '' : ` (there is ${alike})`;
  return none(`${program}: command not found${hint}; looked in PATH ${shortPath(path)}`);
}

const notExecutable = (file: string): string =>
  statSync(file).isDirectory() ? `${file} is a folder` : `${file} is not executable; run chmod +x on it`;

function isExecutable(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A PATH shortened for a sentence: its first two folders and the number of the rest. */
function shortPath(path: string): string {
  const folders = path.split(delimiter);
  return folders.length <= PATH_SHOWN + 1
    ? path
    : `${folders.slice(0, PATH_SHOWN).join(delimiter)} and ${folders.length - PATH_SHOWN} more folders`;
}
const PATH_SHOWN = 2;
