import { type ChildProcess } from 'node:child_process';
import { closeSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { holderOf } from '../../local/data-folder.ts';
import { openForAppending } from '../../local/whole-file.ts';
import { isThere } from '../../local/process-identity.ts';
import { openPrivateFolder } from '../../local/private-folder.ts';
import type { LocalOptions } from '../../local/runtime.ts';
import { startFault } from '../../local/start-fault.ts';
import { EXIT, Failure, usageFailure } from '../failure.ts';
import { onceInterrupted } from '../interrupt.ts';
import { onNpmGone } from '../parent-watch.ts';
import { reachAgain } from '../reach.ts';
import { type LocalAddress, alreadyRuns, localBanner } from '../render/local-banner.ts';
import type { Shell } from '../shell.ts';
import { type EnvironmentWish, taskEnvironmentOf } from '../task-environment.ts';

export type LocalFlags = Pick<
  LocalOptions,
  'driver' | 'port' | 'script' | 'events' | 'store' | 'launchesPerSec' | 'stopsPerSec'
> & {
  readonly data: string;
  readonly workspace: string;
  readonly environment: EnvironmentWish;
};

/** `muster local`: runs the embedded runtime until it is told to stop. */
export async function runLocal(flags: LocalFlags, shell: Shell): Promise<number> {
  const places = placesOf(flags, shell);
  const taskEnvironment = taskEnvironmentOf(flags.environment, shell.env);
  const stopping = Promise.race([
    onceInterrupted(
      shell,
      'Left at once. Tasks that still run are taken up when `muster local` is started here again.',
    ),
    new Promise<void>((gone) => shell.starter ?? onNpmGone(shell.env, gone)),
  ]);
  // The AWS SDK would advise whoever starts a local server to upgrade their Node.js.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { startLocalRuntime } = await import('../../local/runtime.ts');
  const { data: _data, workspace: _workspace, environment: _environment, ...rest } = flags;
  const say = (line: string): void => shell.err.write(`${line}\n`);
  const runtime = await startLocalRuntime({ ...rest, ...places, taskEnvironment, say });
  if (runtime.kind === 'refused') throw new Failure(`error: ${runtime.reason}`);
  const { url, kubeconfig } = runtime;
  if (shell.starter === null) shell.out.write(localBanner(runtime, { ...flags, ...places }, null, shell));
  else shell.starter.tell({ url, kubeconfig } satisfies LocalAddress);
  await stopping;
  shell.err.write('\nStopping: every task that it started ends, which takes a few seconds at most. Again: at once.\n');
  await runtime.stop();
  const goesOn =
    flags.store === 'memory' ? '' : ' Jobs that were not over go on when `muster local` is started here again.';
  shell.err.write(`Stopped.${goesOn}\n`);
  return EXIT.ok;
}

function placesOf(flags: LocalFlags, { cwd }: Shell): Pick<LocalOptions, 'dataDir' | 'workspaceDir'> {
  const workspaceDir = resolve(cwd, flags.workspace);
  if (statSync(workspaceDir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usageFailure(`--workspace: there is no folder ${workspaceDir}`);
  return { dataDir: resolve(cwd, flags.data), workspaceDir };
}

/** What the detached process tells. */
const AddressSchema = z.object({ url: z.string(), kubeconfig: z.string() });

/**
 * `muster local --detach`: starts `muster local` in the background and returns when it is ready: its API answers, the
 * kubeconfig is written. Where one runs already, it says so and changes nothing.
 */
export async function runLocalDetached(flags: LocalFlags, shell: Shell): Promise<number> {
  const places = placesOf(flags, shell);
  taskEnvironmentOf(flags.environment, shell.env); // a name that is not set is said here rather than in the log
  const running = await runningOn(places.dataDir, shell);
  if (running !== null) {
    shell.out.write(alreadyRuns(running.pid, running));
    return EXIT.ok;
  }
  const logFile = join(folderOf(places.dataDir, shell), 'runtime.log');
  const log = openLog(logFile);
  const child = shell.startAgain(log);
  closeSync(log);
  const began = statSync(logFile).size;
  const forget = shell.onInterrupt(() => child.kill('SIGTERM'));
  const result = await readyOrOver(child);
  forget();
  if (result.kind === 'over') {
    const said = readFileSync(logFile).subarray(began).toString().trim();
    throw new Failure(said === '' ? `error: it ended with ${result.how} before it was ready` : said, result.exitCode);
  }
  child.unref();
  shell.out.write(localBanner(result.address, { ...flags, ...places }, logFile, shell));
  return EXIT.ok;
}

/** The data folder, made and closed to others: the log is the first thing in it. */
function folderOf(dataDir: string, shell: Shell): string {
  try {
    const folder = openPrivateFolder(dataDir, (line) => shell.err.write(`${line}\n`));
    if (folder.kind === 'refused') throw new Failure(`error: ${folder.reason}`);
    return folder.path;
  } catch (error) {
    const reason = startFault(error, dataDir);
    throw reason === null ? error : new Failure(`error: ${reason}`);
  }
}

type Began =
  | { readonly kind: 'ready'; readonly address: LocalAddress }
  | { readonly kind: 'over'; readonly exitCode: number; readonly how: string };

async function readyOrOver(child: ChildProcess): Promise<Began> {
  return new Promise((done) => {
    child.once('message', (message) => done({ kind: 'ready', address: AddressSchema.parse(message) }));
    child.once('error', ({ message }) => done({ kind: 'over', exitCode: EXIT.failed, how: message }));
    child.once('exit', (code, signal) =>
      // 0: it was told to stop while it started
      done({ kind: 'over', exitCode: code === 0 ? EXIT.interrupted : (code ?? EXIT.failed), how: `${signal ?? code}` }),
    );
  });
}

const LOG_BYTES_MAX = 1_048_576;

/** For appending, since an earlier runtime may still print into it; what has grown large is put aside. */
function openLog(file: string): number {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  return openForAppending(file);
}

const LOOK_EVERY_MS = 100;

/** A runtime that answers; one that is about to start or to end is waited for. null: none. */
async function runningOn(dataDir: string, shell: Shell): Promise<(LocalAddress & { readonly pid: number }) | null> {
  const kubeconfig = join(dataDir, 'kubeconfig');
  for (;;) {
    const holder = holderOf(dataDir);
    if (holder === null || !isThere(holder)) return null;
    try {
      const { target } = await reachAgain(kubeconfig, shell);
      return { pid: holder.pid, url: target.server, kubeconfig };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
    await sleep(LOOK_EVERY_MS);
  }
}
