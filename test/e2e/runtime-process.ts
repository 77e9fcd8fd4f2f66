import { delimiter } from 'node:path';
import { startEnforcedRuntime } from '../rights/enforced-runtime.ts';

// The embedded runtime as a program, for tests that kill it: node --import tsx runtime-process.ts DATA WORKSPACE [TASK_MS|docker]
// With TASK_MS its tasks are simulated, and take up to that long; with docker they are containers of the engine at DOCKER_HOST.
// MUSTER_TEST_HOST_FOLDERS: folders that tasks may mount.
// It ends with 77 if a function calls what the template does not allow it.
// It ends by SIGTERM, by Ctrl-C, and when its parent is gone: then its standard input ends.

const [dataDir = '', workspaceDir = '', kind] = process.argv.slice(2);
const tasks =
  kind === undefined
    ? ({ driver: 'process' } as const)
    : kind === 'docker'
      ? ({ driver: 'docker', env: process.env } as const)
      : ({ driver: 'simulated', script: { runMs: [0, Number(kind)] } } as const);
const hostFolders = (process.env['MUSTER_TEST_HOST_FOLDERS'] ?? '').split(delimiter).filter((folder) => folder !== '');
/** Exit code: no test expects it. */
const NOT_ALLOWED = 77;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const stopSignal = new Promise<void>((resolve) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
  process.stdin.on('end', () => resolve()).resume();
});
const runtime = await startEnforcedRuntime(
  { port: null, dataDir, workspaceDir, hostFolders, say, ...tasks },
  (fault) => {
    say(fault);
    process.exit(NOT_ALLOWED);
  },
);
if (runtime.kind === 'refused') {
  say(runtime.reason);
  process.exit(1);
}
await stopSignal;
await runtime.stop();
process.exit(0);
