import { cpSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { type RunFlags, runJobs } from '../cli/commands/run.ts';
import { processShell } from '../cli/shell/shell.ts';
import { startLocalRuntime } from '../local/runtime.ts';
import { EXAMPLE, assemble } from './assemble.ts';

/** `npm run demo`: the embedded runtime with its own data, one Job of 64 real processes, and the picture they compute. */
const PICTURE = 'mandelbrot.png';

const shell = processShell();
const say = (line: string): void => shell.out.write(`${line}\n`);

async function main(): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'muster-demo-'));
  const workspace = join(scratch, 'workspace');
  try {
    cpSync(EXAMPLE, workspace, { recursive: true, filter: (path) => !/\/(tiles|mandelbrot\.png)$/.test(path) });
    return await runIn(scratch, workspace);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runIn(scratch: string, workspace: string): Promise<number> {
  say('Starting Muster on this machine: its functions, queues and an ECS that runs processes, all in this process.');
  const runtime = await startLocalRuntime({
    port: null,
    dataDir: join(scratch, 'data'),
    workspaceDir: workspace,
    driver: 'process',
    ...(shell.env['MUSTER_DEMO_STORE'] === 'memory' ? { store: 'memory' } : {}),
    say,
  });
  if (runtime.kind !== 'started') {
    say(runtime.reason);
    return 1;
  }
  try {
    say(`It serves the Kubernetes API on ${runtime.url}. Running ${EXAMPLE}/job.yaml.\n`);
    const file = resolve(EXAMPLE, 'job.yaml');
    const flags: RunFlags = {
      wait: true,
      timeoutMs: 300_000,
      namespace: null,
      output: null,
      replacing: 'never',
      kubeconfig: runtime.kubeconfig,
    };
    const exitCode = await runJobs(file, flags, shell);
    if (exitCode !== 0) return exitCode;
    await assemble(workspace);
    copyFileSync(join(workspace, PICTURE), PICTURE);
    say(`\n${await finalStatus(runtime.url)}`);
    say(`picture: ${relative(process.cwd(), resolve(PICTURE))}`);
    return 0;
  } finally {
    await runtime.stop();
  }
}

const JobStatus = z.object({
  status: z.object({
    succeeded: z.int(),
    failed: z.int().optional(),
    completedIndexes: z.string(),
    conditions: z.array(z.object({ type: z.string(), reason: z.string() })),
  }),
});

async function finalStatus(url: string): Promise<string> {
  const answer = await fetch(`${url}/apis/batch/v1/namespaces/default/jobs/mandelbrot`);
  const { status } = JobStatus.parse(await answer.json());
  const conditions = status.conditions.map(({ type, reason }) => `${type} (${reason})`).join(', ');
  return [
    `status of job.batch/mandelbrot: ${conditions}`,
    `succeeded: ${status.succeeded}, failed: ${status.failed ?? 0}`,
    `completedIndexes: ${status.completedIndexes}`,
  ].join('\n');
}

process.exitCode = await main();
