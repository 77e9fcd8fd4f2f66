import { type ChildProcess, type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Engine, openEngine } from '../../local/docker/engine.ts';
import { killNow } from '../e2e/a-runtime-process.ts';
import { eventually } from '../e2e/kube-calls.ts';

/** A container engine of a test's own, beside whatever runs on the machine. */
export type AnEngine = {
  /** for DOCKER_HOST */
  readonly host: string;
  /** The tests' own calls. */
  readonly api: Engine;
  /** Words before those of a program that runs in the network that the engine sees as its machine's. */
  readonly inNetwork: readonly string[];
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** Runs a program in the network that the engine sees as its machine's, until the engine is removed. */
  run(...words: string[]): void;
  /** SIGKILL to dockerd; containerd and the containers go on. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Ends it with all of its containers, and leaves nothing. */
  remove(): Promise<void>;
};

const PROGRAMS = ['docker', 'dockerd', 'containerd', 'runc', 'busybox', 'unshare', 'nsenter', 'tar'];

/** Why no engine can be started here; null: one can. */
export function engineLack(): string | null {
  if (process.platform !== 'linux') return 'engines run on Linux only';
  if (process.getuid?.() !== 0) return 'only root can start a container engine';
  const missing = PROGRAMS.filter((name) => programOf(name) === null);
  if (!missing.includes('busybox') && spawnSync('ldd', [programOf('busybox') ?? '']).status === 0)
    missing.push('a busybox that is linked statically');
  return missing.length === 0 ? null : `${missing.join(', ')} missing: .ci/install-docker gets what there is`;
}

/** Its path; null: it is not there. */
function programOf(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, name)).find(canRun) ?? null;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * What the engine sees as its machine: namespaces of its own for the network, mounts, and processes. So it meets no bridge,
 * no firewall rule, and no socket of another engine, and everything ends with the shell, which ends with its standard input.
 */
const MACHINE = `busybox ip link set lo up; mkdir -p /run/containerd; mount -t tmpfs tmpfs /run/containerd
  echo ready; cat; true`;
const NAMESPACES = ['--net', '--mount', '--pid'];

/** Starts containerd and dockerd in a temporary folder. Throws what they have said if they do not answer. */
export async function anEngine(): Promise<AnEngine> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'muster-engine-')));
  const cgroup = `muster-${dir.slice(-6)}`;
  const said = openSync(join(dir, 'said'), 'a');
  const env = { PATH: `${process.env['PATH'] ?? ''}${delimiter}/usr/sbin${delimiter}/sbin`, HOME: dir };
  const machine = spawn(
    'unshare',
    [...NAMESPACES, '--propagation', 'private', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', MACHINE],
    { stdio: ['pipe', 'pipe', said], env },
  ) as ChildProcessByStdio<Writable, Readable, null>;
  await new Promise<void>((resolve, reject) => {
    machine.stdout.once('data', () => resolve());
    machine.once('exit', () => reject(new Error(`no namespaces: ${readFileSync(join(dir, 'said'), 'utf8')}`)));
  });
  const run = (...words: string[]): ChildProcess =>
    spawn('nsenter', ['--target', String(childOf(machine)), ...NAMESPACES, ...words], {
      stdio: ['ignore', said, said],
      env,
    });
  writeFileSync(join(dir, 'daemon.json'), '{}');
  writeFileSync(join(dir, 'containerd.toml'), CONTAINERD);
  const socket = join(dir, 'containerd.sock');
  const at = ['--root', join(dir, 'c'), '--state', join(dir, 's'), '--address', socket];
  run('containerd', '--config', join(dir, 'containerd.toml'), ...at);
  await eventually(
    () => (isSocketIn(dir, 'containerd.sock') ? true : null),
    () => readFileSync(join(dir, 'said'), 'utf8'),
  );

  const path = join(dir, 'docker.sock');
  const api = openEngine({ kind: 'socket', path });
  let dockerd: ChildProcess | null = null;
  const engine: AnEngine = {
    host: `unix://${path}`,
    api,
    inNetwork: ['nsenter', '--target', String(childOf(machine)), '--net'],
    async start() {
      for (const stale of ['docker.sock', 'docker.pid']) rmSync(join(dir, stale), { force: true });
      const [data, exec, pid] = [join(dir, 'data'), join(dir, 'exec'), join(dir, 'docker.pid')];
      const places = ['--data-root', data, '--exec-root', exec, '--pidfile', pid, '--host', `unix://${path}`];
      const own = ['--config-file', join(dir, 'daemon.json'), '--containerd', socket, '--bridge', 'none'];
      const cgroups = ['--exec-opt', 'native.cgroupdriver=cgroupfs', '--cgroup-parent', `/${cgroup}`];
      dockerd = run('dockerd', ...places, ...own, ...cgroups);
      await eventually(
        async () => api.ask({ method: 'GET', path: '/info' }).catch(() => null),
        () => readFileSync(join(dir, 'said'), 'utf8'),
      );
    },
    run: (...words) => void run(...words),
    async kill() {
      if (dockerd === null) return;
      const gone = new Promise((resolve) => dockerd?.once('exit', resolve));
      killNow(childOf(dockerd));
      await gone;
    },
    async remove() {
      api.close();
      const gone = new Promise((resolve) => machine.once('exit', resolve));
      machine.stdin.end();
      await gone;
      await eventually(
        () => (removeCgroups(cgroup) ? true : null),
        () => `cgroups ${cgroup} are in use`,
      );
      rmSync(dir, { recursive: true, force: true });
    },
  };
  try {
    await engine.start();
  } catch (error) {
    await engine.remove();
    throw error;
  }
  return engine;
}

/** Neither Kubernetes' interface nor a port. */
const CONTAINERD = 'version = 2\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n';

/** `unshare` and `nsenter` start what they are given as their only child. */
function childOf({ pid = 0 }: { readonly pid?: number | undefined }): number {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10);
}

const isSocketIn = (dir: string, name: string): boolean => readdirSync(dir).includes(name);

const CGROUPS = '/sys/fs/cgroup';

/** Those of containers that ended with the machine stay until somebody removes them. Returns whether all are gone. */
function removeCgroups(name: string): boolean {
  const roots = [CGROUPS, ...foldersIn(CGROUPS)].map((root) => join(root, name));
  return roots.map(removeCgroup).every(Boolean);
}

function removeCgroup(path: string): boolean {
  for (const folder of foldersIn(path)) removeCgroup(folder);
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

function foldersIn(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(path, name));
  } catch {
    return [];
  }
}

/**
 * Makes an image of busybox, without a registry.
 *
 * @param changes lines of a Dockerfile: `ENTRYPOINT ["/bin/main"]`
 * @param scripts programs of the image: text by name, found in /bin
 */
export async function anImage(
  { api }: AnEngine,
  name: string,
  changes: readonly string[] = [],
  scripts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = busyboxFolder();
  try {
    for (const [file, text] of Object.entries(scripts))
      writeFileSync(join(folder, 'bin', file), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const [repo = '', tag = 'latest'] = name.split(':');
    const query = { fromSrc: '-', repo, tag, changes: ['ENV PATH=/bin', ...changes].join('\n') };
    await api.send({ method: 'POST', path: '/images/create', query }, archiveOf(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes an image of another one by a Dockerfile, which knows what an import does not. */
export async function anImageBy({ api }: AnEngine, name: string, dockerfile: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-image-'));
  try {
    writeFileSync(join(folder, 'Dockerfile'), dockerfile);
    await api.send({ method: 'POST', path: '/build', query: { t: name } }, archiveOf(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes an image with this Node and the libraries that it needs. */
export async function aNodeImage({ api }: AnEngine, name: string): Promise<void> {
  const folder = busyboxFolder();
  try {
    const libraries = spawnSync('ldd', [process.execPath], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];
    for (const path of [...libraries, process.execPath]) {
      const copy = path === process.execPath ? join(folder, 'bin/node') : join(folder, path);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(path, copy);
      chmodSync(copy, 0o755);
    }
    const query = { fromSrc: '-', repo: name, tag: 'latest', changes: 'ENV PATH=/bin' };
    await api.send({ method: 'POST', path: '/images/create', query }, archiveOf(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files of an image: a new temporary folder. */
export function busyboxFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-image-'));
  for (const each of ['bin', 'tmp', 'etc', 'srv/deep']) mkdirSync(join(folder, each), { recursive: true });
  writeFileSync(join(folder, 'bin/busybox'), readFileSync(programOf('busybox') ?? ''), { mode: 0o755 });
  spawnSync(join(folder, 'bin/busybox'), ['--install', join(folder, 'bin')]); // hard links
  return folder;
}

export const archiveOf = (folder: string): Buffer =>
  spawnSync('tar', ['-C', folder, '-cf', '-', '.'], { maxBuffer: 512 * 1024 * 1024 }).stdout;
