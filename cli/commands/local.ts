import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LocalOptions, LocalRuntime } from '../../local/runtime.ts';
import { VERSION } from '../../shared/names/version.ts';
import { Failure, usageFailure } from '../failure.ts';
import { onceInterrupted } from '../interrupt.ts';
import { looksFor } from '../job-view.ts';
import { shellQuoted } from '../shell-quoted.ts';
import type { Shell } from '../shell.ts';

export type LocalFlags = Pick<
  LocalOptions,
  'driver' | 'port' | 'script' | 'events' | 'store' | 'launchesPerSec' | 'stopsPerSec'
> & {
  readonly data: string;
  readonly workspace: string;
};

/** `muster local`: runs the embedded runtime until it is told to stop. */
export async function runLocal(flags: LocalFlags, shell: Shell): Promise<number> {
  const dataDir = resolve(shell.cwd, flags.data);
  const workspaceDir = resolve(shell.cwd, flags.workspace);
  if (statSync(workspaceDir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usageFailure(`--workspace: there is no folder ${workspaceDir}`);
  const stopping = onceInterrupted(
    shell,
    'Left at once. Tasks that still run are taken up when `muster local` is started here again.',
  );
  // The AWS SDK would advise whoever starts a local server to upgrade their Node.js.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { startLocalRuntime } = await import('../../local/runtime.ts');
  const { data: _data, workspace: _workspace, ...rest } = flags;
  const say = (line: string): void => shell.err.write(`${line}\n`);
  const runtime = await startLocalRuntime({ ...rest, dataDir, workspaceDir, say }).catch((error: unknown) => {
    throw explained(error, flags.port);
  });
  if (runtime.kind === 'refused') throw new Failure(`error: ${runtime.reason}`);
  shell.out.write(banner(runtime, { ...flags, dataDir, workspaceDir }, shell));
  await stopping;
  shell.err.write('\nStopping: every task that it started ends, which takes a few seconds at most. Again: at once.\n');
  await runtime.stop();
  const goesOn =
    flags.store === 'memory' ? '' : ' Jobs that were not over go on when `muster local` is started here again.';
  shell.err.write(`Stopped.${goesOn}\n`);
  return 0;
}

function explained(error: unknown, port: number | null): unknown {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken ? new Failure(`error: port ${port} is taken; leave --port out to get a free one`) : error;
}

const DRIVERS: Readonly<Record<LocalOptions['driver'], string>> = {
  process: 'processes of this machine; images are not pulled',
  simulated: 'simulated: nothing runs, it only takes time',
};

function banner(
  { url, kubeconfig }: LocalRuntime,
  places: Pick<LocalOptions, 'dataDir' | 'workspaceDir' | 'driver' | 'store'>,
  shell: Shell,
): string {
  const { paint } = looksFor(shell.out, shell.env);
  const row = (name: string, value: string): string => `  ${paint.dim(name.padEnd(10))} ${value}`;
  const here = kubeconfig === join(shell.cwd, '.muster', 'kubeconfig');
  const option = here ? '' : ` --kubeconfig ${shellQuoted(kubeconfig)}`;
  return `${[
    `${paint.bold('Muster')} ${VERSION} is ready`,
    '',
    row('API', paint.cyan(url)),
    row('data', places.dataDir + (places.store === 'memory' ? ' (Jobs are in memory)' : '')),
    row('workspace', places.workspaceDir),
    row('tasks', DRIVERS[places.driver]),
    '',
    'In another terminal:',
    `  npx muster run -f job.yaml --wait${option}`,
    `  export KUBECONFIG=${shellQuoted(kubeconfig)}`,
    '  kubectl get jobs',
    '',
    'Ctrl-C stops it, with every task that it started.',
  ].join('\n')}\n`;
}
