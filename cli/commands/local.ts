import { type ChildProcess } from 'node:child_process';
import { closeSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { holderOf } from '../../local/data-folder.ts';
import { openForAppending } from '../../local/whole-file.ts';
import { isThere } from '../../local/process-identity.ts';
import { openPrivateFolder } from '../../local/private-folder.ts';
import type { DriverName } from '../../local/drivers.ts';
import { hasDocker } from '../../local/docker/open-docker.ts';
import { keptDriver } from '../../local/kept-driver.ts';
import type { LocalOptions } from '../../local/runtime.ts';
import { startFault } from '../../local/start-fault.ts';
import { killTasks } from '../../local/stop-runtime.ts';
import { type ListenerFlags, listenersIn } from '../shell/event-listeners.ts';
import { ApiFailure, EXIT, Failure, usageFailure } from '../shell/failure.ts';
import { onceInterrupted } from '../shell/interrupt.ts';
import { onNpmGone } from '../shell/parent-watch.ts';
import { findTarget } from '../client/kubeconfig.ts';
import { reachAgain } from '../client/reach.ts';
import { userNamed, usersIn } from '../shell/users-file.ts';
import { type LocalAddress, adoptedText, alreadyRuns, localBanner } from '../render/local-banner.ts';
import type { Shell } from '../shell/shell.ts';
import { CUT_SHORT, stopDeadline } from '../shell/stop-deadline.ts';
import { type EnvironmentOptions, taskEnvironmentOf } from '../shell/task-environment.ts';

export type LocalFlags = Pick<
  LocalOptions,
  | 'port'
  | 'script'
  | 'events'
  | 'store'
  | 'wiring'
  | 'launchesPerSec'
  | 'stopsPerSec'
  | 'formats'
  | 'audit'
  | 'discardRow'
  | 'room'
> &
  ListenerFlags & {
    /** null: the one of before, or processes */
    readonly driver: DriverName | null;
    /** A file of users with tokens; null: everybody who gets to the API may call it. */
    readonly users: string | null;
    /** Whose token the kubeconfig gets; null: nobody's. */
    readonly kubeconfigUser: string | null;
    readonly data: string;
    readonly workspace: string;
    readonly allowHostPath: readonly string[];
    readonly environment: EnvironmentOptions;
  };

/** `muster local`: runs the embedded runtime until it receives a signal to stop. */
export async function runLocal(flags: LocalFlags, shell: Shell): Promise<number> {
  const places = placesOf(flags, shell);
  const access = accessOf(flags, shell);
  const { offersDocker: _offer, ...run } = places;
  const taskEnvironment = taskEnvironmentOf(flags.environment, shell.env, places.driver);
  const stopping = Promise.race([
    onceInterrupted(
      shell,
      'Stopped immediately. `muster local` adopts the tasks that still run when you start it here again.',
    ),
    new Promise<void>((gone) => shell.starter ?? onNpmGone(shell.env, gone)),
  ]);
  // The AWS SDK would otherwise advise users of a local server to upgrade Node.js.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { startLocalRuntime } = await import('../../local/runtime.ts');
  const { data: _data, workspace: _workspace, allowHostPath: _folders, environment: _environment, ...others } = flags;
  const { eventUrlFile: _address, eventKeyFile: _key, users: _users, kubeconfigUser: _user, ...rest } = others;
  const listeners = listenersIn(flags, shell);
  const say = (line: string): void => shell.err.write(`${line}\n`);
  let held: string | null = null;
  const deadline = stopDeadline({
    stopping,
    now: () => performance.now(),
    end(isDone) {
      if (!isDone) shell.err.write(CUT_SHORT);
      if (!isDone && held !== null) killTasks(held);
      process.exit(isDone ? undefined : EXIT.timedOut);
    },
  });
  try {
    const runtime = await startLocalRuntime({
      ...rest,
      ...run,
      ...access,
      listeners,
      taskEnvironment,
      env: shell.env,
      say,
    });
    if (runtime.kind === 'refused') throw new Failure(`error: ${runtime.reason}`);
    const { url, page, kubeconfig, adopted } = runtime;
    held = dirname(kubeconfig);
    if (shell.starter === null) shell.out.write(localBanner(runtime, { ...flags, ...places }, null, shell));
    else {
      if (adopted.tasks > 0) say(`Continues ${adoptedText(adopted)}.`); // the log of a detached one
      shell.starter.tell({ url, page, kubeconfig, adopted } satisfies LocalAddress);
    }
    await stopping;
    say('\nStopping all tasks, which takes a few seconds at most. Press Ctrl-C again to stop immediately.');
    await runtime.stop(deadline.leftMs());
  } finally {
    deadline.done();
  }
  const goesOn = flags.store === 'memory' ? '' : ' Unfinished Jobs continue when you start `muster local` here again.';
  say(`Stopped.${goesOn}`);
  return EXIT.ok;
}

/** Who may call the API, and whose token the kubeconfig has. */
function accessOf(
  { users: file, kubeconfigUser: name }: LocalFlags,
  shell: Shell,
): Pick<LocalOptions, 'users' | 'kubeconfigUser'> {
  if (file === null) return {};
  const users = usersIn(file, shell);
  return name === null ? { users } : { users, kubeconfigUser: userNamed(name, users, file) };
}

type Places = Pick<LocalOptions, 'dataDir' | 'workspaceDir' | 'hostFolders' | 'driver' | 'audit'> & {
  /** A container engine is here, and nobody has said yet what tasks are to run in. */
  readonly offersDocker: boolean;
};

function placesOf(flags: LocalFlags, { cwd, env }: Pick<Shell, 'cwd' | 'env'>): Places {
  const workspaceDir = resolve(cwd, flags.workspace);
  if (!isFolder(workspaceDir)) throw usageFailure(`--workspace: the folder ${workspaceDir} does not exist`);
  const hostFolders = flags.allowHostPath.map((folder) => resolve(cwd, folder));
  const missing = hostFolders.find((folder) => !isFolder(folder));
  if (missing !== undefined) throw usageFailure(`--allow-host-path: the folder ${missing} does not exist`);
  const dataDir = resolve(cwd, flags.data);
  const wanted = flags.driver ?? keptDriver(dataDir);
  const driver = wanted ?? 'process';
  if (driver === 'docker' && flags.environment.inherit)
    throw usageFailure(
      '--inherit-env needs --driver process: a container has a PATH and a home of its own; use --env NAME',
    );
  return {
    dataDir,
    workspaceDir,
    hostFolders,
    driver,
    offersDocker: wanted === null && hasDocker(env),
    audit: auditPlace(flags.audit, cwd),
  };
}

function auditPlace(file: string | undefined, cwd: string): string | undefined {
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  if (!isFolder(dirname(path))) throw usageFailure(`--audit: the folder ${dirname(path)} does not exist`);
  if (isFolder(path)) throw usageFailure(`--audit: ${path} is a folder`);
  return path;
}

const isFolder = (place: string): boolean => statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;

/** What the detached process reports. */
const AddressSchema = z.object({
  url: z.string(),
  page: z.string().nullable(),
  kubeconfig: z.string(),
  adopted: z.object({ tasks: z.int(), jobs: z.int() }),
});

/**
 * `muster local --detach`: starts `muster local` in the background and returns when it is ready: its API answers and its
 * kubeconfig is written. If one already runs, it says so and changes nothing.
 */
export async function runLocalDetached(flags: LocalFlags, shell: Shell): Promise<number> {
  const places = placesOf(flags, shell);
  taskEnvironmentOf(flags.environment, shell.env, places.driver); // report a missing variable or key here, not in the log
  listenersIn(flags, shell);
  accessOf(flags, shell);
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

/** Creates the data folder, private to this user. The log is the first file in it. */
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
      // 0: it was stopped while it started
      done({ kind: 'over', exitCode: code === 0 ? EXIT.interrupted : (code ?? EXIT.failed), how: `${signal ?? code}` }),
    );
  });
}

const LOG_BYTES_MAX = 1_048_576;

/** Opens the log for appending, because an earlier runtime may still write to it. Moves a large log aside. */
function openLog(file: string): number {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  return openForAppending(file);
}

const LOOK_EVERY_MS = 100;

/** Waits for a runtime that is starting or stopping. Returns one that answers, or null if there is none. */
async function runningOn(
  dataDir: string,
  shell: Shell,
): Promise<(Omit<LocalAddress, 'adopted' | 'page'> & { readonly pid: number }) | null> {
  const kubeconfig = join(dataDir, 'kubeconfig');
  for (;;) {
    const holder = holderOf(dataDir);
    if (holder === null || !isThere(holder)) return null;
    try {
      const { target } = await reachAgain(kubeconfig, shell);
      return { pid: holder.pid, url: target.server, kubeconfig };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // It answers, though not to this kubeconfig, which has nobody's token.
      if (error instanceof ApiFailure && error.status.code === 401)
        return { pid: holder.pid, url: findTarget(kubeconfig, shell).target.server, kubeconfig };
    }
    await sleep(LOOK_EVERY_MS);
  }
}
