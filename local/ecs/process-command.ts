import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { volumeVariable } from '../../shared/names/secrets.ts';
import type { ContainerDefinition } from './definition.ts';
import { MARK } from './processes.ts';
import { commandOf, environmentOf, type ContainerRun } from './driver.ts';
import { readSecrets } from './secret-files.ts';
import { LAUNCHER } from './launcher.ts';
import { needsLauncher } from './shim.ts';
import { type TaskNetwork, networkVariables } from './task-network.ts';

export type RunnableCommand = {
  readonly kind: 'command';
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the program reads from fd 3; null: nothing, there is none. */
  readonly input: string | null;
};

/** How a container is run as a process; or the reason why it cannot be, in docker's words. */
export type ProcessCommand = RunnableCommand | { readonly kind: 'impossible'; readonly reason: string };

/** Where a container looks for programs unless somebody says otherwise: the running node first, then the system's. */
const DEFAULT_PATH = [
  dirname(process.execPath),
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
].join(delimiter);

/** What a container's process is shown, or its variables come from. */
export type Surroundings = {
  readonly workspaceDir: string;
  /** What every container gets unless it says otherwise. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names this run of the container, so that what it leaves behind is found. */
  readonly mark: string;
  readonly secretsDir: string;
  /** the task's own; made when a container mounts something */
  readonly volumesDir: string;
  readonly network: TaskNetwork;
};

/**
 * What to run for a container, in which folder (its own, relative to the workspace; else the workspace) and with which
 * environment: what every container gets, MUSTER_WORKSPACE, its address, its own variables and its secrets. No value of it
 * is in an argument, which everybody could read.
 */
export function processCommand(run: ContainerRun, surroundings: Surroundings): ProcessCommand {
  const { workspaceDir } = surroundings;
  const command = commandIn(run, surroundings);
  // Then it is not the command that is at fault, and what is not there may come back: a disk, a network's folder.
  return command.kind === 'impossible' && !isFolder(workspaceDir)
    ? { kind: 'impossible', reason: `InternalError: the workspace ${workspaceDir} is not there` }
    : command;
}

function commandIn({ task, container }: ContainerRun, surroundings: Surroundings): ProcessCommand {
  const { workspaceDir, environment, mark, secretsDir, volumesDir, network } = surroundings;
  const secrets = readSecrets(container, secretsDir);
  if (secrets.kind === 'missing') return { kind: 'impossible', reason: secrets.reason };
  const given = environmentOf(container, task.overrides);
  const env = new Map([
    ['PATH', DEFAULT_PATH],
    ...Object.entries(environment),
    ['MUSTER_WORKSPACE', workspaceDir],
    [MARK, mark],
    ...networkVariables(task, given.get('JOB_COMPLETION_INDEX'), network),
    ...secrets.variables,
    ...given,
    ...makeVolumes(container, volumesDir),
  ]);
  const cwd = resolve(workspaceDir, container.workingDirectory ?? '.');
  const folder = statSync(cwd, { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true)
    return cannotStart(`working directory ${cwd} ${folder === undefined ? 'does not exist' : 'is no folder'}`);
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
    env: { PATH: DEFAULT_PATH, [MARK]: mark }, // nothing that would change how node itself runs
    input: JSON.stringify(variables),
  };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/**
 * Processes share one file system, so nothing can be mounted where the container asks for it: it is told the folder in
 * the variable that holds the mount path on AWS.
 */
function makeVolumes({ mountPoints = [] }: ContainerDefinition, dir: string): readonly (readonly [string, string])[] {
  return mountPoints.map(({ sourceVolume }) => {
    const folder = join(dir, sourceVolume);
    mkdirSync(folder, { recursive: true });
    return [volumeVariable(sourceVolume), folder] as const;
  });
}

/** ECS's word for it, by which such an end is told from others. */
const cannotStart = (why: string): ProcessCommand => ({
  kind: 'impossible',
  reason: `CannotStartContainerError: ${why}`,
});

type Found = { readonly kind: 'program'; readonly file: string } | { readonly kind: 'none'; readonly reason: string };

/** The file that a command means, or why there is none. Looked up here, since a shell would take some names for its own builtins. */
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
  // Python is called so by most systems, and `python` is what most manifests say.
  const alike = fileIn(`${program}3`).find(isExecutable);
  const hint = alike === undefined ? '' : ` (there is ${alike})`;
  return none(`${program}: command not found${hint}; looked in PATH ${shortPath(path)}`);
}

const notExecutable = (file: string): string =>
  statSync(file).isDirectory() ? `${file} is a folder` : `${file} is not executable: chmod +x would make it so`;

function isExecutable(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A PATH as a sentence has room for it: its first two folders and how many follow. */
function shortPath(path: string): string {
  const folders = path.split(delimiter);
  return folders.length <= PATH_SHOWN + 1
    ? path
    : `${folders.slice(0, PATH_SHOWN).join(delimiter)} and ${folders.length - PATH_SHOWN} more folders`;
}
const PATH_SHOWN = 2;
