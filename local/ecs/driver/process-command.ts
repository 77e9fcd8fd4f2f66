import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { tmpfsVolumeLabel } from '../../../shared/domain/task/container-labels.ts';
import { volumeVariable } from '../../../shared/domain/task/volume-variable.ts';
import type { ContainerDefinition } from '../definition.ts';
import { MARK } from './processes.ts';
import { commandOf, environmentOf, type ContainerRun } from './driver.ts';
import { hostPathsOf } from './host-paths.ts';
import { readSecrets } from './secret-files.ts';
import { processFolder } from './workspace-path.ts';
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
  readonly secretsDir: string;
  /** the folder of the Pod's volumes; null: the container mounts none */
  readonly volumesDir: string | null;
  /** real paths of the folders that tasks may mount */
  readonly hostFolders: readonly string[];
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
  const { workspaceDir, environment, mark, secretsDir, volumesDir, network } = surroundings;
  const secrets = readSecrets(container, secretsDir);
  if (secrets.kind === 'missing') return { kind: 'impossible', reason: secrets.reason };
  const hostPaths = hostPathsOf({ ...run, containerDefinitions: [container] }, surroundings.hostFolders);
  if (hostPaths.kind === 'refused') return { kind: 'impossible', reason: hostPaths.reason };
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
    ...(volumesDir === null ? [] : makeVolumes(container, volumesDir, hostPaths.places)),
  ]);
  const cwd = processFolder(workspaceDir, container.workingDirectory ?? '.');
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

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The names of a container's volumes. Those in memory are volumes like others: no process has a tmpfs of its own. */
export function volumesOf({
  mountPoints = [],
  linuxParameters: { tmpfs = [] } = {},
  dockerLabels = {},
}: ContainerDefinition): readonly string[] {
  const inMemory = tmpfs.flatMap((_, nth) => dockerLabels[tmpfsVolumeLabel(nth)] ?? []);
  return [...mountPoints.map(({ sourceVolume }) => sourceVolume), ...inMemory];
}

/**
 * Processes share one file system, so nothing can be mounted at the path that the container requests. The variable that
 * holds the mount path on AWS holds the folder instead.
 */
function makeVolumes(
  container: ContainerDefinition,
  dir: string,
  places: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  return volumesOf(container).map((volume) => {
    const folder = places.get(volume) ?? join(dir, volume);
    if (!places.has(volume)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    return [volumeVariable(volume), folder] as const;
  });
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
