import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { enginesOn } from '../../local/dynamodb/engine-processes.ts';
import { TEST_WIRING } from '../support/test-wiring.ts';
import type { Folders } from './a-local-runtime.ts';
import { eventually } from './kube-calls.ts';

const THIS_TREE = join(import.meta.dirname, '../..');

const KubeconfigSchema = z.object({ clusters: z.tuple([z.object({ cluster: z.object({ server: z.url() }) })]) });

/** Tasks are containers of the engine that answers there. */
export type ContainerTasks = {
  readonly dockerHost: string;
  /** folders that they may mount */
  readonly hostFolders?: readonly string[];
};

export type RuntimeProcess = {
  readonly child: ChildProcess;
  /** Everything that it has printed. */
  readonly said: () => string;
  /** Its URL once it answers; throws if it ends before. */
  readonly ready: () => Promise<string>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
};

/**
 * Starts the embedded runtime on `folders` in a process (and a process group) of its own. Others may run there already.
 * It is that of the sources in `tree`: by default, these.
 *
 * @param tasks a number: they are simulated, and take up to so many milliseconds; processes by default
 */
export function spawnRuntime(
  { root, dataDir, workspaceDir }: Folders,
  tasks?: number | ContainerTasks,
  tree = THIS_TREE,
): RuntimeProcess {
  const program = join(tree, 'test/e2e/runtime-process.ts');
  const hostFolders = typeof tasks === 'object' ? (tasks.hostFolders ?? []) : [];
  const kind = tasks === undefined ? [] : [typeof tasks === 'number' ? String(tasks) : 'docker'];
  const engine =
    typeof tasks === 'object'
      ? { DOCKER_HOST: tasks.dockerHost, MUSTER_TEST_HOST_FOLDERS: hostFolders.join(delimiter) }
      : {};
  const child = spawn(process.execPath, ['--import', 'tsx', program, dataDir, workspaceDir, ...kind], {
    cwd: tree,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: root, MUSTER_TEST_WIRING: TEST_WIRING, ...engine },
    detached: true,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  let end: number | string | null = null;
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve((end = code ?? signal ?? 'no exit code')));
  });
  return {
    child,
    said: () => said,
    ready: async () =>
      eventually(
        async () => {
          if (end !== null) throw new Error(`the runtime has ended with ${end}: ${said}`);
          return answeringServer(join(dataDir, 'kubeconfig'));
        },
        () => said,
      ),
    ended,
  };
}

/** Starts the runtime and forgets where an earlier one on these folders was. */
export function startRuntime(folders: Folders, tasks?: number | ContainerTasks, tree?: string): RuntimeProcess {
  rmSync(join(folders.dataDir, 'kubeconfig'), { force: true });
  return spawnRuntime(folders, tasks, tree);
}

async function answeringServer(kubeconfig: string): Promise<string | null> {
  if (!existsSync(kubeconfig)) return null;
  const [{ cluster }] = KubeconfigSchema.parse(parse(readFileSync(kubeconfig, 'utf8'))).clusters;
  const answer = await fetch(`${cluster.server}/version`).catch(() => null);
  return answer?.ok === true ? cluster.server : null;
}

/** The DynamoDB engine that serves a data folder. */
export const enginePid = (dataDir: string): number | null =>
  enginesOn(join(realpathSync(dataDir), 'dynamodb.sqlite'))[0]?.pid ?? null;

/** SIGKILL; one that is gone already is no matter. */
export function killNow(pid: number | null | undefined): void {
  try {
    if (pid !== null && pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    // it ended by itself
  }
}
