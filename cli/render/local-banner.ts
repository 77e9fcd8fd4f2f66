import { join } from 'node:path';
import type { LocalOptions, LocalRuntime } from '../../local/runtime.ts';
import { VERSION } from '../../shared/names/version.ts';
import { commandWord } from '../command-word.ts';
import { shellQuoted } from '../shell-quoted.ts';
import type { Shell } from '../shell.ts';
import { looksFor } from '../job-view.ts';
import { type EnvironmentWish, sayEnvironment } from '../task-environment.ts';

export type LocalPlaces = Pick<LocalOptions, 'dataDir' | 'workspaceDir' | 'driver' | 'store'> & {
  readonly environment: EnvironmentWish;
};
/** Where it answers. */
export type LocalAddress = Pick<LocalRuntime, 'url' | 'kubeconfig'>;

const DRIVERS: Readonly<Record<LocalOptions['driver'], string>> = {
  process: 'processes of this machine; images are not pulled',
  simulated: 'simulated: nothing runs, it only takes time',
};

/** The engine listens on TCP and checks no signature. */
const SHARED_MACHINE = 'other users of this machine can read its Jobs and plant one (docs/run-locally.md, Safety)';

/**
 * What `muster local` says when it is ready: where everything is, and what to type next.
 *
 * @param log where it prints when nobody looks at its terminal; null: it has one
 */
export function localBanner(
  { url, kubeconfig }: LocalAddress,
  { dataDir, workspaceDir, driver, store, environment }: LocalPlaces,
  log: string | null,
  shell: Pick<Shell, 'out' | 'env' | 'cwd'>,
): string {
  const { paint } = looksFor(shell.out, shell.env);
  const row = (name: string, value: string): string => `  ${paint.dim(name.padEnd(10))} ${value}`;
  const isHere = kubeconfig === join(shell.cwd, '.muster', 'kubeconfig');
  const option = isHere ? '' : ` --kubeconfig ${shellQuoted(kubeconfig)}`;
  const muster = commandWord(shell.env);
  const stop = `${muster} stop${isHere ? '' : ` --data ${shellQuoted(dataDir)}`}`;
  return `${[
    `${paint.bold('Muster')} ${VERSION} is ready`,
    '',
    row('API', paint.cyan(url)),
    row('data', dataDir + (store === 'memory' ? ' (Jobs are in memory)' : '')),
    row('workspace', workspaceDir),
    row('tasks', DRIVERS[driver]),
    ...(driver === 'process' ? [row('they get', sayEnvironment(environment, shell.env))] : []),
    ...(log === null ? [] : [row('log', log)]),
    ...(store === 'engine' ? [row('mind', SHARED_MACHINE)] : []),
    '',
    log === null ? 'In another terminal:' : 'Go on with:',
    `  ${muster} run -f job.yaml --wait${option}`,
    `  export KUBECONFIG=${shellQuoted(kubeconfig)}`,
    '  kubectl get jobs',
    '',
    `${log === null ? 'Ctrl-C' : `\`${stop}\``} stops it, with every task that it started.`,
  ].join('\n')}\n`;
}

/** What `muster local --detach` says where one runs already. */
export const alreadyRuns = (pid: number, { url, kubeconfig }: LocalAddress): string =>
  `Muster runs here already (pid ${pid}, ${url}), with the options that it was started with.\n` +
  `  export KUBECONFIG=${shellQuoted(kubeconfig)}\n`;
