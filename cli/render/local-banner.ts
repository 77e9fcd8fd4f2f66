import { themeFor } from './theme.ts';
import { join } from 'node:path';
import type { LocalOptions, LocalRuntime } from '../../local/runtime.ts';
import { cpuText, memoryText } from '../../shared/domain/pending/start-delay.ts';
import { VERSION } from '../../shared/names/version.ts';
import { commandWord } from '../text/command-word.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import type { Shell } from '../shell/shell.ts';
import { type EnvironmentOptions, sayEnvironment } from '../shell/task-environment.ts';

export type LocalPlaces = Pick<LocalOptions, 'dataDir' | 'workspaceDir' | 'driver' | 'store' | 'wiring' | 'room'> & {
  readonly environment: EnvironmentOptions;
  /** Says that tasks could be containers. */
  readonly offersDocker?: boolean;
  /** Who may call the API, and whose token the kubeconfig has. */
  readonly users?: string | null;
  readonly kubeconfigUser?: string | null;
};
/** The address of the API. */
export type LocalAddress = Pick<LocalRuntime, 'url' | 'page' | 'kubeconfig' | 'adopted'>;

const DRIVERS: Readonly<Record<LocalOptions['driver'], string>> = {
  process: 'processes on this machine; images are not pulled',
  docker: 'containers of their images, in the container engine of this machine',
  simulated: 'simulated: nothing runs, tasks only take time',
};

const OFFER = 'a container engine is here: with --driver docker, tasks run in containers of their images';

const EMULATED = "emulated on loopback: the SDK's requests go to an engine, queues, and an ECS there";

/** The DynamoDB engine listens on TCP and does not check signatures. */
const SHARED_MACHINE = 'other users of this machine can read its Jobs and create one (docs/run-locally.md, Safety)';

/**
 * What `muster local` prints when it is ready: where everything is, and what to type next.
 *
 * @param log the file it prints to when detached; null in a terminal
 */
export function localBanner(
  { url, page, kubeconfig, adopted }: LocalAddress,
  {
    dataDir,
    workspaceDir,
    driver,
    store,
    wiring,
    room,
    environment,
    users = null,
    kubeconfigUser = null,
    offersDocker = false,
  }: LocalPlaces,
  log: string | null,
  shell: Pick<Shell, 'out' | 'env' | 'cwd'>,
): string {
  const { paint } = themeFor(shell.out, shell.env);
  const row = (name: string, value: string): string => `  ${paint.dim(name.padEnd(10))} ${value}`;
  const isHere = kubeconfig === join(shell.cwd, '.muster', 'kubeconfig');
  const option = isHere ? '' : ` --kubeconfig ${shellQuoted(kubeconfig)}`;
  const muster = commandWord(shell.env);
  const stop = `${muster} stop${isHere ? '' : ` --data ${shellQuoted(dataDir)}`}`;
  return `${[
    `${paint.bold('Muster')} ${VERSION} is ready`,
    '',
    row('API', paint.cyan(url)),
    ...(page === null ? [] : [row('page', users === null ? paint.cyan(page) : `${muster} ui opens it, signed in`)]),
    row('data', dataDir + (store === 'memory' ? ' (Jobs are in memory)' : '')),
    row('workspace', workspaceDir),
    row('tasks', DRIVERS[driver]),
    ...(room === undefined ? [] : [row('room', sayRoom(room))]),
    ...(offersDocker ? [row('docker', OFFER)] : []),
    ...(adopted.tasks === 0 ? [] : [row('continues', adoptedText(adopted))]),
    ...(driver === 'simulated' ? [] : [row('they get', sayEnvironment(environment, shell.env, driver))]),
    ...(users === null ? [] : [row('users', sayUsers(users, kubeconfigUser))]),
    ...(wiring === 'emulateAws' ? [row('AWS', EMULATED)] : []),
    ...(log === null ? [] : [row('log', log)]),
    ...(store === 'engine' ? [row('mind', SHARED_MACHINE)] : []),
    '',
    log === null ? 'In another terminal:' : 'Next steps:',
    `  ${muster} run -f job.yaml --wait${option}`,
    `  export KUBECONFIG=${shellQuoted(kubeconfig)}`,
    '  kubectl get jobs',
    '',
    `${log === null ? 'Ctrl-C' : `\`${stop}\``} stops it and all of its tasks.`,
  ].join('\n')}\n`;
}

/** What an earlier run has left, and this one goes on with. */
export const adoptedText = ({ tasks, jobs }: LocalRuntime['adopted']): string =>
  `${jobs} ${jobs === 1 ? 'Job' : 'Jobs'}, ${tasks} ${tasks === 1 ? 'task' : 'tasks'} adopted`;

/** What tasks may request together. */
function sayRoom({ milliCpu, memoryMib }: NonNullable<LocalOptions['room']>): string {
  if (milliCpu === null && memoryMib === null) return 'no limit: all tasks run at once';
  const cpus = milliCpu === null ? 'any number of CPUs' : cpuText(milliCpu);
  const memory = memoryMib === null ? 'any amount of memory' : `${memoryText(memoryMib)} of memory`;
  return `${cpus}, ${memory}; tasks that request more wait in order`;
}

const sayUsers = (file: string, name: string | null): string =>
  name === null
    ? `those in ${file}; the kubeconfig is nobody's (muster kubeconfig --users)`
    : `those in ${file}; the kubeconfig is ${name}'s`;

/** What `muster local --detach` prints where one already runs. */
export const alreadyRuns = (pid: number, { url, kubeconfig }: Omit<LocalAddress, 'adopted' | 'page'>): string =>
  `Muster is already running here (pid ${pid}, ${url}), with the options it was started with.\n` +
  `  export KUBECONFIG=${shellQuoted(kubeconfig)}\n`;
